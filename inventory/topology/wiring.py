"""`wiring.csv`: the cables as people plugged them, written by hand.

It owes nothing to the plan: it is what a plan's cables are held against, and what a lab
is built from. Columns: `a_device,a_port,b_device,b_port,plane`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from inventory.load.files import label, text_of
from inventory.load.table import TableRow, read_table
from inventory.plan import Plane, PortRef
from inventory.problems import InventoryError, Problem, close_to, one_of, shown

COLUMNS = ("a_device", "a_port", "b_device", "b_port", "plane")
DEVICE = re.compile(r"[a-z][a-z0-9-]{0,61}")
PORT = re.compile(r"[A-Za-z][A-Za-z0-9/._-]{0,14}")


@dataclass(frozen=True, slots=True, order=True)
class Wire:
    """One cable as plugged; `a` sorts before `b`, whatever the order in the file."""

    a: PortRef
    b: PortRef
    plane: Plane

    def __str__(self) -> str:
        return f"{self.a} -- {self.b}"


def load_wiring(path: Path, devices: Collection[str] | None = None) -> tuple[Wire, ...]:
    """Read all cables, in the order of the file; raises InventoryError with all problems.

    A port has one cable at most. `devices`, where given, are the only names allowed.
    """
    problems: list[Problem] = []
    text = text_of(path, problems, "a CSV file")
    if text is None:
        raise InventoryError(problems)
    rows, wrong = read_table(text, label(path), COLUMNS)
    problems += wrong
    used: dict[PortRef, TableRow] = {}
    wires: list[Wire] = []
    for row in rows:
        bad = list(_bad_cells(row, devices)) or list(_used_twice(row, used))
        problems += bad
        if not bad:
            wires.append(_wire(row))
            used |= dict.fromkeys((wires[-1].a, wires[-1].b), row)
    if problems:
        raise InventoryError(problems)
    return tuple(wires)


def _ends(row: TableRow) -> tuple[PortRef, PortRef]:
    return PortRef(row.cells[0], row.cells[1]), PortRef(row.cells[2], row.cells[3])


def _wire(row: TableRow) -> Wire:
    a, b = sorted(_ends(row))
    return Wire(a, b, cast("Plane", row.cells[4]))


def _bad_cells(row: TableRow, devices: Collection[str] | None) -> Iterator[Problem]:
    for at in (0, 2):
        name = row.cells[at]
        if not DEVICE.fullmatch(name):
            yield row.problem(at, shown(name), "a device name", "lower case, digits and `-`")
        elif devices is not None and name not in devices:
            yield row.problem(at, shown(name), "a device of the site", close_to(name, devices))
    for at in (1, 3):
        if not PORT.fullmatch(row.cells[at]):
            hint = "at most 15 characters, as the kernel has it"
            yield row.problem(at, shown(row.cells[at]), "a port name", hint)
    planes = get_args(Plane)
    if row.cells[4] not in planes:
        hint = close_to(row.cells[4], planes)
        yield row.problem(4, shown(row.cells[4]), one_of(planes), hint)


def _used_twice(row: TableRow, used: dict[PortRef, TableRow]) -> Iterator[Problem]:
    a, b = _ends(row)
    for at, end in ((1, a), (3, b)):
        if end in used:
            found = f"{end} a second time"
            yield row.problem(at, found, "one cable in a port", f"see line {used[end].line}")
    if a == b:
        yield row.problem(3, f"{b} at both ends", "a cable between two ports")
