"""Walks a configuration by its indentation: the enclosing block decides which commands are legal.

A line that is refused closes the way into its block: what lies below cannot be judged, and is
refused with it. Comments begin with `!`, at any depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from .commands import Grammar, Match


@dataclass(frozen=True)
class GrammarProblem:
    """A line that the system would refuse: its number (from 1), its text, and why."""

    line: int
    text: str
    why: str


class Seen(NamedTuple):
    """An accepted line, with the line numbers of the blocks around it, outermost first.

    A tuple, because a site has a million of them, and a frozen dataclass takes four times as long.
    """

    line: int
    text: str
    match: Match
    blocks: tuple[int, ...]

    @property
    def pattern(self) -> str:
        """The grammar's line that took it."""
        return self.match.command.pattern if self.match.command else ""

    @property
    def words(self) -> list[str]:
        """The words of the line."""
        return self.text.split()

    def refused(self, why: str) -> GrammarProblem:
        """The problem that this line has."""
        return GrammarProblem(self.line, self.text, why)


@dataclass(frozen=True)
class Block:
    """An open block: the context inside it (none if its line was refused).

    `lines` are those that opened it and the blocks around it, outermost first.
    """

    context: str | None
    lines: tuple[int, ...]


def form(raw: str, spaces: int, indent: int, depth: int) -> str:
    """What is wrong with the outer form of a line behind `spaces` inside `depth` open blocks.

    Empty if nothing.
    """
    if raw[-1].isspace() or "\t" in raw:
        return "white space that no running configuration has"
    if spaces % indent:
        return f"indented by {spaces}, not by a multiple of {indent}"
    if spaces // indent > depth:
        return "indented, but the line above opens no block"
    return ""


def read(line: str, block: Block, grammar: Grammar) -> Match:
    """Read a line in a block."""
    if block.context is None:
        return Match(None, why="stands in a block that was refused")
    return grammar.match(block.context, line)


def walk(grammar: Grammar, text: str) -> Iterator[Seen | GrammarProblem]:
    """Every line of a configuration but the comments: accepted, or refused with the reason."""
    stack = [Block("root", ())]
    for number, raw in enumerate(text.split("\n"), 1):
        behind, line = raw.lstrip(" "), raw.strip()
        if not line or behind[0] == "!":
            continue
        spaces = len(raw) - len(behind)
        if wrong := form(raw, spaces, grammar.indent, len(stack) - 1):
            yield GrammarProblem(number, line, wrong)
            continue
        del stack[spaces // grammar.indent + 1 :]
        block = stack[-1]
        found = read(line, block, grammar)
        if found.command is None:
            stack.append(Block(None, (*block.lines, number)))
            yield GrammarProblem(number, line, found.why)
            continue
        yield Seen(number, line, found, block.lines)
        if found.command.opens:
            stack.append(Block(found.command.opens, (*block.lines, number)))
