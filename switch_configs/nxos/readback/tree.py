"""Lines of a configuration by their indentation, as NX-OS nests them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_PROMPT = re.compile(r"[A-Za-z][\w.-]*(?:\([\w-]+\))?# ?(.*)")
_CONFIGURATION = re.compile(r"sh(?:ow)? (?:run|start)|ter(?:minal)? ")
_PLACE = re.compile(r"^(interface [A-Za-z-]+) (\d[\d/.-]*)$")
_BANNER = re.compile(r"banner (?:motd|exec) (\S)(.*)")
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
    path: str = ""
    children: list[Node] = field(default_factory=list)

    def rest(self, count: int) -> str:
        """What follows the first `count` words, with its blanks as they are."""
        return self.text.split(maxsplit=count)[count] if len(self.words) > count else ""

    def paths(self) -> Iterator[str]:
        """Where it stands, and all below it in their order."""
        yield self.path
        for node in self.children:
            yield from node.paths()

    def astray(self) -> Iterator[Node]:
        """Lines below a line that opens no block."""
        opens = any(tuple(self.words[: len(one)]) == one for one in _BLOCKS)
        for node in self.children:
            if not opens:
                yield node
            yield from node.astray()


def parse(text: str) -> list[Node]:
    """The lines that begin a block or stand alone; comments and empty lines are no lines.

    Nor are prompts, and what a terminal kept of other commands than that of the configuration. The
    lines of a banner are its own, whatever they look like.
    """
    root = Node("", [])
    opened: list[tuple[int, Node]] = [(-1, root)]
    banner: tuple[Node, str] | None = None
    is_other = False
    for raw in text.removeprefix("\ufeff").splitlines():
        line = raw.strip()
        prompt = _PROMPT.fullmatch(raw.rstrip())
        if banner is not None:
            banner[0].children += [Node(line, [], f"{banner[0].path} / {line}")] if line else []
            banner = None if banner[1] in line else banner
            continue
        if prompt:
            is_other = bool(prompt[1]) and not _CONFIGURATION.match(prompt[1])
        if prompt or is_other or not line or line.startswith("!"):
            continue
        indent = len(raw) - len(raw.lstrip())
        while len(opened) > 1 and opened[-1][0] >= indent:
            opened.pop()
        above = opened[-1][1]
        here = _PLACE.sub(r"\1\2", " ".join(line.split()))
        node = Node(line, line.split(), f"{above.path} / {here}" if above.path else here)
        above.children.append(node)
        opened.append((indent, node))
        said = _BANNER.fullmatch(line)
        banner = (node, said[1]) if said and said[1] not in said[2] else None
    return root.children


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
