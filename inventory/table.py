"""Plain CSV tables with places: a header line, then one record a line.

Quoting is not part of the format: none of our names needs it, and a quoted field could
hide a line break from the reader of a diff.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .problems import Problem, close_to, shown

# What could make a cell odd; a line without any of it needs no look at each cell. Printable
# text has no white space but the plain space (str.isprintable).
_ODD = re.compile(r'[" {]')


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its cells, and where each stands (columns count characters from 1)."""

    file: str
    line: int
    cells: tuple[str, ...]
    names: tuple[str, ...]

    def problem(self, at: int, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem in cell `at`."""
        column = 1 + sum(len(cell) + 1 for cell in self.cells[:at])
        return Problem(self.file, self.line, column, self.names[at], found, expected, hint)


def read_table(
    text: str, file: str, names: tuple[str, ...], more: tuple[str, ...] = ()
) -> tuple[list[Row], list[Problem]]:
    """All well-formed rows, and a problem for each other line. Never raises.

    A header that ends in the columns `more` is read too; all rows then have those cells.
    """
    header = ",".join(names)
    lines = text.split("\n")
    if not text.strip():
        return [], [Problem(file, 1, 1, "", "an empty file", f"the header `{header}`")]
    first = lines[0].rstrip("\r")
    if more and first == ",".join((*names, *more)):
        names = (*names, *more)
    elif first != header:
        hint = close_to(lines[0], [header])
        return [], [Problem(file, 1, 1, "", shown(first), f"the header `{header}`", hint)]
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        if line and not line.isspace():
            _read_line(line.rstrip("\r"), number, file, names, rows, problems)
    return rows, problems


def _read_line(
    line: str,
    number: int,
    file: str,
    names: tuple[str, ...],
    rows: list[Row],
    problems: list[Problem],
) -> None:
    cells = tuple(line.split(","))
    if len(cells) != len(names):
        found = f"{len(cells)} cell{'s' if len(cells) > 1 else ''}"
        problems.append(Problem(file, number, 1, "", found, f"{len(names)}: `{','.join(names)}`"))
        return
    row = Row(file, number, cells, names)
    if line.isprintable() and not _ODD.search(line):
        rows.append(row)
        return
    odd = [
        row.problem(at, shown(cell), "plain text", "no quotes, no space around it, no templates")
        for at, cell in enumerate(cells)
        if cell != cell.strip()
        or not cell.isprintable()
        or '"' in cell
        or "{{" in cell
        or "{%" in cell
    ]
    problems += odd
    if not odd:
        rows.append(row)
