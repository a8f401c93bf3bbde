"""Configurations of indented lines: their blocks, which lines are taken where, what one changes.

What the words are is a system's own: `Words`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field


@dataclass
class Block:
    """A line, and the lines below it."""

    line: str
    below: list[Block] = field(default_factory=list)

    def heads(self, pattern: str) -> list[tuple[re.Match[str], Block]]:
        """The lines below that are like this, whole."""
        found = ((re.fullmatch(pattern, one.line), one) for one in self.below)
        return [(match, one) for match, one in found if match]

    def last(self, pattern: str) -> str:
        """What the last such line says in its first parenthesis; "" where none is."""
        found = self.heads(pattern)
        return str(found[-1][0][1]) if found else ""

    def has(self, line: str) -> bool:
        """Whether this very line is below."""
        return any(one.line == line for one in self.below)


@dataclass(frozen=True, slots=True)
class Words:
    """How a system writes configurations.

    `deep`: blanks a level. `banner` begins one, and `banner_ends` says whether a line ends it.
    `knows` says whether these words may stand in these blocks, `refusal` what it says of others.
    `opens`: typed lines that lead into a block. `single`: of these a block has one, the next takes
    the place of the last. `said_no`: said with `no` in a configuration, too. `unsaid`: what is
    never shown in these blocks, because it is so unless told otherwise.
    """

    deep: int
    banner: re.Pattern[str]
    banner_ends: Callable[[re.Match[str], str], bool]
    knows: Callable[[Sequence[str], str], bool]
    refusal: Callable[[str], str]
    opens: re.Pattern[str]
    single: re.Pattern[str]
    said_no: re.Pattern[str]
    unsaid: Callable[[Sequence[str], str], bool] = lambda _blocks, _line: False


def told_apart(text: str, words: Words) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is a banner's."""
    banner: re.Match[str] | None = None
    for line in text.splitlines():
        if banner:
            yield line, True
            banner = None if words.banner_ends(banner, line) else banner
        elif began := words.banner.fullmatch(line):
            yield line, True
            banner = began if not words.banner_ends(began, "") else None
        else:
            yield line, False


def tree(text: str, words: Words) -> Block:
    """The blocks of a configuration."""
    top = Block("")
    stack = [top]
    for line, is_banner in told_apart(text, words):
        said = line.strip()
        if is_banner or not said or said.startswith("!"):
            continue
        depth = min((len(line) - len(line.lstrip())) // words.deep, len(stack) - 1)
        made = Block(said)
        stack[depth].below.append(made)
        stack[depth + 1 :] = [made]
    return top


class Reader:
    """Reads line by line: `blocks` are the heads of the blocks that the last line stands in.

    Of a text its depth says where a line belongs; a line that is typed stands in the innermost
    block that knows it.
    """

    def __init__(self, words: Words, typed: Sequence[str] | None = None) -> None:
        self.words = words
        self.is_typed = typed is not None
        self.blocks: tuple[str, ...] = tuple(typed or ())
        self._banner: re.Match[str] | None = None

    @property
    def is_banner(self) -> bool:
        """Whether the next line is a banner's."""
        return self._banner is not None

    def refusal(self, line: str) -> str:
        """Why a line is refused; "" for one that is taken."""
        began, said = self.words.banner.fullmatch(line), line.strip()
        if banner := self._banner or began:
            ends = self.words.banner_ends(banner, line if self._banner else "")
            self._banner = None if ends else banner
            return ""
        if not said or said.startswith("!"):
            return ""
        for blocks in self._places(line):
            if self.words.knows(blocks, said):
                opens = not self.is_typed or bool(self.words.opens.fullmatch(said))
                self.blocks = (*blocks, said) if opens else blocks
                return ""
        return self.words.refusal(said)

    def _places(self, line: str) -> Iterable[tuple[str, ...]]:
        if not self.is_typed:
            return [self.blocks[: (len(line) - len(line.lstrip())) // self.words.deep]]
        return [self.blocks[:depth] for depth in range(len(self.blocks), -1, -1)]


def is_block(blocks: Sequence[str], line: str) -> bool:
    """Whether a typed line is the head of the block that it leads into."""
    return bool(blocks) and blocks[-1] == line.strip()


def changed(text: str, blocks: Sequence[str], typed: str, words: Words) -> str:
    """What runs once a line was typed in this block, which is made where it is not there."""
    lines = text.splitlines()
    start, end, heads = _span(lines, blocks, words.deep)
    line = typed.strip()
    undone = line.removeprefix("no ")
    single = words.single.match(line)
    inward = " " * words.deep * len(blocks)

    def goes(one: str) -> bool:
        if line != undone and (one == undone or one.startswith(f"{undone} ")):
            return True
        return one in (line, f"no {line}") or bool(single and one.startswith(single[0]))

    kept, is_gone = [], False
    for one in lines[start:end]:
        bare = one.removeprefix(inward)
        if not bare.startswith(" "):
            is_gone = goes(bare)
        kept += [] if is_gone else [one]
    is_said = line == undone or bool(words.said_no.fullmatch(line))
    inside = [*blocks, *(one.removeprefix(inward) for one in lines[start:end])]
    made = [f"{inward}{line}"] if is_said and not words.unsaid(inside, line) else []
    return "\n".join([*lines[:start], *heads, *kept, *made, *lines[end:], ""])


def _span(lines: Sequence[str], blocks: Sequence[str], deep: int) -> tuple[int, int, list[str]]:
    """A block's first line, the one behind its last, and the heads that are yet to be written."""
    start, end = 0, len(lines)
    for depth, head in enumerate(blocks):
        want = f"{' ' * deep * depth}{head}"
        at = next((i for i in range(start, end) if lines[i] == want), None)
        if at is None:
            heads = [f"{' ' * deep * (depth + i)}{one}" for i, one in enumerate(blocks[depth:])]
            return end, end, heads
        inward = " " * deep * (depth + 1)
        start = at + 1
        end = next((i for i in range(start, end) if not lines[i].startswith(inward)), end)
    return start, end, []
