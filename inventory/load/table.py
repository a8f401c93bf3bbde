"""Plain CSV tables with places: a header line, then one record a line.

Quoting is not part of the format: none of our names needs it, and a quoted field could
hide a line break from the reader of a diff.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from inventory.problems import Problem, close_to, shown

# What could make a cell odd; a line without any of it needs no look at each cell. Printable
# text has no white space but the plain space (str.isprintable).
_ODD = re.compile(r'[" {]')
_MARK = "\ufeff"
_SEPARATORS = ((";", "semicolons", ";"), ("\t", "tabs", r"\t"), ("|", "bars", "|"))
_NO_EMPTY = "delete the empty columns in the spreadsheet, and save it again"
_NO_QUOTES = "save it without quotes, or: sed -i 's/\"//g' FILE"
_NO_SPACES = "sed -i 's/ *, */,/g; s/^ *//; s/ *$//' FILE"
_NO_BREAKS = r"they come with text of web pages: sed -i 's/\xc2\xa0/ /g' FILE"
# What an editor does to many lines at once: one problem says it. (in the text, on a line, hint)
_MANY = (
    ("no-break spaces (U+00A0)", re.compile("\u00a0"), _NO_BREAKS),
    ("quotes around cells", re.compile('"'), _NO_QUOTES),
    ("spaces around cells", re.compile(r"(?m), | ,|^ | $"), _NO_SPACES),
)


@dataclass(frozen=True, slots=True)
class TableRow:
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
) -> tuple[list[TableRow], list[Problem]]:
    """All well-formed rows, and a problem for each other line. Never raises.

    A header that ends in the columns `more` is read too; all rows then have those cells.
    """
    header = ",".join(names)
    lines = text.split("\n")
    if not text.strip():
        return [], [Problem(file, 1, 1, "", "an empty file", f"the header `{header}`")]
    first = lines[0].rstrip("\r")
    whole = ",".join((*names, *more))
    if first == whole:
        names = (*names, *more)
    elif first != header:
        told = of_another_tool(first, lambda one: one in (header, whole))
        found, hint = told or (shown(first), close_to(first, [header]))
        return [], [Problem(file, 1, 1, "", found, f"the header `{header}`", hint)]
    if slip := _on_many_lines(text, lines, len(names), file):
        return [], [slip]
    rows: list[TableRow] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        if line and not line.isspace():
            _read_line(line.rstrip("\r"), number, file, names, rows, problems)
    return rows, problems


def of_another_tool(first: str, is_header: Callable[[str], bool]) -> tuple[str, str] | None:
    """What a spreadsheet or an editor did to a header, and how to undo it; None for neither.

    `is_header` says whether a line is the header that was expected.
    """
    if first.startswith(_MARK):
        return "a byte order mark (U+FEFF) before the text", r"sed -i '1s/^\xef\xbb\xbf//' FILE"
    if first.startswith("sep="):
        hint = "save it with commas, and: sed -i 1d FILE"
        return f"{shown(first)}, which only spreadsheets know", hint
    if "\r" in first and is_header(first.split("\r", 1)[0]):
        return "lines that end in a carriage return alone", "tr '\\r' '\\n' <FILE >NEW"
    for one, word, sed in _SEPARATORS:
        if one in first and is_header(first.replace('"', "").replace(one, ",").rstrip(",")):
            return f"{word} between cells", f"save it with commas, or: sed -i 's/{sed}/,/g' FILE"
    if is_header(first.replace('"', "")):
        return "quotes around cells", _NO_QUOTES
    if is_header(first.rstrip(",")):
        return "empty cells at the end of the header", _NO_EMPTY
    if is_header(re.sub(r"\s*,\s*", ",", first.strip())):
        return "spaces around cells", _NO_SPACES
    if is_header(first.lower()):
        return shown(first), f"in lower case: `{first.lower()}`"
    return None


def _on_many_lines(text: str, lines: list[str], width: int, file: str) -> Problem | None:
    """What several lines share that an editor or a spreadsheet did to them."""
    empty = _empty_ends(lines, width)
    if len(empty) > 1:
        found = f"{len(empty)} lines with empty cells at their end"
        return Problem(file, empty[0], 1, "", found, f"{width} cells a line", _NO_EMPTY)
    for what, pattern, hint in _MANY:
        if pattern.search(text):
            found_on = [number for number, line in enumerate(lines, 1) if pattern.search(line)]
            if len(found_on) > 1:
                said = f"{what} on {len(found_on)} lines"
                return Problem(file, found_on[0], 1, "", said, "plain cells", hint)
    return None


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
    rows: list[TableRow],
    problems: list[Problem],
) -> None:
    cells = tuple(line.split(","))
    if len(cells) != len(names):
        found = f"{len(cells)} cell{'s' if len(cells) > 1 else ''}"
        problems.append(Problem(file, number, 1, "", found, f"{len(names)}: `{','.join(names)}`"))
        return
    row = TableRow(file, number, cells, names)
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
