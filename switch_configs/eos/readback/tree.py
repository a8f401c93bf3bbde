"""An EOS configuration as a tree: lines by their indentation.

`!` ends a block and begins a comment; neither says anything but where a block ends. Nor does a
prompt say anything, which stands before the command in what a terminal kept. The lines of a
banner or comment are its own: they go on to `EOF`, whatever they look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_PROMPT = re.compile(
    r"[A-Za-z][\w.-]*(?:\([\w.-]+\))?[#>] ?(?:sh(?:ow)? .*|exit|ter(?:minal)? .*)?"
)
_TEXTS = ("banner login", "banner motd", "comment")


@dataclass
class Node:
    """A line and the lines below it; `path` is how a person finds it."""

    text: str
    path: str = ""
    below: list[Node] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """The words of the line."""
        return self.text.split()

    def paths(self) -> Iterator[str]:
        """Where it stands, and all below it."""
        yield self.path
        for node in self.below:
            yield from node.paths()


def tree(text: str) -> list[Node]:
    """The lines of the outermost level, each with its own."""
    root = Node("")
    opened: list[tuple[int, Node]] = [(-1, root)]
    words: Node | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if words is not None and line:
            words.below.append(Node(line, f"{words.path} / {line}"))
            words = None if line == "EOF" else words
            continue
        if not line or line.startswith("!") or line == "end" or _PROMPT.fullmatch(raw):
            continue
        indent = len(raw) - len(raw.lstrip())
        while opened[-1][0] >= indent:
            opened.pop()
        above = opened[-1][1]
        node = Node(line, f"{above.path} / {line}" if above.path else line)
        above.below.append(node)
        words = node if line in _TEXTS else None
        opened.append((indent, node))
    return root.below
