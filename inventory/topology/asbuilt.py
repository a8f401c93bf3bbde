"""`asbuilt.csv`: which machine really is where. Written by machines, read strictly.

Columns: `device,port,mac,serial`, and where firmware was seen a fifth, `firmware`. A row of a
device's management port is its identity; a device without one is planned, but not deployable.
The row of the port `chassis` names the machine itself: a serial number, and no MAC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inventory.load.table import TableRow, read_table
from inventory.problems import Problem, shown

COLUMNS = ("device", "port", "mac", "serial")
SEEN_COLUMNS = ("firmware",)
CHASSIS = "chassis"
MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
SERIAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,63}")
FIRMWARE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~:/-]{0,63}")
_NO_MAC = "00:00:00:00:00:00"
# An address whose first byte is odd is one of a group (IEEE 802, the I/G bit).
_UNICAST = re.compile(r"[0-9a-f][02468ace](:[0-9a-f]{2}){5}")


@dataclass(frozen=True, slots=True)
class Built:
    """One port as built, and the row that says so; `firmware` is "" where nobody looked."""

    mac: str
    serial: str
    row: TableRow
    firmware: str = ""


@dataclass(slots=True)
class AsBuilt:
    """Ports as built, by (device, port), and the machines themselves, by device."""

    ports: dict[tuple[str, str], Built] = field(default_factory=dict)
    chassis: dict[str, Built] = field(default_factory=dict)

    def mac(self, device: str, port: str) -> str | None:
        """Return the MAC of a port, or None where nobody has said."""
        built = self.ports.get((device, port))
        return built.mac if built else None

    def serial(self, device: str, port: str) -> str | None:
        """Return the serial number in a port's row, or None where nobody has said."""
        built = self.ports.get((device, port))
        return built.serial if built else None

    def firmware(self, device: str, port: str) -> str | None:
        """Return the firmware seen on a port or on `chassis`, or None where nobody looked."""
        built = self.chassis.get(device) if port == CHASSIS else self.ports.get((device, port))
        return built.firmware or None if built else None


def parse_asbuilt(text: str, file: str) -> tuple[AsBuilt, list[Problem]]:
    """Read the file, in time that grows with its length; bad rows become problems."""
    rows, problems = read_table(text, file, COLUMNS, SEEN_COLUMNS)
    asbuilt = AsBuilt()
    macs: dict[str, TableRow] = {}
    for row in rows:
        if not _is_good(row, asbuilt, macs):
            wrong = [*_bad_cells(row), *_seen_before(row, asbuilt, macs)]
            problems += wrong
            if wrong:
                continue
        _add(row, asbuilt, macs)
    return asbuilt, problems


def _is_good(row: TableRow, asbuilt: AsBuilt, macs: dict[str, TableRow]) -> bool:
    """Whether an ordinary row of a port needs no closer look; nearly all rows of a site."""
    device, port, mac, serial, *seen = row.cells
    return bool(
        device
        and port
        and port != CHASSIS
        and mac not in macs
        and (device, port) not in asbuilt.ports
        and not any(seen)
        and _UNICAST.fullmatch(mac)
        and mac != _NO_MAC
        and SERIAL.fullmatch(serial)
    )


def _add(row: TableRow, asbuilt: AsBuilt, macs: dict[str, TableRow]) -> None:
    device, port, mac, serial, *seen = row.cells
    built = Built(mac, serial, row, seen[0] if seen else "")
    if port == CHASSIS:
        asbuilt.chassis[device] = built
    else:
        asbuilt.ports[device, port] = built
        macs[mac] = row


def _bad_cells(row: TableRow) -> Iterator[Problem]:
    device, port, mac, serial, *seen = row.cells
    for at, cell in ((0, device), (1, port)):
        if not cell:
            yield row.problem(at, "nothing", "a name")
    if port == CHASSIS:
        if mac:
            hint = "a chassis has no MAC of its own; its ports have"
            yield row.problem(2, shown(mac), "nothing", hint)
    else:
        yield from bad_mac(row, 2)
    if not SERIAL.fullmatch(serial):
        yield row.problem(3, shown(serial), "a serial number", "letters, digits, `.` `_` `/` `-`")
    if seen and seen[0] and not FIRMWARE.fullmatch(seen[0]):
        hint = "letters, digits, `.` `_` `+` `~` `:` `/` `-`; empty where nobody looked"
        yield row.problem(4, shown(seen[0]), "a firmware version", hint)


def bad_mac(row: TableRow, at: int) -> Iterator[Problem]:
    """What is wrong with the MAC address of a port in cell `at`, if anything."""
    mac = row.cells[at]
    if not MAC.fullmatch(mac):
        yield row.problem(at, shown(mac), "a MAC address", _mac_hint(mac))
    elif int(mac[:2], 16) & 1:
        yield row.problem(at, shown(mac), "a unicast MAC address", "the first byte is odd")
    elif mac == _NO_MAC:
        yield row.problem(at, shown(mac), "a MAC address of a port")


def plain_mac(text: str) -> str | None:
    """Return a MAC address in our form, however it is punctuated; None where it is none.

    Makers write `C4:5A:B1:C8:38:0D`, `c45a.b1c8.380d`, `C4-5A-B1-C8-38-0D` or plain digits.
    """
    digits = re.sub(r"[:.\- ]", "", text.strip().lower())
    if not re.fullmatch(r"[0-9a-f]{12}", digits):
        return None
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def _mac_hint(mac: str) -> str:
    digits = re.sub(r"[^0-9a-f]", "", mac.lower())
    if len(digits) != 12:
        return "six bytes in lower case, like 02:52:42:01:00:01"
    return f"write it as {':'.join(digits[at : at + 2] for at in range(0, 12, 2))}"


def _seen_before(row: TableRow, asbuilt: AsBuilt, macs: dict[str, TableRow]) -> Iterator[Problem]:
    device, port, mac = row.cells[:3]
    before = asbuilt.chassis.get(device) if port == CHASSIS else asbuilt.ports.get((device, port))
    if before:
        hint = f"see line {before.row.line}"
        yield row.problem(1, f"{device} {port} a second time", "each port once", hint)
    if mac in macs:
        other = macs[mac]
        found = f"the MAC {mac} a second time"
        hint = f"{other.cells[0]} {other.cells[1]} on line {other.line} has it"
        yield row.problem(2, found, "each MAC once", hint)
