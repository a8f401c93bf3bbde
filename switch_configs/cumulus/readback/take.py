"""NVUE's YAML read for judging: a tree from which readers take what they understand.

What is left in the tree when all have read is what nobody understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import yaml

from .blocks import simple

Node = dict[str, Any]
_SPAN = re.compile(r"((?:swp\d+s|bond\d+s|swp|bond|vlan)?)(\d+)-(\d+)")
_LISTED = re.compile(
    r"(?:(?:swp\d+s|bond\d+s|swp|bond|vlan)?\d+(?:-\d+)?)(?:,(?:(?:swp\d+s|bond\d+s|swp|bond|vlan)?\d+(?:-\d+)?))*"
)
HERE: Final = object()
_BASE = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_ON, _OFF = {"on", "enabled", "enable", "true", "up"}, {"off", "disabled", "disable", "false"}


class Read(NamedTuple):
    """The header, the tree, and keys that are there twice.

    `plain` is the text with its ranges of keys as they are; None where a whole YAML reader had to
    read it.
    """

    header: Node
    tree: Node
    twice: list[str]
    plain: list[Any] | None = None


def read(text: str) -> Read | None:
    """What a text says; None for what is not NVUE's YAML."""
    twice: list[str] = []
    try:
        parts = plain = simple(text, twice)
        if parts is None:
            twice.clear()
            parts = _load(text, twice)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    if isinstance(parts, dict):
        # A store of configurations keeps the tree alone, without `- set:` above it.
        parts = [parts if {*parts} & {"set", "header"} else {"set": parts}]
    if not isinstance(parts, list) or not all(isinstance(one, dict) for one in parts):
        return None
    header: Node = {}
    tree: Node = {}
    for part in parts:
        for key, value in part.items():
            if key not in ("set", "header") or not isinstance(value, dict):
                return None
            _into(header if key == "header" else tree, value)
    return Read(header, tree, twice, plain)


def _load(text: str, twice: list[str]) -> Any:
    """Texts, mappings and lists: without a resolver `on` stays the word that NVUE means."""

    class Loader(_BASE):  # type: ignore[misc, valid-type] # PyYAML's C loader where it is built
        """Tells of keys that are there twice: NVUE's own reader would keep one of them."""

    def mapping(loader: Any, one: yaml.MappingNode) -> Node:
        keys = [str(loader.construct_object(key, deep=True)) for key, _ in one.value]
        twice.extend(str(key) for at, key in enumerate(keys) if key in keys[:at])
        values = [loader.construct_object(value, deep=True) for _, value in one.value]
        return dict(zip(keys, values, strict=True))

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    return yaml.load(text, Loader=Loader)  # noqa: S506  a base loader makes texts only


def _into(tree: Node, more: Node) -> None:
    """Puts a mapping into a tree; a key that says all by being there gets HERE."""
    for keys, value in more.items():
        for key in _each(str(keys)):
            if value == {}:
                tree.setdefault(key, HERE)
            elif not isinstance(value, dict):
                tree[key] = value
            else:
                if not isinstance(tree.get(key), dict):
                    tree[key] = {}
                _into(tree[key], value)


def _each(keys: str) -> Iterator[str]:
    """`10,20` and `swp1-3` say several keys at once."""
    if not _LISTED.fullmatch(keys):
        yield keys
        return
    stem = ""
    for said in keys.split(","):
        # `vlan10,20` is vlan10 and vlan20
        one = f"{stem}{said}" if said[0].isdigit() else said
        stem = one.split("-")[0].rstrip("0123456789")
        span = _SPAN.fullmatch(one)
        if span:
            yield from (f"{span[1]}{at}" for at in range(int(span[2]), int(span[3]) + 1))
        else:
            yield one


def take(tree: Node, *path: str) -> Any:
    """Takes what is at a path out of the tree, and what is left empty by it; None if absent."""
    key, *rest = path
    if key not in tree or (rest and not isinstance(tree[key], dict)):
        return None
    if not rest:
        return tree.pop(key)
    found = take(tree[key], *rest)
    if found is not None and tree[key] == {}:
        del tree[key]
    return found


def node(tree: Node, *path: str) -> Node:
    """The mapping at a path, left in the tree; an empty one that is in no tree if absent."""
    at: Any = tree
    for key in path:
        at = at.get(key) if isinstance(at, dict) else None
    return at if isinstance(at, dict) else {}


def text(tree: Node, *path: str) -> str | None:
    """Takes a leaf; a mapping in its place stays unread."""
    return take(tree, *path) if isinstance(peek(tree, *path), str) else None


def number(tree: Node, *path: str) -> int | None:
    """Takes a whole number; anything else stays unread."""
    held = peek(tree, *path)
    if isinstance(held, str) and is_whole(held):
        return int(take(tree, *path))
    return None


def is_whole(text: str) -> bool:
    """Whether a text is a whole number that some field could hold."""
    return text.isdecimal() and len(text) < 19


def flag(tree: Node, *path: str) -> bool | None:
    """Takes an on or off, in the words of any release; any other word stays unread."""
    held = peek(tree, *path)
    if isinstance(held, str) and (held in _ON or held in _OFF):
        return take(tree, *path) in _ON
    return None


def enabled(tree: Node, *path: str) -> bool | None:
    """Takes `enable` or `state`, as releases call it."""
    old, new = flag(tree, *path, "enable"), flag(tree, *path, "state")
    return old if new is None else new


def here(tree: Node, *path: str) -> bool:
    """Takes a key that says by being there."""
    if peek(tree, *path) is not HERE:
        return False
    take(tree, *path)
    return True


def peek(tree: Node, *path: str) -> Any:
    """What is at a path, left where it is."""
    at: Any = tree
    for key in path:
        if not isinstance(at, dict) or key not in at:
            return None
        at = at[key]
    return at


def left(tree: Node, above: tuple[str, ...] = ()) -> Iterator[str]:
    """A line for each leaf that is still there; mappings that were emptied say nothing."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from left(value, (*above, key))
        else:
            tail = () if value is HERE else (str(value),)
            yield " ".join((*above, key, *tail))
