"""A grammar as text: contexts, and in each one command a line; read once, then a line is matched.

    = Vendor page that the commands below come from
    [port < l3 qos-port]                  a context; it has the commands of l3 and qos-port too
    mtu <68-9214>                         a word of that kind (words.py)
    [no] shutdown                         optional
    switchport mode (access|trunk)        one of these
    match dscp <0-63>+                    one or more
    qos profile <name=qos-profile> -> profile      names a thing, and opens a block
    service-profile <name@qos-profile>    refers to a thing of that name
    router bgp <1-4294967295> -> bgp needs bgp     refused unless `feature bgp` stands above

Where a keyword fits, a word of some kind is not tried: that is how the command lines of both
systems read. All parse errors of a grammar are errors of ours and raise `ValueError`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from .words import SECRET, Word, word

# Kinds of words that only one system has, by name.
Words = Mapping[str, Word]

PIECE = re.compile(r"<[^<>]+>\+?|[\[\]()|]|[^\s\[\]()|<>]+")
TAIL = re.compile(r"\s+(?:->\s+(?P<opens>\S+))?\s*(?:needs\s+(?P<needs>\S.*))?$")
HEAD = re.compile(r"\[([\w-]+)(?: <((?: [\w-]+)+))?\]")
ASSIGNED = re.compile(r"<([^=@<>]+)(?:([=@])([\w-]+))?>\+?")
SHOWN_EXPECTATIONS = 6
HOLDS_SECRET = re.compile(SECRET)
TOKENS = re.compile(r"\S+")


@dataclass(frozen=True)
class Named:
    """A thing that a line defines (`=`) or refers to (`@`)."""

    role: str
    kind: str
    name: str


@dataclass(frozen=True)
class Command:
    """What a whole line is: its pattern, the block it opens, the feature that it needs."""

    pattern: str
    opens: str = ""
    needs: str = ""


@dataclass(frozen=True, eq=False)
class Typed:
    """An edge that any fitting word may take."""

    word: Word
    role: str
    kind: str
    many: bool
    node: Node


@dataclass(eq=False)
class Node:
    """A place within commands: what may come next, and whether the line may end."""

    keywords: dict[str, Node] = field(default_factory=dict)
    typed: list[Typed] = field(default_factory=list)
    command: Command | None = None

    def after(self, piece: str, own: Words) -> Node:
        """The node behind a keyword or a `<kind>`, made if it is not there."""
        if not piece.startswith("<"):
            return self.keywords.setdefault(piece, Node())
        parts = ASSIGNED.fullmatch(piece)
        if parts is None:
            raise ValueError(f"not a kind of word: {piece}")
        kind = own[parts[1]] if parts[1] in own else word(parts[1])
        key = (kind, parts[2] or "", parts[3] or "", piece.endswith("+"))
        for edge in self.typed:
            if (edge.word, edge.role, edge.kind, edge.many) == key:
                return edge.node
        new = Typed(*key, Node())
        self.typed.append(new)
        if new.many:
            new.node.typed.append(new)
        return new.node


@dataclass(frozen=True)
class Match:
    """How a line was read: its command, or why it is refused."""

    command: Command | None
    names: tuple[Named, ...] = ()
    why: str = ""


@dataclass(frozen=True, eq=False)
class Grammar:
    """The contexts of a system by name; `root` is where a configuration begins."""

    indent: int
    contexts: dict[str, Node]

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - a grammar lives as long as the program
    def match(self, context: str, line: str) -> Match:
        """Read one line, without its indentation, in a context."""
        return match(self.contexts[context], line)


def sequence(pieces: list[str], nodes: list[Node], own: Words) -> list[Node]:
    """The nodes behind a sequence; consumes the pieces up to `)`, `]` or `|`."""
    while pieces and pieces[0] not in {")", "]", "|"}:
        piece = pieces.pop(0)
        if piece in {"(", "["}:
            behind = alternatives(pieces, nodes, ")" if piece == "(" else "]", own)
            nodes = behind if piece == "(" else [*nodes, *behind]
        else:
            nodes = list(dict.fromkeys(node.after(piece, own) for node in nodes))
    return nodes


def alternatives(pieces: list[str], nodes: list[Node], closing: str, own: Words) -> list[Node]:
    """The nodes behind any of the alternatives, up to the closing bracket."""
    behind: list[Node] = []
    while pieces:
        behind += sequence(pieces, nodes, own)
        end = pieces.pop(0) if pieces else ""
        if end == closing:
            return list(dict.fromkeys(behind))
        if end != "|":
            break
    raise ValueError(f"no {closing}")


def add(root: Node, line: str, own: Words) -> None:
    """Add one command line of a grammar to its context."""
    tail = TAIL.search(line)
    pattern = line[: tail.start()].strip() if tail else line.strip()
    command = Command(pattern, (tail and tail["opens"]) or "", (tail and tail["needs"]) or "")
    pieces = PIECE.findall(pattern)
    if "".join(pieces) != "".join(pattern.split()):
        raise ValueError(f"cannot read: {line}")
    for node in sequence(pieces, [root], own):
        if node.command is None:
            node.command = command
    if pieces:
        raise ValueError(f"cannot read the rest of: {line}")


def sections(text: str) -> dict[str, tuple[tuple[str, ...], list[str]]]:
    """The contexts of a grammar's text: which others each includes, and its own lines."""
    found: dict[str, tuple[tuple[str, ...], list[str]]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith(("#", "= ")):
            continue
        if head := HEAD.fullmatch(line):
            lines = found.setdefault(head[1], (tuple((head[2] or "").split()), []))[1]
        else:
            lines.append(line)
    return found


def lines_of(name: str, found: dict[str, tuple[tuple[str, ...], list[str]]]) -> list[str]:
    """All command lines of a context, those of included ones first."""
    included, own = found[name]
    return [line for other in included for line in lines_of(other, found)] + own


def parse(text: str, indent: int, own: Words = MappingProxyType({})) -> Grammar:
    """Read a grammar; raises ValueError or KeyError where its text is wrong.

    `own` are the kinds of words that only this system has.
    """
    found = sections(text)
    contexts: dict[str, Node] = {}
    for name in found:
        contexts[name] = Node()
        for line in lines_of(name, found):
            add(contexts[name], line, own)
            opens = (TAIL.search(line) or {"opens": None})["opens"]
            if opens and opens not in found:
                raise ValueError(f"{line}: there is no context {opens}")
    return Grammar(indent, contexts)


def steps(node: Node, token: str, rest: str) -> list[tuple[Node, tuple[Named, ...], bool]]:
    """Where one word leads from a node: the next node, what is named, whether all is taken."""
    if token in node.keywords:
        return [(node.keywords[token], (), False)]
    return [
        (
            edge.node,
            (Named(edge.role, edge.kind, token),) if edge.role else (),
            edge.word.rest,
        )
        for edge in node.typed
        if edge.word.fits(rest if edge.word.rest else token)
        if not (edge.word.rest and HOLDS_SECRET.search(rest))
    ]


def expected(nodes: list[Node]) -> str:
    """What may stand at a place, in words."""
    keywords = sorted({key for node in nodes for key in node.keywords})
    shown_words = {edge.word.shown for node in nodes for edge in node.typed}
    kinds = sorted(name if name.startswith("<") else f"<{name}>" for name in shown_words)
    ends = ["the end of the line"] if any(node.command for node in nodes) else []
    shown = [*kinds, *keywords]
    cut = shown[:SHOWN_EXPECTATIONS] + (["..."] if len(shown) > SHOWN_EXPECTATIONS else [])
    return " or ".join([*cut, *ends])


def match(root: Node, line: str) -> Match:
    """Read one line from a context's root."""
    alive: list[tuple[Node, tuple[Named, ...]]] = [(root, ())]
    for index, token in enumerate(TOKENS.finditer(line)):
        behind: list[tuple[Node, tuple[Named, ...]]] = []
        for node, names in alive:
            for next_, named, rest in steps(node, token[0], line[token.start() :]):
                if rest and next_.command:
                    return Match(next_.command, names + named)
                behind.append((next_, names + named))
        if not behind:
            if not index:
                return Match(None, why=f"no command here begins with {token[0]!r}")
            wanted = expected([node for node, _ in alive])
            return Match(None, why=f"{token[0]!r}: expected {wanted}")
        alive = behind
    for node, names in alive:
        if node.command:
            return Match(node.command, names)
    return Match(None, why=f"incomplete: expected {expected([node for node, _ in alive])}")
