"""A maker's manifest to machines: serial number, name and MAC addresses, with their places.

Only the columns of the form are looked at: a manifest may hold passwords, and they go nowhere.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass

from ..asbuilt import SERIAL, plain_mac
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
        return [], [Problem(file, reader.line_num, 1, "", str(error), "a CSV file (RFC 4180)")]
    if not rows:
        return [], [Problem(file, 1, 1, "", "an empty file", "a header and a line a machine")]
    header = [name.strip() for name in rows[0][1]]
    problems = list(_missing_columns(header, file, form))
    records: list[tuple[int, Record]] = []
    for line, row in rows[1:]:
        if len(row) != len(header):
            found = f"{len(row)} cell{'s' if len(row) > 1 else ''}"
            problems.append(Problem(file, line, 1, "", found, f"{len(header)}, as in the header"))
        else:
            records.append((line, dict(zip(header, row, strict=True))))
    return ([] if any(one.line == 1 for one in problems) else records), problems


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
    return (one for one in _values(record, column) if one and one.lower() not in form.unknown)


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
