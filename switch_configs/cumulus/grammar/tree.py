"""The object tree of NVUE, made of one line a path, and the walk of one command through it.

A line reads as `nv list-commands` prints it, and ends in one of two ways:

    qos pfc <name> cable-length 1-100000         a leaf, with what it may be
    qos pfc <name> switch-priority <priorities> {}   an object: it may stand with nothing below it

Words in brackets in the middle stand for one line each: `qos pfc <name> (tx|rx) (enable|disable)`.
`{on}` stands for `(on|off)` and, from 5.15 on, `(enabled|disabled)`; `{enable}` for
`enable (on|off)` and, from 5.15 on, `state (enabled|disabled)`. A mark at the end says the
releases where the line holds: `@5.15-`, `@-5.14`.

`nv set` and startup.yaml are two spellings of this tree: `cable-length 40` is
`cable-length: 40`, `switch-priority 3` is `switch-priority: {3: {}}`, and so is `state up`
`state: {up: {}}` (content/cumulus-linux-514/Layer-2/Virtual-Router-Redundancy-VRR.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product

from .kinds import Kind, is_range, kind
from .releases import RELEASES, releases_of

ALL = frozenset(RELEASES)
MARK = re.compile(r"\s*@(?P<releases>[\d.]*-[\d.]*)\s*$")
BRACKET = re.compile(r"\([^()]+\)")
WORD = re.compile(r"[A-Za-z0-9][\w.-]*|/")
MACROS = {
    "{on}": (("(on|off)", "-5.14"), ("(enabled|disabled)", "5.15-")),
    "{enable}": (("enable (on|off)", "-5.14"), ("state (enabled|disabled)", "5.15-")),
}
MAX_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Group:
    """Paths that one page describes; `under` is what each line starts with (marks allowed)."""

    page: str
    lines: str
    under: tuple[str, ...] = ("",)


@dataclass(frozen=True, slots=True)
class Path:
    """One line of the grammar, with nothing left to expand."""

    tokens: tuple[str, ...]
    ends: bool
    releases: frozenset[str]
    page: str


@dataclass(slots=True, eq=False)
class Node:
    """What may follow: fixed words, kinds of names, and what a leaf here may be.

    Two nodes are never the same one, so that what follows them can be remembered.
    """

    words: dict[str, Node] = field(default_factory=dict)
    kinds: dict[str, Node] = field(default_factory=dict)
    values: dict[str, Kind] = field(default_factory=dict)
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One command, without `nv set`; `leaf` is None where the spelling does not tell (nv set)."""

    line: int
    words: tuple[str, ...]
    leaf: bool | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """How far a command came: `leaf` says what it set; `why` is empty when it is allowed."""

    leaf: bool
    why: str = ""
    depth: int = 0


def marked(text: str) -> tuple[str, frozenset[str]]:
    """A line and the releases of its mark. Raises ValueError for a mark that is none."""
    found = MARK.search(text)
    return (text[: found.start()], releases_of(found["releases"])) if found else (text, ALL)


