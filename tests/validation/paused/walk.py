"""Every mutant of the QoS and buffer tables of a config_db.json: from its tokens, not from rules.

What a token may be instead comes from the grammar of CONFIG_DB, which knows kinds of values and no
purpose: so nearly all of these are files that SONiC takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from switch_configs.sonic.grammar.tables import TABLES

Tables = dict[str, Any]
JUDGED = re.compile(
    r"BUFFER_|PORT_QOS_MAP|SCHEDULER|WRED_PROFILE|\w+_TO_\w+$|PFC_WD|QUEUE"
    r"|CABLE_LENGTH|DEFAULT_LOSSLESS_BUFFER_PARAMETER|LOSSLESS_TRAFFIC_PATTERN"
)


def judged(tables: Tables) -> list[str]:
    """The tables that say what becomes of the lossless class."""
    return [one for one in tables if JUDGED.match(one)]


def mutants(tables: Tables, table: str) -> Iterator[tuple[str, Tables]]:
    """By name: no table; no row, or at another number; a field gone, changed, or a neighbour's."""
    rows: dict[str, dict[str, str]] = tables[table]
    yield table, {name: held for name, held in tables.items() if name != table}
    for key, row in rows.items():
        others = {name: held for name, held in rows.items() if name != key}
        yield f"{table}|{key}", tables | {table: others}
        for moved in _moved(key, set(rows)):
            yield f"{table}|{key} at {moved}", tables | {table: others | {moved: row}}
        for what, changed in _rows(tables, table, row):
            yield f"{table}|{key} {what}", tables | {table: rows | {key: changed}}


def _moved(key: str, taken: set[str]) -> Iterator[str]:
    """The same row for the number before or after its own."""
    port, bar, number = key.rpartition("|")
    if bar and number.isdecimal():
        near = (f"{port}|{int(number) + step}" for step in (-1, 1))
        yield from (one for one in near if one not in taken and "-1" not in one)


def _rows(tables: Tables, table: str, row: dict[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    for field, value in row.items():
        yield field, {name: held for name, held in row.items() if name != field}
        for other in sorted(_others(tables, table, field, value) - {value}):
            yield f"{field} = {other}", row | {field: other}
    known = {field: held for one in tables[table].values() for field, held in one.items()}
    for field, held in known.items():
        if field not in row:
            yield f"{field} + {held}", row | {field: held}


def _others(tables: Tables, table: str, field: str, value: str) -> set[str]:
    """What else may stand there: numbers around it, other rows that there are, other words."""
    if re.fullmatch("-?[0-9]+", value):
        number = int(value)
        near = (number // 10, number - 1, number + 1, number + 4, number * 10)
        more = {f"{number},{number + 1}"} if field.startswith("pfc") else set()
        return {str(one) for one in near} | more
    if re.fullmatch("[0-9]+m", value):
        return {f"{int(value[:-1]) + step}m" for step in (-29, -1, 1, 70)}
    kind, _, rest = (TABLES[table].fields.get(field) or "").partition(":")
    if kind == "enum":
        return set(rest.split(","))
    rows = tables.get(rest, {})
    there = {name for name, row in rows.items() if row != rows.get(value)}
    if kind == "refs":
        parts = value.split(",")
        fewer = {",".join(one for one in parts if one != gone) for gone in parts}
        return fewer | {value.replace(one, other) for one in parts for other in there}
    assert kind in ("ref", "null"), (table, field, value)
    return there | {"NONE"} | ({"NULL"} if kind == "null" else set())
