"""Command lines by how deep they stand, and policies of BGP: what EOS, NX-OS and FRR share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Line:
    """A command, split at blanks, and those below it."""

    words: list[str]
    below: list[Line] = field(default_factory=list)

    @property
    def said(self) -> str:
        """The words again."""
        return " ".join(self.words)

    def after(self, words: str) -> list[str]:
        """Rests of commands below that begin with these words, in their order."""
        start = words.split()
        count = len(start)
        return [" ".join(one.words[count:]) for one in self.below if one.words[:count] == start]

    def last(self, words: str) -> str | None:
        """The rest of the last of them: a later command wins."""
        found = self.after(words)
        return found[-1] if found else None

    def blocks(self, words: str) -> Iterator[tuple[str, Line]]:
        """Commands that begin with these words, each name once, with all that is below it."""
        found: dict[str, Line] = {}
        for one in self.below:
            if one.words[: len(words.split())] == words.split():
                name = " ".join(one.words[len(words.split()) :])
                found.setdefault(name, Line(one.words)).below.extend(one.below)
        yield from found.items()


def tree(text: str, comment: str = "!") -> Line:
    """The lines of a text below each other. A `!` is a comment, and leaves no mode."""
    root = Line([])
    above: list[tuple[int, Line]] = [(-1, root)]
    for raw in text.splitlines():
        if not raw.strip() or raw.lstrip().startswith(comment):
            continue
        deep = len(raw) - len(raw.lstrip())
        above = [one for one in above if one[0] < deep] or [(-1, root)]
        line = Line(raw.split())
        above[-1][1].below.append(line)
        above.append((deep, line))
    return root
