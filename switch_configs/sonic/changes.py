"""What a change of CONFIG_DB takes: rows that daemons follow as they run, or a reload.

`followed.py` says which. `config apply-patch` is not used: it refuses thresholds of WRED profiles
but those of one name until 202505, and all of them for colours but green after (sonic-utilities,
gcu_field_operation_validators.conf.json), and takes minutes a port (sonic-buildimage #23945).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from switch_configs.described import nothing, with_text
from switch_configs.errors import DialectError
from switch_configs.intent import Impact, Rendered

from .files import CONFIG_DB
from .followed import IN_ASIC, flaps, is_anew, is_followed
from .json_text import parsed, text_of
from .names import natural


@dataclass(frozen=True, slots=True)
class RowChange:
    """Rows to delete, rows to write, and what is to be taken away then, in this order.

    Each is the text of a file: `anew` a row a line; `written` JSON; `gone` a line of a field, or
    `-` for the whole row, and the row. Written first and taken away then, as SONiC's library does
    it (sonic-py-swsssdk, configdb.py, set_entry): a row is never missing meanwhile.
    """

    anew: str
    written: str
    gone: str

    @property
    def files(self) -> dict[str, str]:
        """By how their names end."""
        return {"new": self.anew, "json": self.written, "del": self.gone}


@dataclass(frozen=True, slots=True)
class Rows:
    """There and back."""

    forth: RowChange
    back: RowChange
    in_asic: bool
    """Whether ASIC_DB says if they were taken."""
    impact: Impact

    @property
    def any(self) -> bool:
        """Whether any differs: files may, and rows not."""
        return self.forth != self.back


def rows(old: str, new: str) -> Rows | None:
    """The rows that differ, if daemons follow all of them; None where only a reload helps."""
    before, after = parsed(old), parsed(new)
    if before is None or after is None:
        return None
    keys = list(_differing(before, after))
    if not all(is_followed(*key, *_both(before, after, *key)) for key in keys):
        return None
    in_asic = bool(IN_ASIC & {table for table, _ in keys})
    flap = any(flaps(key[0], *_both(before, after, *key)) for key in keys)
    forth, back = _change(before, after, keys), _change(after, before, keys)
    return Rows(forth, back, in_asic, "link flap" if flap else "runtime")


def _differing(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for table in sorted({*before, *after}):
        held, wanted = before.get(table, {}), after.get(table, {})
        for key in sorted({*held, *wanted}):
            if held.get(key) != wanted.get(key):
                yield table, key


def _both(
    before: dict[str, Any], after: dict[str, Any], table: str, key: str
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    return before.get(table, {}).get(key), after.get(table, {}).get(key)


def _change(
    before: dict[str, Any], after: dict[str, Any], keys: list[tuple[str, str]]
) -> RowChange:
    anew: list[str] = []
    gone: list[str] = []
    written: dict[str, dict[str, Any]] = {}
    for table, key in keys:
        held, wanted = _both(before, after, table, key)
        if wanted is None:
            gone.append(f"- {table}|{key}")
            continue
        written.setdefault(table, {})[key] = wanted
        if is_anew(table, held, wanted):
            anew.append(f"{table}|{key}")
        lost = _names(held or {}) - _names(wanted)
        gone += [f"{name} {table}|{key}" for name in sorted(lost)]
    text = json.dumps(written, indent=4, sort_keys=True) + "\n"
    return RowChange(_lines(anew), text, _lines(gone))


def _names(row: dict[str, Any]) -> set[str]:
    """As Redis has them: a list's ends with @."""
    return {f"{name}@" if isinstance(value, list) else name for name, value in row.items()}


def _lines(words: list[str]) -> str:
    return "".join(f"{one}\n" for one in words)


def described(held: Rendered, words: str) -> Rendered:
    """As the dialect's: a row that has a description, for one that gets its first is reloaded."""
    return with_text(held, CONFIG_DB, lambda text: _described(text, words))


def _described(text: str, words: str) -> str:
    tables = parsed(text) or {}
    if text != text_of(tables):
        raise DialectError(f"{CONFIG_DB} is not as SONiC writes it", "`config save -y` on it")
    said = [name for name, row in tables.get("PORT", {}).items() if "description" in row]
    if not said:
        raise nothing()
    tables["PORT"][min(said, key=natural)]["description"] = words
    return text_of(tables)


def shut(held: Rendered, port: str) -> Rendered:
    """As the dialect's: what `config interface shutdown` writes (sonic-utilities, main.py)."""

    def off(text: str) -> str:
        tables = parsed(text) or {}
        if port not in tables.get("PORT", {}):
            raise DialectError(f"it has no port `{port}`")
        tables["PORT"][port]["admin_status"] = "down"
        return text_of(tables)

    return with_text(held, CONFIG_DB, off)
