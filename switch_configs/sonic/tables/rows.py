"""What tables are made of: rows of texts, as CONFIG_DB holds them."""

from __future__ import annotations

Row = dict[str, str | list[str]]
Rows = dict[str, Row]
Tables = dict[str, Rows]
"""Table, key, field: every value is a text or a list of texts."""


def without_empty(tables: Tables) -> Tables:
    """The tables that have rows: SONiC prints no others."""
    return {name: rows for name, rows in tables.items() if rows}
