"""An EOS configuration as a tree: lines by their indentation.

`!` ends a block and begins a comment; neither says anything but where a block ends.
"""

from __future__ import annotations

from dataclasses import dataclass, field


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


def tree(text: str) -> list[Node]:
    """The lines of the outermost level, each with its own."""
    root = Node("")
    opened: list[tuple[int, Node]] = [(-1, root)]
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!") or line == "end":
            continue
        indent = len(raw) - len(raw.lstrip())
        while opened[-1][0] >= indent:
            opened.pop()
        above = opened[-1][1]
        node = Node(line, f"{above.path} / {line}" if above.path else line)
        above.below.append(node)
        opened.append((indent, node))
    return root.below
