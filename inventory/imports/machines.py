"""A maker's manifest to machines: serial number, name and MAC addresses, with their places.

Only the columns of the form are looked at: a manifest may hold passwords, and they go nowhere.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.load.table import of_another_tool
from inventory.topology.asbuilt import SERIAL, plain_mac

from ..problems import Problem, close_to, shown
from ..schema.manifest import ManifestForm

Record = dict[str, object]


@dataclass(frozen=True, slots=True)
class Machine:
    """One machine of a manifest; what the manifest does not say is "".

    `macs` are (our port, `management` or `bmc`; MAC), `more_macs` those of unnamed ports.
    """

    serial: str
    name: str
    location: str
    macs: tuple[tuple[str, str], ...]
    more_macs: tuple[str, ...]
    file: str
    line: int

    def problem(self, path: str, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at the machine's place in the manifest."""
        return Problem(self.file, self.line, 1, path, found, expected, hint)

    def __str__(self) -> str:
        return self.serial or self.name or self.location or f"{self.file}:{self.line}"


def read_manifest(
    text: str, file: str, form: ManifestForm
) -> tuple[tuple[Machine, ...], tuple[Problem, ...]]:
    """All machines of a manifest and all that is wrong with it. Never raises.

    In JSON, `line` is the number of the machine in the list, from 1.
    """
    read = _csv_records if form.format == "csv" else _json_records
    records, problems = read(text.removeprefix("\ufeff"), file, form)
    machines = []
    for line, record in records:
        machine, wrong = _machine(record, file, line, form)
        problems += wrong
        machines.append(machine)
    problems += _twice(machines)
    return tuple(machines), tuple(problems)


def _csv_records(
    text: str, file: str, form: ManifestForm
) -> tuple[list[tuple[int, Record]], list[Problem]]:
    # RFC 4180: unlike our own tables, a maker's may quote.
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        broken = Problem(file, reader.line_num, 1, "", str(error), "a CSV file (RFC 4180)")
        return [], [_of_another_tool(text, file, form) or broken]
    if not rows:
        return [], [Problem(file, 1, 1, "", "an empty file", "a header and a line a machine")]
    header = [name.strip() for name in rows[0][1]]
    problems = list(_missing_columns(header, file, form))
    if problems and (told := _of_another_tool(text, file, form)):
        return [], [told]
    if problems:
        return [], problems
    width = len(header)
    records: list[tuple[int, Record]] = [
        (line, dict(zip(header, row, strict=True))) for line, row in rows[1:] if len(row) == width
    ]
    wrong = [(line, row) for line, row in rows[1:] if len(row) != width]
    return records, [*_other_widths(wrong, width, file)]


def _other_widths(rows: list[tuple[int, list[str]]], width: int, file: str) -> Iterator[Problem]:
    """One problem for all rows of one wrong length: what spoilt one spoilt them all."""
    for cells in sorted({len(row) for _, row in rows}):
        same = [(line, row) for line, row in rows if len(row) == cells]
        found = f"{cells} cell{'s' if cells > 1 else ''}"
        if len(same) > 1:
            found += f" on {len(same)} lines"
        is_padded = not any(cell for _, row in same for cell in row[width:])
        hint = "delete the empty cells at the end" if cells > width and is_padded else ""
        yield Problem(file, same[0][0], 1, "", found, f"{width}, as in the header", hint)


def _of_another_tool(text: str, file: str, form: ManifestForm) -> Problem | None:
    """What a spreadsheet did to the header of a maker's list, if that is why columns lack."""

    def is_header(line: str) -> bool:
        cells = next(csv.reader(line.splitlines()), [])
        return not list(_missing_columns([one.strip() for one in cells], file, form))

    told = of_another_tool(text.split("\n", 1)[0].rstrip("\r"), is_header)
    return Problem(file, 1, 1, "", told[0], "a CSV file (RFC 4180)", told[1]) if told else None


def _missing_columns(header: list[str], file: str, form: ManifestForm) -> Iterator[Problem]:
    for column in filter(None, (form.serial, form.name, form.rack, form.unit)):
        if column not in header:
            yield _no_column(column, header, file)
    present = [column for column in form.ports.values() if column in header]
    if form.maker == "any" or not present:
        for column in form.ports.values():
            if column not in header:
                yield _no_column(column, header, file)


def _no_column(column: str, header: list[str], file: str) -> Problem:
    found = f"no column {column!r}"
    return Problem(file, 1, 1, "", found, "the form's columns", close_to(column, header))


def _json_records(
    text: str, file: str, form: ManifestForm
) -> tuple[list[tuple[int, Record]], list[Problem]]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        return [], [Problem(file, line, column, "", "no JSON", "a JSON file (RFC 8259)")]
    for key in form.records:
        value = value.get(key) if isinstance(value, dict) else value
    if not isinstance(value, list) or not value:
        found = "an empty list" if value == [] else shown(value)
        return [], [Problem(file, 1, 1, ".".join(form.records), found, "a list of machines")]
    records, problems = [], []
    for number, one in enumerate(value, start=1):
        if isinstance(one, dict):
            records.append((number, one))
        else:
            problems.append(Problem(file, number, 1, "", shown(one), "a machine: a mapping"))
    return records, problems


def _values(record: object, path: str) -> Iterator[str]:
    """The texts at a path: `a.b` goes down a mapping, `a[].b` through a list."""
    if path in ("", None):
        if isinstance(record, str | int) and not isinstance(record, bool):
            yield str(record).strip()
        return
    if isinstance(record, dict) and path in record:
        yield from _values(record[path], "")
        return
    key, _, rest = path.partition(".")
    inner = record.get(key.removesuffix("[]")) if isinstance(record, dict) else None
    for one in inner if key.endswith("[]") and isinstance(inner, list) else (inner,):
        yield from _values(one, rest)


def _one(record: Record, path: str | None) -> str:
    return next(_values(record, path), "") if path else ""


def _machine(
    record: Record, file: str, line: int, form: ManifestForm
) -> tuple[Machine, list[Problem]]:
    problems: list[Problem] = []
    serial = _one(record, form.serial)
    if form.serial and not SERIAL.fullmatch(serial):
        hint = "letters, digits, `.` `_` `/` `-`"
        problems.append(Problem(file, line, 1, form.serial, shown(serial), "a serial number", hint))
    macs = []
    for port, column in form.ports.items():
        for text in _known(record, column, form):
            mac = plain_mac(text)
            if mac is None:
                problems.append(Problem(file, line, 1, column, shown(text), "a MAC address"))
            else:
                macs.append((port, mac))
    named = {mac for _, mac in macs}
    more = {
        mac
        for column in form.more_macs
        for text in _known(record, column, form)
        if (mac := plain_mac(text)) and mac not in named
    }
    location = "/".join(filter(None, (_one(record, form.rack), _one(record, form.unit))))
    name = _one(record, form.name)
    return Machine(serial, name, location, tuple(macs), tuple(sorted(more)), file, line), problems


def _known(record: Record, column: str, form: ManifestForm) -> Iterator[str]:
    return (
        value for value in _values(record, column) if value and value.lower() not in form.unknown
    )


def _twice(machines: list[Machine]) -> Iterator[Problem]:
    for what, keys in (("serial", "serial"), ("name", "name")):
        seen: dict[str, Machine] = {}
        for machine in machines:
            value = getattr(machine, keys)
            if value and value in seen:
                found = f"the {what} {shown(value)} a second time"
                hint = f"see line {seen[value].line}"
                yield machine.problem(what, found, "each machine once", hint)
            seen.setdefault(value, machine)
