"""Where a text says what: each line with the lines that it stands in, whatever the language.

Indentation makes the tree of most languages, and of JSON and YAML as programs print them; a line of
commands that say their whole path stands in none. A port that only names a profile is followed to
it: a name at the end of one line that is the head of another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from switch_configs.shown.unread import SHARED

_WORDS = re.compile(r"""[^\s"'{}\[\],|;=]+""")
_PARTS = re.compile(r"[a-z]+|[0-9]+")
_COMMENT = re.compile(r"\s*(?:[!#}\]]|-{3}|$)")
# A name of several ports, `swp1-8`.
_SPAN = re.compile(r"(.*?)([0-9]+)-(?:\D*?)([0-9]+)")
_NUMBERED = re.compile(r"(.*?)([0-9]+)")
# How far names are followed: port, policy, class, map.
_MOST_NAMES = 4
# Names stand among the last words of a line.
_LAST = 4
_NO_NAMES = SHARED - {"up", "down", "user", "line", "class", "tag"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its place as `file:line`, its words, and the index of the line that it stands in."""

    place: str
    words: tuple[str, ...]
    parent: int | None
    depth: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked for: any of these lists of parts of words, and best a line of these values."""

    topics: tuple[tuple[str, ...], ...]
    values: frozenset[str]


class Outline:
    """The lines of all files of a switch."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.lines: list[Line] = []
        self._heads: list[bool] = []
        self._paths: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        for file, text in sorted(texts.items()):
            self._read(file, text)

    def _read(self, file: str, text: str) -> None:
        above: list[tuple[int, int]] = []
        for number, line in enumerate(text.splitlines(), start=1):
            if _COMMENT.match(line):
                continue
            depth = len(line) - len(line.lstrip(" \t"))
            while above and above[-1][0] >= depth:
                above.pop()
            parent = above[-1][1] if above else None
            if parent is not None:
                self._heads[parent] = True
            above.append((depth, len(self.lines)))
            words = tuple(word.rstrip(":") or word for word in _WORDS.findall(line))
            self.lines.append(Line(f"{file}:{number}", words, parent, depth))
            self._heads.append(False)

    @cached_property
    def _by_word(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self.lines):
            for word in set(line.words):
                found[word].append(at)
        return found

    @cached_property
    def _by_part(self) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for at, own in enumerate(self._own):
            for part in own:
                found[part].append(at)
        return found

    @cached_property
    def _spans(self) -> tuple[tuple[int, str, int, int], ...]:
        return tuple(
            (at, match[1], int(match[2]), int(match[3]))
            for at, line in enumerate(self.lines)
            for word in line.words
            if len(word) < 100 and (match := _SPAN.fullmatch(word))
        )

    def named(self, name: str) -> Sequence[int]:
        """The lines that have this name as a word, or in a span of names."""
        exact = self._by_word.get(name, ())
        number = _NUMBERED.fullmatch(name)
        if exact or number is None:
            return exact
        among = (number[1], int(number[2]))
        return [
            at for at, to, low, high in self._spans if to == among[0] and low <= among[1] <= high
        ]

    def head(self, name: str) -> str:
        """The place of the first line that has this name and others in it; "" where none has it."""
        found = self.named(name)
        heads = [at for at in found if self._heads[at]] or found
        return self.lines[heads[0]].place if heads else ""

    def below(self, at: int) -> Iterator[int]:
        """A line and all that stand in it."""
        yield at
        depth = self.lines[at].depth
        if not self._heads[at]:
            return
        file = self.lines[at].place.rpartition(":")[0]
        for one in range(at + 1, len(self.lines)):
            line = self.lines[one]
            if line.depth <= depth or line.place.rpartition(":")[0] != file:
                return
            yield one

    def speaks(
        self, name: str, topics: Iterable[str], values: Iterable[str] = (), *, follow: bool = True
    ) -> list[str]:
        """Places in the scope of a name that speak of a topic, the best first; no name, anywhere.

        A topic is words of which every one stands in a line or above it, and one in the line.
        With `follow`, what stands under names that the scope refers to counts too.
        """
        asked = _Asked(tuple(tuple(parts([one])) for one in topics), frozenset(values))
        if not name:
            return self._best([self._anywhere(asked)], asked, ())
        scopes = self._scopes(name, _MOST_NAMES if follow else 1)
        return self._best(scopes, asked, self.named(name))

    def _scopes(self, name: str, most: int) -> Iterator[list[int]]:
        """The lines of a thing, then those of what it names, and so on."""
        starts, seen = list(self.named(name)), set[int]()
        for _ in range(most):
            below = (one for start in starts for one in self.below(start) if one not in seen)
            scope = list(dict.fromkeys(below))
            if not scope:
                return
            seen.update(scope)
            yield scope
            named = {word for one in scope for word in self.lines[one].words[-_LAST:]} - {name}
            named -= _NO_NAMES
            starts = [one for word in sorted(named) for one in self._defined(word, seen)]

    def _defined(self, word: str, seen: Collection[int]) -> Iterator[int]:
        if not word.isdecimal():
            for at in self._by_word.get(word, ()):
                words = self.lines[at].words
                if at not in seen and (self._heads[at] or word not in (words[0], words[-1])):
                    yield at

    def _anywhere(self, asked: _Asked) -> list[int]:
        heads = {part for topic in asked.topics for part in topic} | asked.values
        return sorted({at for part in heads for at in self._by_part.get(part, ())})

    def _best(
        self, scopes: Iterable[list[int]], asked: _Asked, starts: Collection[int]
    ) -> list[str]:
        found = []
        any_part = frozenset(part for topic in asked.topics for part in topic)
        for away, scope in enumerate(scopes):
            for at in scope:
                own, mine = self._own[at], asked.values.intersection(self.lines[at].words)
                if any_part.isdisjoint(own) and not mine and at not in starts:
                    continue
                path, words = self._path(at)
                values = 2 * len(mine) + len(asked.values & words)
                for rank, topic in enumerate(asked.topics):
                    inside = sum(part in own for part in topic)
                    if path.issuperset(topic) and (inside or mine or at in starts):
                        found.append((-values, rank, away, -inside, at))
                        break
        return [self.lines[at].place for *_, at in sorted(found)]

    @cached_property
    def _own(self) -> Sequence[frozenset[str]]:
        return [parts(line.words) for line in self.lines]

    def _path(self, at: int) -> tuple[frozenset[str], frozenset[str]]:
        """Parts of its own words and of all words above it too, and those words themselves."""
        chain, above = list[int](), at
        while above not in self._paths:
            chain.append(above)
            parent = self.lines[above].parent
            if parent is None:
                break
            above = parent
        parts_, words = self._paths.get(above, (frozenset[str](), frozenset[str]()))
        for one in reversed(chain):
            parts_, words = parts_ | self._own[one], words.union(self.lines[one].words)
            self._paths[one] = parts_, words
        return self._paths[at]


def parts(words: Iterable[str]) -> frozenset[str]:
    """Letters and numbers of words apart, in small letters: dscp, to, tc, map."""
    return frozenset(part for word in words for part in _PARTS.findall(word.lower()))
