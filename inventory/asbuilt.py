"""`asbuilt.csv`: which machine really is where. Written by machines, read strictly.

Columns: `device,port,mac,serial`. A row of a device's management port is its identity; a
device without one is planned, but not deployable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .problems import Problem, shown
from .table import Row, read_table

COLUMNS = ("device", "port", "mac", "serial")
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_SERIAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,63}")


@dataclass(frozen=True, slots=True)
class Built:
    """One port as built, and the row that says so."""

    mac: str
    serial: str
    row: Row


@dataclass(slots=True)
class AsBuilt:
    """Ports as built, by (device, port)."""

    ports: dict[tuple[str, str], Built] = field(default_factory=dict)

    def mac(self, device: str, port: str) -> str | None:
        """Return the MAC of a port, or None where nobody has said."""
        built = self.ports.get((device, port))
        return built.mac if built else None

    def serial(self, device: str, port: str) -> str | None:
        """Return the serial number in a port's row, or None where nobody has said."""
        built = self.ports.get((device, port))
        return built.serial if built else None


def parse_asbuilt(text: str, file: str) -> tuple[AsBuilt, list[Problem]]:
    """Read the file; bad rows become problems and are left out."""
    rows, problems = read_table(text, file, COLUMNS)
    asbuilt = AsBuilt()
    macs: dict[str, Row] = {}
    for row in rows:
        wrong = [*_bad_cells(row), *_seen_before(row, asbuilt, macs)]
        problems += wrong
        if wrong:
            continue
        device, port, mac, serial = row.cells
        asbuilt.ports[device, port] = Built(mac, serial, row)
        macs[mac] = row
    return asbuilt, problems


def _bad_cells(row: Row) -> Iterator[Problem]:
    device, port, mac, serial = row.cells
    for at, cell in ((0, device), (1, port)):
        if not cell:
            yield row.problem(at, "nothing", "a name")
    if not _MAC.fullmatch(mac):
        yield row.problem(2, shown(mac), "a MAC address", _mac_hint(mac))
    elif int(mac[:2], 16) & 1:
        yield row.problem(2, shown(mac), "a unicast MAC address", "the first byte is odd")
    elif mac == "00:00:00:00:00:00":
        yield row.problem(2, shown(mac), "a MAC address of a port")
    if not _SERIAL.fullmatch(serial):
        yield row.problem(3, shown(serial), "a serial number", "letters, digits, `.` `_` `/` `-`")


def _mac_hint(mac: str) -> str:
    digits = re.sub(r"[^0-9a-f]", "", mac.lower())
    if len(digits) != 12:
        return "six bytes in lower case, like 02:52:42:01:00:01"
    return f"write it as {':'.join(digits[at : at + 2] for at in range(0, 12, 2))}"


def _seen_before(row: Row, asbuilt: AsBuilt, macs: dict[str, Row]) -> Iterator[Problem]:
    device, port, mac, _ = row.cells
    if (device, port) in asbuilt.ports:
        line = asbuilt.ports[device, port].row.line
        yield row.problem(1, f"{device} {port} a second time", "each port once", f"see line {line}")
    if mac in macs:
        other = macs[mac]
        found = f"the MAC {mac} a second time"
        hint = f"{other.cells[0]} {other.cells[1]} on line {other.line} has it"
        yield row.problem(2, found, "each MAC once", hint)
