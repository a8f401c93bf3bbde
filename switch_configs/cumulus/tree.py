"""NVUE's tree: nested mappings whose leaves are texts and numbers.

A key that says all by being there has an empty mapping. Printed with sorted keys, as
`nv config show` does.

Source: NVIDIA Cumulus Linux 5.14, NVUE CLI ("Show Switch Configuration").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

Tree = dict[str, Any]
Leaf = tuple[tuple[str, ...], str | None]


class Listed(str):
    """Words with commas between them, as commands have them, that YAML has as a list."""

    __slots__ = ()


_PIECES = re.compile(r"(\d+)")
# What every YAML loader takes for the text that it is. `on` and `off` are such for NVUE.
_PLAIN = re.compile(r"[A-Za-z/_][A-Za-z0-9_./@+-]*(?:(?: |:)[A-Za-z0-9_./@+-]+)*|[1-9]\d*[GMx]")
_ADDRESS = re.compile(
    r"\d+\.\d+\.\d+\.\d+(?:/\d+)?|[0-9a-f:]*[a-f][0-9a-f:]*::?[0-9a-f:/]*[0-9a-f]"
)
_OTHER_THAN_TEXT = re.compile(r"(?i)y|n|yes|no|true|false|null|~")


def put(tree: Tree, *path: Any, value: Any = None) -> None:
    """Sets a leaf, or makes an empty mapping where no value is given. Keys become texts."""
    *above, last = (one if type(one) is str else str(one) for one in path)
    for key in above:
        below = tree.get(key)
        if below is None:
            below = tree[key] = {}
        tree = below
    if value is None:
        tree.setdefault(last, {})
    else:
        tree[last] = value


@cache
def natural(key: str) -> tuple[tuple[bool, int, str], ...]:
    """The order of keys: swp2 before swp10, 9 before 10."""
    pieces = (one for one in _PIECES.split(key) if one)
    return tuple((not one.isdecimal(), int(one) if one.isdecimal() else 0, one) for one in pieces)


@lru_cache(maxsize=1 << 14)
def _ordered(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Keys, sorted; most ports have the same ones."""
    return tuple(sorted(keys, key=natural))


def emit(tree: Tree, indent: int = 0) -> list[str]:
    """The lines of a tree, keys sorted."""
    out: list[str] = []
    _emit(tree, " " * indent, out)
    return out


def _emit(tree: Tree, pad: str, out: list[str]) -> None:
    for key in _ordered(tuple(tree)):
        value = tree[key]
        if not isinstance(value, dict):
            text = _list_text(value) if isinstance(value, Listed) else value_text(value)
            out.append(f"{pad}{key_text(key)}: {text}")
        elif value:
            out.append(f"{pad}{key_text(key)}:")
            _emit(value, pad + "  ", out)
        else:
            out.append(f"{pad}{key_text(key)}: {{}}")


def _list_text(value: Listed) -> str:
    return f"[{', '.join(map(value_text, value.split(',')))}]"


@cache
def key_text(key: str) -> str:
    """A key as YAML; numbers are quoted, because NVUE's keys are texts."""
    return f"'{key}'" if key.isdigit() else value_text(key)


@cache
def value_text(value: str | int) -> str:
    """A leaf as YAML that any loader reads as the same text or number."""
    if isinstance(value, int):
        return str(value)
    plain = _PLAIN.fullmatch(value) and not _OTHER_THAN_TEXT.fullmatch(value)
    if plain or _ADDRESS.fullmatch(value):
        return value
    return "'" + value.replace("'", "''") + "'"


def paths(
    tree: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str | None]]:
    """Every leaf with its path, sorted; an empty mapping is a leaf without a value."""
    for key in sorted(tree, key=natural):
        value = tree[key]
        if not isinstance(value, dict):
            yield (*above, key), value if isinstance(value, str) else str(value)
        elif value:
            yield from paths(value, (*above, key))
        else:
            yield (*above, key), None
