"""Two trees (JSON or YAML): what was added, taken away or changed, by its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import yaml

from inventory.own_yaml import LOADER
from switch_configs.shown.foreign import Chain

from .line import Line, Section

_SECRET = re.compile(
    r"(?i).*(password|passwd|passkey|passphrase|secret|auth[_-]?key|priv[_-]?key)"
    r"|auth-(md5|sha)|encrypt-(des|aes)"
)
# A section is a table and a row in SONiC, a branch and a twig in NVUE.
_DEPTH = 2


class _Words(LOADER):  # type: ignore[misc, valid-type] # PyYAML's C loader where it is built
    """Plain words: `on` and `off` are words of NVUE, and no truth values."""


_Words.yaml_implicit_resolvers = {}


def sections(before: str, after: str) -> Iterator[Section]:
    """Places of two levels, with the leaves below that differ. Text that is no tree is a leaf."""
    old, new = dict(_leaves(_read(before), ())), dict(_leaves(_read(after), ()))
    differ = sorted(path for path in {*old, *new} if old.get(path) != new.get(path))
    for where, paths in groupby(differ, key=lambda path: path[:_DEPTH]):
        yield where, tuple(line for path in paths for line in _lines(path, old, new))


def chains(text: str) -> Iterator[Chain]:
    """Each leaf, under the keys that it stands in."""
    for path, value in _leaves(_read(text), ()):
        yield (*path, value)


def secrets(text: str) -> list[str]:
    """The values at places that are a secret's, sorted."""
    return sorted(map(repr, _hidden(_read(text), ())))


def _hidden(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _hidden(one, (*path, str(key)))
    elif any(_SECRET.fullmatch(one) for one in path):
        yield path, value


Leaves = dict[tuple[str, ...], str]


def _lines(path: tuple[str, ...], old: Leaves, new: Leaves) -> Iterator[Line]:
    for sign, side in (("-", old), ("+", new)):
        if path in side:
            yield Line(path, sign, (*path, side[path]), min(_DEPTH, len(path)))


def _read(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip().startswith("{") else yaml.load(text, _Words)  # noqa: S506 # a SafeLoader
    except (ValueError, yaml.YAMLError, RecursionError):
        return text


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _leaves(one, (*path, str(key)))
    elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
        # NVUE's file is a list of `set` trees: what is below them matters, their numbers do not.
        for one in value:
            yield from _leaves(one.get("set", one) if isinstance(one, dict) else one, path)
    elif path and _SECRET.fullmatch(path[-1]):
        # Systems encode them each time anew: that there is one is all that can be compared.
        yield path, "(not shown)"
    elif value is not None or path:
        yield path, json.dumps(value, ensure_ascii=False, sort_keys=True)
