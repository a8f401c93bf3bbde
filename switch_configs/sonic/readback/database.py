"""CONFIG_DB as it is read: what nobody asked for in the end was not understood."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import ip_interface
from typing import Any

from switch_configs.readback.facts import Hazard, HazardKind
from switch_configs.shown.unread import Unread, digest, unread

from .forms import FORMS

_NAME = "config_db: "


@dataclass
class DatabaseRow:
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
    hazards: list[Hazard] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    handed: list[DatabaseRow] = field(default_factory=list)
    strays: list[DatabaseRow] = field(default_factory=list)
    apart: list[Unread] = field(default_factory=list)

    def __post_init__(self) -> None:
        """A dump of Redis has its rows by `TABLE|KEY`; tables stand in it as in the file."""
        self.tables = _nested(self.tables)

    def rows(self, table: str) -> dict[str, DatabaseRow]:
        """The rows of a table, which is understood row by row."""
        found: dict[str, DatabaseRow] = {}
        held = self.tables.pop(table, None)
        if isinstance(held, dict):
            for key, said in held.items():
                if not isinstance(said, dict):
                    self.unread.append(f"{table}|{key}")
                    continue
                # SONiC marks a row without fields so in its database.
                fields = {f: v for f, v in said.items() if (f, v) != ("NULL", "NULL")}
                found[key] = DatabaseRow(table, key, fields)
        elif held is not None:
            self.unread.append(table)
        self.handed += found.values()
        return found

    def hazard(self, sentence: str, kind: HazardKind = "other", about: str = "") -> None:
        """Say it once."""
        if sentence not in self.hazards:
            self.hazards.append(Hazard(sentence, kind, about))

    def broken(self, sentence: str) -> None:
        """Say once what leads nowhere on the lossless path."""
        self.hazard(sentence, "lossless")

    def address(self, row: DatabaseRow, address: str) -> str:
        """An address of a row's key; says where it is none (ipaddress: RFC 4291, RFC 4632)."""
        try:
            ip_interface(address)
        except ValueError:
            self.hazard(f"{row.table} {row.key}: that is no address")
        return address

    def word(
        self, row: DatabaseRow, name: str, known: tuple[str, ...], kind: HazardKind = "other"
    ) -> str | None:
        """A field that is one of these words; another one there is not."""
        found = row.text(name)
        if found is not None and found not in known:
            self.hazard(f"{row.table} {row.key}: there is no {name} '{found}'", kind)
        return found

    def stray(self, row: DatabaseRow) -> None:
        """A row that means nothing to us."""
        self.strays.append(DatabaseRow(row.table, row.key, dict(row.fields)))
        row.fields.clear()

    def beside(self, row: DatabaseRow, topic: str, why: str) -> None:
        """A row that a reader knows to say nothing of the ports that carry data, and why."""
        self.apart.append(Unread(topic, why, digest(f"{_NAME}{row.table}|{row.key}"), by_form=True))
        row.fields.clear()

    def leftovers(self) -> Iterator[Unread]:
        """Tables, rows and fields that nobody asked for; a table without rows says nothing."""
        yield from self.apart
        yield from (unread(f"{_NAME}{one}") for one in self.unread)
        yield from map(_left, self.strays)
        for name, rows in self.tables.items():
            if not isinstance(rows, dict):
                yield unread(f"{_NAME}{name}")
                continue
            for key, said in rows.items():
                yield _left(DatabaseRow(name, key, said if isinstance(said, dict) else {"": said}))
        for row in self.handed:
            for name, value in row.fields.items():
                line = f"{_NAME}{row.table}|{row.key} {name} {json.dumps(value)}"
                yield _by_form(DatabaseRow(row.table, row.key, {name: value}), line)


def _left(row: DatabaseRow) -> Unread:
    return _by_form(row, f"{_NAME}{row.table}|{row.key}")


def _by_form(row: DatabaseRow, line: str) -> Unread:
    """A row is known when each of its fields is; what it says is not kept."""
    read = [FORMS.read(one) for one in lines(row)]
    if all(one.by_form for one in read):
        return Unread(read[0].topic, read[0].kind, digest(line), by_form=True)
    return unread(line)


def lines(row: DatabaseRow) -> Iterator[str]:
    """What a row says, as forms have it: `TABLE key field value`, a line for each element."""
    start = " ".join((row.table, *row.key.split("|")))
    fields = {f: v for f, v in row.fields.items() if (f, v) != ("NULL", "NULL")}
    if not fields:
        yield start
    for name, value in fields.items():
        # An empty list says as much as an empty text.
        for one in value or [""] if isinstance(value, list) else [value]:
            yield f"{start} {name} {one if isinstance(one, str) else json.dumps(one)}"


def _nested(tables: dict[str, Any]) -> dict[str, Any]:
    """Rows by table and key; of a dump the field `ports@` is the list `ports`."""
    found: dict[str, Any] = {}
    for name, held in tables.items():
        table, bar, key = name.partition("|")
        if not bar:
            found[name] = {**held, **found[name]} if _both(found.get(name), held) else held
            continue
        row = held
        if isinstance(held, dict) and held.get("type") == "hash":
            row = _hash(held.get("value"))
        if not isinstance(found.setdefault(table, {}), dict):
            found[name] = held
            continue
        found[table][key] = row
    return found


def _both(*held: Any) -> bool:
    return all(isinstance(one, dict) for one in held)


def _hash(said: Any) -> Any:
    """A row as Redis has it: all texts, and lists in fields that end in `@`."""
    if not isinstance(said, dict):
        return said
    return {
        name.removesuffix("@"): value.split(",") if name.endswith("@") and value else value
        for name, value in said.items()
        if isinstance(value, str)
    }
