"""Tables as the text of config_db.json, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from typing import Any

from .names import natural

_INDENT = "    "
# Whoever asks first is the site's choice, and nothing else in a row says it.
_IN_THEIR_ORDER = ("NTP_SERVER", "SYSLOG_SERVER")


def text_of(tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """As sonic-cfggen prints it: four blanks, ASCII; here sorted, ports by number.

    Written line by line: Python's own encoder is ten times slower with an indent.
    """
    found = []
    for name, rows in sorted(tables.items()):
        keys = list(rows) if name in _IN_THEIR_ORDER else _sorted(rows)
        found.append(_object(1, name, [_row(key, rows[key]) for key in keys]))
    return _joined(0, found) + "\n"


def _row(key: str, row: Mapping[str, Any]) -> str:
    try:
        inner = _texts(tuple(row.items()))
    except TypeError:  # A list among the values, which no cache can hold.
        inner = _joined(2, [_field(name, row[name]) for name in _sorted(row)])
    return f"{_INDENT * 2}{_quoted(key)}: {inner}"


@lru_cache(maxsize=1 << 14)
def _texts(row: tuple[tuple[str, str], ...]) -> str:
    """Rows of one table, and of switches of one kind, mostly say the same."""
    return _joined(2, [_text(name, value) for name, value in sorted(row, key=_by_name)])


def _by_name(field: tuple[str, str]) -> tuple[tuple[int, int, str], ...]:
    return natural(field[0])


def _field(name: str, value: Any) -> str:
    if isinstance(value, str):
        return _text(name, value)
    inner = json.dumps(value, indent=4).replace("\n", f"\n{_INDENT * 3}")
    return f"{_INDENT * 3}{_quoted(name)}: {inner}"


def _text(name: str, value: str) -> str:
    return f"{_INDENT * 3}{_quoted(name)}: {_quoted(value)}"


def _object(depth: int, key: str, members: list[str]) -> str:
    return f"{_INDENT * depth}{_quoted(key)}: {_joined(depth, members)}"


def _joined(depth: int, members: list[str]) -> str:
    inner = ",\n".join(members)
    return f"{{\n{inner}\n{_INDENT * depth}}}" if members else "{}"


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names, key=natural)


def parsed(text: str) -> dict[str, Any] | None:
    """The object of a text; None when it is no JSON object, or says a key twice."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def last_said(text: str) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """The object as SONiC's json.load takes it, the last of each name; and the names said twice."""
    twice: list[str] = []

    def kept(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice.extend(name for name in dict.fromkeys(names) if names.count(name) > 1)
        return dict(pairs)

    try:
        found = json.loads(text, object_pairs_hook=kept)
    except (ValueError, RecursionError):
        return None, ()
    return (found, tuple(twice)) if isinstance(found, dict) else (None, ())


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found
