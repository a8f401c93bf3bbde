"""Lines of a configuration by their indentation, as NX-OS nests them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

# What opens a block. A line below any other is one that no reader would look at.
_BLOCKS = (
    ("aaa", "group"), ("address-family",), ("class",), ("class-map",), ("hsrp",), ("interface",),
    ("ip", "access-list"), ("ipv6", "access-list"), ("line", "vty"), ("neighbor",),
    ("policy-map",), ("route-map",), ("router",), ("system", "qos"), ("template",),
    ("vlan",), ("vpc", "domain"), ("vrf",),
)  # fmt: skip


@dataclass
class Node:
    """A line, the words of it, and the lines below it."""

    text: str
    words: list[str]
    children: list[Node] = field(default_factory=list)

    def rest(self, count: int) -> str:
        """What follows the first `count` words, with its blanks as they are."""
        return self.text.split(maxsplit=count)[count] if len(self.words) > count else ""

    def below(self) -> Iterator[Node]:
        """All lines below it, in their order."""
        for one in self.children:
            yield one
            yield from one.below()

    def astray(self) -> Iterator[Node]:
        """Lines below a line that opens no block."""
        opens = any(tuple(self.words[: len(one)]) == one for one in _BLOCKS)
        for one in self.children:
            if not opens:
                yield one
            yield from one.astray()


def parse(text: str) -> list[Node]:
    """The lines that begin a block or stand alone; comments and empty lines are no lines."""
    top: list[Node] = []
    opened: list[tuple[int, list[Node]]] = [(-1, top)]
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        indent = len(raw) - len(raw.lstrip())
        while len(opened) > 1 and opened[-1][0] >= indent:
            opened.pop()
        node = Node(line, line.split())
        opened[-1][1].append(node)
        opened.append((indent, node.children))
    return top


def number(word: str) -> int | None:
    """A whole number, or None."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 20 else None


def numbers(word: str) -> tuple[int, ...] | None:
    """`1,3-5` as its numbers, or None."""
    out: list[int] = []
    for part in word.split(","):
        first, dash, last = part.partition("-")
        low, high = number(first), number(last) if dash else number(first)
        if low is None or high is None or not low <= high <= 4095:
            return None
        out += range(low, high + 1)
    return tuple(out)
