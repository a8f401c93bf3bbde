"""CONFIG_DB as it is read: what nobody asked for in the end was not understood."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Row:
    """One row; a field that is taken is understood."""

    table: str
    key: str
    fields: dict[str, Any]

    def text(self, name: str) -> str | None:
        """A field that is one text."""
        found = self._take(name, str)
        return found if isinstance(found, str) else None

    def texts(self, name: str) -> list[str]:
        """A field that is a list of texts; empty where there is none."""
        found = self._take(name, list)
        return [one for one in found or () if isinstance(one, str)]

    def number(self, name: str) -> int | None:
        """A field that is a whole number."""
        held = self.fields.get(name)
        return int(self._take(name, str)) if isinstance(held, str) and is_number(held) else None

    def _take(self, name: str, kind: type) -> Any:
        held = self.fields.get(name)
        return self.fields.pop(name) if isinstance(held, kind) else None


def is_number(text: str) -> bool:
    """Whether it is a whole number in ASCII, perhaps below zero."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdecimal()


@dataclass
class Database:
    """All rows, and the sentences on what will not work."""

    tables: dict[str, Any]
    hazards: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    handed: list[Row] = field(default_factory=list)

    def rows(self, table: str) -> dict[str, Row]:
        """The rows of a table, which is understood row by row."""
        found: dict[str, Row] = {}
        held = self.tables.pop(table, None)
        if isinstance(held, dict):
            for key, said in held.items():
                if not isinstance(said, dict):
                    self.unread.append(f"{table}|{key}")
                    continue
                # SONiC marks a row without fields so in its database.
                fields = {f: v for f, v in said.items() if (f, v) != ("NULL", "NULL")}
                found[key] = Row(table, key, fields)
        elif held is not None:
            self.unread.append(table)
        self.handed += found.values()
        return found

    def hazard(self, sentence: str) -> None:
        """Say it once."""
        if sentence not in self.hazards:
            self.hazards.append(sentence)

    def stray(self, row: Row) -> None:
        """A row that means nothing to us."""
        self.unread.append(f"{row.table}|{row.key}")
        row.fields.clear()

    def leftovers(self) -> Iterator[str]:
        """Tables, rows and fields that nobody asked for."""
        yield from self.unread
        for name, rows in self.tables.items():
            keys = rows if isinstance(rows, dict) else ()
            yield from (f"{name}|{key}" for key in keys)
            if not keys:
                yield name
        for row in self.handed:
            for name, value in row.fields.items():
                yield f"{row.table}|{row.key} {name} {json.dumps(value)}"
