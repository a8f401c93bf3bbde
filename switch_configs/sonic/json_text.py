"""Tables as the text of config_db.json, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .names import natural

# Whoever asks first is the site's choice, and nothing else in a row says it.
_IN_THEIR_ORDER = ("NTP_SERVER", "SYSLOG_SERVER")


def text_of(tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """As sonic-cfggen prints it: four blanks, ASCII; here sorted, ports by number."""
    out = {
        name: {
            key: {field: row[field] for field in sorted(row, key=natural)}
            for key, row in (
                rows.items()
                if name in _IN_THEIR_ORDER
                else sorted(rows.items(), key=lambda one: natural(one[0]))
            )
        }
        for name, rows in sorted(tables.items())
    }
    return json.dumps(out, indent=4) + "\n"


def parsed(text: str) -> dict[str, Any] | None:
    """The object of a text; None when it is no JSON object, or says a key twice."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found
