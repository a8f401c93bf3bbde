"""Rows and lines that a site adds by hand.

For frr.conf they are lines of a section of it (`frr-bgp` and so on); for CONFIG_DB they are one
JSON object of tables, which is merged into those of the section.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from inventory.plan import RawStanza, Switch
from switch_configs import frr
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, RawTree, SwitchIntent

from .json_text import parsed, text_of
from .tables import SECTIONS as TABLES
from .tables.rows import without_empty

_FRR = "frr-"
SECTIONS = (*TABLES, "other", *(f"{_FRR}{one}" for one in frr.SECTIONS))
"""Where a site may add; `other` is for tables of no section."""


def section_of(intent: SwitchIntent | OobIntent) -> Callable[[str], str]:
    """By table: the first section that has rows of it on this switch, else `other`."""
    if isinstance(intent, OobIntent):
        return lambda _: ""
    found: dict[str, str] = {}
    for section, build in TABLES.items():
        for table in without_empty(build(intent)):
            found.setdefault(table, section)
    return lambda table: found.get(table, "other")


def lines(section: str, tree: dict[str, Any]) -> tuple[str, ...]:
    """Rows as a site adds them; the same text for each section."""
    del section
    return tuple(text_of(tree).splitlines())


def for_frr(switch: Switch) -> tuple[RawStanza, ...]:
    """The stanzas of frr.conf, by its own sections; `DialectError` for an unknown section."""
    _known(switch)
    return tuple(
        replace(stanza, section=stanza.section.removeprefix(_FRR))
        for stanza in switch.raw
        if stanza.section.startswith(_FRR)
    )


def for_tables(switch: Switch, section: str) -> Iterable[dict[str, Any]]:
    """The objects that the site adds to a section of CONFIG_DB."""
    for stanza in switch.raw:
        if stanza.section == section:
            yield _object(switch, stanza)


def merge(switch: Switch, into: dict[str, Any], added: dict[str, Any]) -> None:
    """Put rows into tables; `DialectError` where a field would be said twice and differ."""
    for name, rows in added.items():
        table = into.setdefault(name, {})
        for key, row in rows.items():
            held = table.get(key)
            if held is None:
                table[key] = dict(row)
                continue
            for field, value in row.items():
                if held.setdefault(field, value) != value:
                    raise DialectError(
                        f"{switch.name}: a raw stanza says {name}|{key} {field} {value!r}, "
                        f"and the plan {held[field]!r}"
                    )


def _known(switch: Switch) -> None:
    for stanza in switch.raw:
        if stanza.section not in SECTIONS:
            raise DialectError(
                f"{switch.name}: dialect sonic has no section '{stanza.section}'",
                f"its sections are: {', '.join(SECTIONS)}",
            )


def _object(switch: Switch, stanza: RawStanza) -> dict[str, Any]:
    found = parsed("\n".join(stanza.lines))
    if found is None or not all(_is_table(one) for one in found.values()):
        raise DialectError(
            f"{switch.name}: raw lines of section '{stanza.section}' are no JSON object of tables",
            '{"TABLE": {"KEY": {"field": "value"}}}, every value a text or a list of texts',
        )
    return found


def _is_table(rows: Any) -> bool:
    return isinstance(rows, dict) and all(
        isinstance(row, dict) and all(_is_value(one) for one in row.values())
        for row in rows.values()
    )


def _is_value(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, str)


RAW_TREE = RawTree((*TABLES, "other"), section_of, lines)
