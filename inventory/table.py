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
_MARK = "\ufeff"
_SED = {";": ";", "\t": r"\t"}


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
        found, hint = _of_another_tool(first, header)
        return [], [Problem(file, 1, 1, "", found, f"the header `{header}`", hint)]
    empty = _empty_ends(lines, len(names))
    if len(empty) > 1:
        found = f"{len(empty)} lines with empty cells at their end"
        hint = "delete the empty columns in the spreadsheet, and save it again"
        return [], [Problem(file, empty[0], 1, "", found, f"{len(names)} cells a line", hint)]
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        if line and not line.isspace():
            _read_line(line.rstrip("\r"), number, file, names, rows, problems)
    return rows, problems


def _of_another_tool(first: str, header: str) -> tuple[str, str]:
    """What a spreadsheet did to a header, and how it leaves that out."""
    if first.startswith(_MARK):
        return "a byte order mark (U+FEFF) before the text", r"sed -i '1s/^\xef\xbb\xbf//' FILE"
    for one, word in ((";", "semicolons"), ("\t", "tabs")):
        if one in first and first.replace(one, ",").rstrip(",") == header:
            return (
                f"{word} between cells",
                f"save it with commas, or: sed -i 's/{_SED[one]}/,/g' FILE",
            )
    if first.replace('"', "") == header:
        return "quotes around cells", "save it without quotes, or: sed -i 's/\"//g' FILE"
    if first.rstrip(",") == header:
        hint = "delete the empty columns in the spreadsheet, and save it again"
        return "empty cells at the end of the header", hint
    return shown(first), close_to(first, [header])


def _empty_ends(lines: list[str], width: int) -> list[int]:
    """Lines (from 1) whose only fault is that empty cells follow the last one."""
    return [
        number
        for number, line in enumerate(lines, start=1)
        if line.rstrip("\r").endswith(",")
        and line.count(",") >= width
        and not "".join(line.rstrip("\r").split(",")[width:])
        and line.strip("\r,")
    ]


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