def spelled(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """A line for each release range of its macros."""
    for macro, meanings in MACROS.items():
        if macro in text:
            for words, mark in meanings:
                yield text.replace(macro, words), releases_of(mark)
            return
    yield text, ALL


def one_each(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    """The line for each word of the brackets that stand before its last token."""
    yield from product(
        *(token[1:-1].split("|") if BRACKET.fullmatch(token) else [token] for token in tokens)
    )


def paths_of(group: Group) -> Iterator[Path]:
    """Every path of a group. Raises ValueError for a line that cannot be read."""
    for prefix in group.under:
        start, start_releases = marked(prefix)
        for line in filter(None, map(str.strip, group.lines.splitlines())):
            rest, own_releases = marked(line)
            for text, macro_releases in spelled(f"{start} {rest}"):
                releases = start_releases & own_releases & macro_releases
                if not releases:
                    continue
                tokens = text.split()
                ends = tokens[-1] == "{}"
                keys, last = (tokens[:-1], ()) if ends else (tokens[:-1], (tokens[-1],))
                for words in one_each(keys):
                    yield Path((*words, *last), ends, releases, group.page)


def add(root: Node, path: Path) -> None:
    """Put a path into the tree. Raises ValueError for a leaf or word that cannot be read."""
    node = root
    keys = path.tokens if path.ends else path.tokens[:-1]
    for token in keys:
        if token.startswith("<") or is_range(token):
            kind(token)
            node = node.kinds.setdefault(token, Node())
        elif WORD.fullmatch(token):
            node = node.words.setdefault(token, Node())
        else:
            raise ValueError(f"not a word of NVUE: {token} in {' '.join(path.tokens)}")
    if path.ends:
        node.ends = True
    else:
        node.values[path.tokens[-1]] = kind(path.tokens[-1])


def tree_of(paths: tuple[Path, ...], release: str) -> Node:
    """The tree of one release."""
    root = Node()
    for path in paths:
        if release in path.releases:
            add(root, path)
    return root


def next_nodes(nodes: list[Node], word: str) -> list[Node]:
    """Where a word leads as a key; a fixed word and a name may both fit."""
    found = []
    for node in nodes:
        if word in node.words:
            found.append(node.words[word])
        found += [child for token, child in node.kinds.items() if kind(token).accepts(word)]
    return found


# Where the paths of some hundred ports lead, each looked up once: switches say much alike.
@lru_cache(maxsize=1 << 16)
def reached(root: Node, words: tuple[str, ...]) -> tuple[Node, ...]:
    """Where keys lead from a root; empty where one of them cannot stand."""
    if not words:
        return (root,)
    return tuple(next_nodes(list(reached(root, words[:-1])), words[-1]))


SET = Walk(leaf=True)
MADE = Walk(leaf=False)


def walk(root: Node, command: Command) -> Walk:
    """Follow a command through the tree."""
    return walked(root, command.words, command.leaf) or why_not(root, command)


@lru_cache(maxsize=1 << 16)
def walked(root: Node, words: tuple[str, ...], leaf: bool | None) -> Walk | None:
    """What a path sets or makes; None where it may not stand."""
    if words:
        if leaf is not False and is_value(reached(root, words[:-1]), words[-1]):
            return SET
        if not leaf and any(node.ends for node in reached(root, words)):
            return MADE
    return None


def why_not(root: Node, command: Command) -> Walk:
    """How far a command came that is not allowed, and why."""
    nodes = [root]
    for depth, word in enumerate(command.words):
        following = next_nodes(nodes, word)
        if not following or (depth == len(command.words) - 1 and command.leaf):
            return Walk(leaf=False, why=refused(nodes, command, depth), depth=depth)
        nodes = following
    return Walk(leaf=False, why=too_short(nodes, command), depth=len(command.words))


def is_value(nodes: Sequence[Node], word: str) -> bool:
    """Whether a word is a leaf's value here."""
    return any(one.accepts(word) for node in nodes for one in node.values.values())


def expected(nodes: list[Node]) -> str:
    """What may stand here, at most a dozen of them."""
    words = sorted({word for node in nodes for word in node.words})
    kinds = sorted({kind(token).shown for node in nodes for token in node.kinds})
    values = [one.shown for node in nodes for one in node.values.values()]
    found = list(dict.fromkeys((*values, *kinds, *words)))
    more = f", and {len(found) - MAX_SHOWN} more" if len(found) > MAX_SHOWN else ""
    return ", ".join(found[:MAX_SHOWN]) + more


def refused(nodes: list[Node], command: Command, depth: int) -> str:
    """Why a word cannot stand where it does."""
    before, word = " ".join(command.words[:depth]), said(command, depth)
    takes = expected(nodes)
    if not takes:
        return f"nothing stands after `{before}`, but here is {word}"
    if command.leaf is False and is_value(nodes, command.words[depth]):
        return f"`{before}` takes one value, and {word} stands here as an object"
    if command.leaf and next_nodes(nodes, command.words[depth]):
        return f"`{before}` takes objects ({word}: {{}}), not one value"
    start = f"`{before}` takes" if before else "a command starts with"
    return f"{start} {takes}, not {word}"


def said(command: Command, depth: int) -> str:
    """A word as a message may say it: what could be a secret is not repeated."""
    return f"`{masked(command.words)[depth]}`"


def too_short(nodes: list[Node], command: Command) -> str:
    """Why a command cannot end where it does."""
    return f"`{' '.join(masked(command.words))}` ends too soon: {expected(nodes)} must follow"


SECRET_WORDS = {
    "secret", "password", "hashed-password", "auth-md5", "auth-sha", "encrypt-aes", "encrypt-des",
    "readonly-community", "readonly-community-v6", "community-password", "md5-key",
}  # fmt: skip


def masked(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, with *** for whatever stands where a secret does."""
    return tuple(
        "***" if depth and words[depth - 1] in SECRET_WORDS and not word.startswith("<<") else word
        for depth, word in enumerate(words)
    )
