"""The plain part of YAML that NVUE writes, read line by line: block mappings of plain words.

Many times faster than a whole YAML reader, and it sees keys that are there twice. Whatever it is
not sure of it leaves to that reader: YAML 1.2, chapters 7.3 (plain scalars) and 8.2.
"""

from __future__ import annotations

import re
from typing import Any

_WORD = r"[A-Za-z0-9/_.<$][A-Za-z0-9/_.@+<>$=()-]*(?::[A-Za-z0-9/_.@+<>$=()-]+)*"
_QUOTED = r"'(?:[^']|'')*'"
_LIST = rf"\[{_WORD}(?:, {_WORD})*\]"
_LINE = re.compile(
    rf"(?P<pad> *)(?P<item>- )?(?P<key>{_WORD}|{_QUOTED}):"
    rf"(?: (?P<value>{_WORD}(?: {_WORD})*|{_QUOTED}|\{{\}}|{_LIST}))?"
)


def simple(text: str, twice: list[str]) -> list[Any] | None:
    """A list of mappings; None where a line is none of those that this reads."""
    out: list[Any] = []
    open_at: list[tuple[int, dict[str, Any]]] = []  # open mappings, each with its column
    last: tuple[dict[str, Any], str] | None = None
    for line in text.split("\n"):
        if not line or line.startswith("#"):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        column, item = len(found["pad"]), found["item"]
        if item:
            if column:
                return None
            out.append({})
            open_at, last, column = [(2, out[-1])], None, 2
        at = _mapping(open_at, last, column)
        if at is None:
            return None
        key, value = _text(found["key"]), found["value"]
        if key in at:
            twice.append(key)
        at[key] = {} if value == "{}" else _value(value or "")
        last = (at, key) if value is None else None
    return out


def _mapping(
    open_at: list[tuple[int, dict[str, Any]]],
    last: tuple[dict[str, Any], str] | None,
    column: int,
) -> dict[str, Any] | None:
    """The mapping that a key in this column belongs to; None where the columns do not fit."""
    if not open_at:
        return None
    if column > open_at[-1][0]:
        if last is None:
            return None
        new: dict[str, Any] = {}
        last[0][last[1]] = new
        open_at.append((column, new))
    while open_at and open_at[-1][0] != column:
        open_at.pop()
    return open_at[-1][1] if open_at else None


def _value(word: str) -> str | list[str]:
    return word[1:-1].split(", ") if word.startswith("[") else _text(word)


def _text(word: str) -> str:
    return word[1:-1].replace("''", "'") if word.startswith("'") else word
