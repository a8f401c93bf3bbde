"""What a change of CONFIG_DB takes: rows that daemons follow as they run, or a reload.

`config apply-patch` is not used: it refuses thresholds of WRED profiles but those of one name
until 202505, and all of them for colours but green after (sonic-utilities,
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
from .json_text import parsed, text_of
from .names import natural

# Tables whose daemons follow every row at any time: pfcwdorch, hostcfgd, aclorch.
_ROWS = frozenset(
    {"AAA", "ACL_RULE", "NTP_SERVER", "PFC_WD", "SYSLOG_SERVER", "TACPLUS", "TACPLUS_SERVER"}
)
# Fields that are followed while the row stays: qosorch (what ecnconfig writes), portmgrd.
_FIELDS = {
    "WRED_PROFILE": frozenset(
        f"{colour}_{field}"
        for colour in ("green", "yellow", "red")
        for field in ("min_threshold", "max_threshold", "drop_probability")
    ),
    "PORT": frozenset({"description"}),
}


@dataclass(frozen=True, slots=True)
class RowChange:
    """Rows to take away, and rows to write (a JSON text), in this order."""

    deleted: tuple[str, ...]
    written: str

    @property
    def keys(self) -> str:
        """The rows to take away, one a line."""
        return "".join(f"{one}\n" for one in self.deleted)


@dataclass(frozen=True, slots=True)
class Rows:
    """There and back."""

    forth: RowChange
    back: RowChange

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
    if not all(_is_followed(before, after, *key) for key in keys):
        return None
    return Rows(_change(before, after, keys), _change(after, before, keys))


def impact_at(where: tuple[str, ...]) -> Impact:
    """What changing a place (table, key, field) does; the worst where no field is named."""
    table, _, field = (*where, "", "", "")[:3]
    follows = table in _ROWS or field in _FIELDS.get(table, frozenset())
    return "runtime" if follows else "reload"


def _differing(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for table in sorted({*before, *after}):
        held, wanted = before.get(table, {}), after.get(table, {})
        for key in sorted({*held, *wanted}):
            if held.get(key) != wanted.get(key):
                yield table, key


def _is_followed(before: dict[str, Any], after: dict[str, Any], table: str, key: str) -> bool:
    if table in _ROWS:
        return key != "GLOBAL" or (key in before.get(table, {}) and key in after.get(table, {}))
    held, wanted = before.get(table, {}).get(key), after.get(table, {}).get(key)
    if held is None or wanted is None or set(held) != set(wanted):
        return False
    changed = {one for one in held if held[one] != wanted[one]}
    return changed <= _FIELDS.get(table, frozenset())


def _change(
    before: dict[str, Any], after: dict[str, Any], keys: list[tuple[str, str]]
) -> RowChange:
    """A row that loses a field is written anew: writing alone would leave the field."""
    deleted: list[str] = []
    written: dict[str, dict[str, Any]] = {}
    for table, key in keys:
        held, wanted = before.get(table, {}).get(key), after.get(table, {}).get(key)
        if held is not None and (wanted is None or not set(held) <= set(wanted)):
            deleted.append(f"{table}|{key}")
        if wanted is not None:
            written.setdefault(table, {})[key] = wanted
    return RowChange(tuple(deleted), json.dumps(written, indent=4, sort_keys=True) + "\n")


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
