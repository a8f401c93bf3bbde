"""Rows of `asbuilt.csv` as values: to compare, to merge, and to write again.

Written in the order of names with their numbers counted (`node-p1-2` before `node-p1-10`), so
that the same rows make the same bytes, whoever brought them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from .asbuilt import CHASSIS, COLUMNS, SEEN_COLUMNS, AsBuilt

_NUMBER = re.compile(r"([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class BuiltRow:
    """One row: a port of a device, or its chassis (then `mac` is "")."""

    device: str
    port: str
    mac: str
    serial: str
    firmware: str = ""

    @property
    def place(self) -> tuple[str, str]:
        """What the row speaks of: a device and one of its ports."""
        return self.device, self.port

    def __str__(self) -> str:
        seen = f" firmware {self.firmware}" if self.firmware else ""
        return f"{self.device} {self.port} {self.mac or '-'} {self.serial}{seen}"


def rows_of(asbuilt: AsBuilt) -> dict[tuple[str, str], BuiltRow]:
    """Return all rows, by device and port."""
    rows = {
        (device, port): BuiltRow(device, port, built.mac, built.serial, built.firmware)
        for (device, port), built in asbuilt.ports.items()
    }
    for device, built in asbuilt.chassis.items():
        rows[device, CHASSIS] = BuiltRow(device, CHASSIS, "", built.serial, built.firmware)
    return rows


def in_order(rows: Iterable[BuiltRow]) -> list[BuiltRow]:
    """Sort rows by device, the chassis first, then by port."""
    by_device: dict[str, list[BuiltRow]] = {}
    for row in rows:
        by_device.setdefault(row.device, []).append(row)
    out: list[BuiltRow] = []
    for device in sorted(by_device, key=natural):
        ports = by_device[device]
        ports.sort(key=lambda row: (row.port != CHASSIS, natural(row.port)))
        out += ports
    return out


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a key that sorts the numbers in a name by value."""
    parts = (part for part in _NUMBER.split(name) if part)
    return tuple((0, int(part)) if _NUMBER.fullmatch(part) else (1, part) for part in parts)


def asbuilt_text(rows: Iterable[BuiltRow]) -> str:
    """Return the text of `asbuilt.csv`: the fifth column only where firmware was seen."""
    listed = in_order(rows)
    names = COLUMNS + (SEEN_COLUMNS if any(row.firmware for row in listed) else ())
    cells = attrgetter(*names)
    return "\n".join([",".join(names), *(",".join(cells(row)) for row in listed), ""])
