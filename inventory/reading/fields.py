"""Reading JSON and CSV whose shape is not ours: what is needed must be there."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from inventory.problems import ExpectedError


class Unreadable(ExpectedError, ValueError):
    """Output that is not what its tool prints when all is well; nothing follows from it."""


def full_lines(text: str, tool: str) -> list[str]:
    """The lines of a tool that prints no blank one: where there is one, a line was lost."""
    lines = text.splitlines()
    if not all(map(str.strip, lines)):
        raise Unreadable(f"{tool} printed a blank line: one of its {len(lines)} is lost")
    return lines


def document(text: str, tool: str) -> object:
    """The JSON that a tool printed. Raises Unreadable with the start of what it said.

    NaN and Infinity are not JSON (RFC 8259, 6), and no measurement.
    """
    try:
        return json.loads(text, parse_constant=_no_number)
    except (RecursionError, ValueError):
        raise _no_json(text, tool) from None


def documents(text: str, tool: str) -> Iterator[object]:
    """The same of JSON documents that stand one after the other."""
    reader, rest = json.JSONDecoder(parse_constant=_no_number), text.strip()
    while rest:
        try:
            told, end = reader.raw_decode(rest)
        except (RecursionError, ValueError):
            raise _no_json(rest, tool) from None
        yield told
        rest = rest[end:].lstrip()


def _no_json(text: str, tool: str) -> Unreadable:
    said = " ".join(text.split())[:120] or "nothing"
    return Unreadable(f"{tool} printed no JSON but: {said}")


def _no_number(name: str) -> object:
    raise ValueError(name)


def csv_rows(text: str, tool: str) -> list[list[str]]:
    """Rows of a CSV without its empty lines, blanks around cells left out. Raises Unreadable."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if row]
    except csv.Error as why:  # a cell above 128 KiB
        raise Unreadable(f"{tool} printed no table: {why}") from None
    return [[cell.strip() for cell in row] for row in rows]


def mapping(value: object, what: str) -> dict[str, object]:
    """A JSON object, or Unreadable."""
    if not isinstance(value, dict):
        raise Unreadable(f"{what} is not an object")
    return value


def sequence(value: object, what: str) -> list[object]:
    """A JSON array, or Unreadable."""
    if not isinstance(value, list):
        raise Unreadable(f"{what} is not a list")
    return value


def needed(fields: dict[str, object], key: str, what: str) -> object:
    """A value that must be there, or Unreadable."""
    if key not in fields:
        raise Unreadable(f"{what} has no {key!r}")
    return fields[key]


def text_of(fields: dict[str, object], key: str, what: str) -> str:
    """A string that must be there."""
    value = needed(fields, key, what)
    if not isinstance(value, str):
        raise Unreadable(f"{what}: {key!r} is not a string")
    return value
