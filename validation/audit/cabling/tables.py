"""A sheet of cables as CSV: a line a cable, two ends by device and port.

Columns are recognised by their words, for every tool has its own: `a_device,a_port,...`,
`Source Device;Source Port;Destination Device;Destination Port`, `Side A Device`, `Local Switch`.
"""

from __future__ import annotations

import csv
import io
import re

Pair = tuple[tuple[str, str], tuple[str, str]]
_SIDES = (
    frozenset({"a", "1", "from", "source", "src", "local", "near"}),
    frozenset({"b", "z", "2", "to", "destination", "dest", "dst", "remote", "far", "peer"}),
)
_PORTS = frozenset({"port", "interface", "intf", "ifname", "termination", "connector"})
_DEVICES = frozenset({"device", "host", "hostname", "switch", "node", "system", "name", "neighbor"})
_WORD = re.compile(r"[a-z]+|[0-9]+")


def of_table(text: str, file: str) -> tuple[list[Pair], list[str]]:
    """The cables of a sheet, and what is wrong with it."""
    first = text.partition("\n")[0]
    separator = max(",;\t|", key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error:
        return [], [f"{file}: no CSV"]
    if not rows:
        return [], [f"{file}: an empty file"]
    places = _columns(rows[0])
    if places is None:
        expected = "columns of both ends, like a_device,a_port,b_device,b_port"
        return [], [f"{file}: found the header {first.strip()[:80]!r}, expected {expected}"]
    pairs, short = [], 0
    for row in rows[1:]:
        if not any(cell.strip() for cell in row):
            continue
        cells = [row[at].strip() if at < len(row) else "" for at in places]
        short += not all(cells)
        pairs.append(((cells[0], cells[1]), (cells[2], cells[3])))
    return pairs, [f"{file}: {short} lines without both ends"] if short else []


def _columns(header: list[str]) -> tuple[int, int, int, int] | None:
    """Where device and port of both ends stand."""
    found: dict[tuple[int, bool], int] = {}
    for at, name in enumerate(header):
        words = set(_WORD.findall(name.lower()))
        side = next((number for number, said in enumerate(_SIDES) if words & said), None)
        is_port = bool(words & _PORTS)
        if side is not None and (is_port or words & _DEVICES):
            found.setdefault((side, is_port), at)
    keys = ((0, False), (0, True), (1, False), (1, True))
    return (*(found[key] for key in keys),) if found.keys() >= set(keys) else None  # type: ignore[return-value] # four keys
