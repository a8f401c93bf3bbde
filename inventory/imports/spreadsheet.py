"""`devices.csv` and `cables.csv` from a spreadsheet, held against the plan.

The plan derives names, places and ports; a spreadsheet owns what it cannot know: serial
numbers, MAC addresses, the rack as filled, the cables as plugged. What differs is reported.
`devices.csv` needs the column `name`; `role`, `profile`, `rack` and `position` are compared
where they are there, `serial`, `mac`, `bmc_mac` and `firmware` become rows of `asbuilt.csv`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from inventory.load.table import TableRow, of_another_tool, read_table
from inventory.topology.asbuilt import SERIAL, bad_mac
from inventory.topology.wiring import DEVICE, PORT

from ..plan import Plane, PortRef
from ..problems import Problem, close_to, one_of, shown
from .merge import Claim, claims_of
from .site import BMC, MANAGEMENT, DevicePorts

DEVICE_COLUMNS = (
    "name",
    "role",
    "profile",
    "rack",
    "position",
    "serial",
    "mac",
    "bmc_mac",
    "firmware",
)
COMPARED = ("role", "profile", "rack", "position")
CABLE_COLUMNS = ("a_device", "a_port", "b_device", "b_port")


@dataclass(frozen=True, slots=True)
class Device:
    """A device as a source lists it; what the source does not say is ""."""

    name: str
    fields: tuple[tuple[str, str], ...]
    serial: str
    macs: tuple[tuple[str, str], ...]
    firmware: str
    file: str
    line: int

    def problem(self, path: str, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at the device's line."""
        return Problem(self.file, self.line, 1, path, found, expected, hint)


@dataclass(frozen=True, slots=True)
class Wired:
    """A cable as a source lists it; `plane` is "" where it does not say."""

    a: PortRef
    b: PortRef
    plane: str
    file: str
    line: int


def read_devices(text: str, file: str) -> tuple[tuple[Device, ...], tuple[Problem, ...]]:
    """Read `devices.csv`: any of our columns, in any order."""
    header = text.split("\n", 1)[0].rstrip("\r").removeprefix("\ufeff")
    names = tuple(header.split(","))
    problems = list(_bad_header(header, names, file))
    if problems:
        return (), tuple(problems)
    rows, problems = read_table(text.removeprefix("\ufeff"), file, names)
    devices: dict[str, Device] = {}
    for row in rows:
        wrong = list(_bad_device(row, devices))
        problems += wrong
        if not wrong:
            device = _device(row)
            devices[device.name] = device
    return tuple(devices.values()), tuple(problems)


def _bad_header(header: str, names: tuple[str, ...], file: str) -> Iterator[Problem]:
    if not _is_header(header) and (told := of_another_tool(header, _is_header)):
        yield Problem(file, 1, 1, "", told[0], f"columns of {', '.join(DEVICE_COLUMNS)}", told[1])
        return
    for at, name in enumerate(names):
        if name not in DEVICE_COLUMNS or name in names[:at]:
            column = 1 + sum(len(one) + 1 for one in names[:at])
            hint = close_to(name, DEVICE_COLUMNS)
            found = shown(name) if name not in names[:at] else f"{shown(name)} a second time"
            yield Problem(file, 1, column, "", found, f"one of {', '.join(DEVICE_COLUMNS)}", hint)
    if "name" not in names:
        yield Problem(file, 1, 1, "", "no column `name`", "a column of the devices' names")


def _is_header(line: str) -> bool:
    names = line.split(",")
    return "name" in names and set(names) <= set(DEVICE_COLUMNS)


def _cell(row: TableRow, name: str) -> str:
    return row.cells[row.names.index(name)] if name in row.names else ""


def _bad_device(row: TableRow, before: Mapping[str, Device]) -> Iterator[Problem]:
    name, serial = _cell(row, "name"), _cell(row, "serial")
    at = row.names.index("name")
    if not name:
        yield row.problem(at, "nothing", "a name")
    elif name in before:
        hint = f"see line {before[name].line}"
        yield row.problem(at, f"`{name}` a second time", "each device once", hint)
    macs = [one for one in ("mac", "bmc_mac") if _cell(row, one)]
    for one in macs:
        yield from bad_mac(row, row.names.index(one))
    if serial and not SERIAL.fullmatch(serial):
        hint = "letters, digits, `.` `_` `/` `-`"
        yield row.problem(row.names.index("serial"), shown(serial), "a serial number", hint)
    if macs and not serial:
        hint = "a MAC address is written down with the serial number of its machine"
        yield row.problem(at, "no serial number", "one beside the MAC address", hint)


def _device(row: TableRow) -> Device:
    ports = ((MANAGEMENT, _cell(row, "mac")), (BMC, _cell(row, "bmc_mac")))
    return Device(
        name=_cell(row, "name"),
        fields=tuple((one, cell) for one in COMPARED if (cell := _cell(row, one))),
        serial=_cell(row, "serial"),
        macs=tuple((port, mac) for port, mac in ports if mac),
        firmware=_cell(row, "firmware"),
        file=row.file,
        line=row.line,
    )


def read_cables(text: str, file: str) -> tuple[tuple[Wired, ...], tuple[Problem, ...]]:
    """Read `cables.csv`; a port has one cable at most."""
    rows, problems = read_table(text.removeprefix("\ufeff"), file, CABLE_COLUMNS, ("plane",))
    used: dict[PortRef, int] = {}
    wires: list[Wired] = []
    for row in rows:
        a_device, a_port, b_device, b_port, *plane = row.cells
        a, b = sorted((PortRef(a_device, a_port), PortRef(b_device, b_port)))
        wrong = list(_bad_cable(row, a, b, used))
        problems += wrong
        if not wrong:
            wires.append(Wired(a, b, plane[0] if plane else "", file, row.line))
            used[a] = used[b] = row.line
    return tuple(wires), tuple(problems)


def _bad_cable(
    row: TableRow, a: PortRef, b: PortRef, used: Mapping[PortRef, int]
) -> Iterator[Problem]:
    for at, cell in enumerate(row.cells[: len(CABLE_COLUMNS)]):
        if not cell:
            yield row.problem(at, "nothing", "a name")
    for end in (a, b):
        if end in used:
            hint = f"see line {used[end]}"
            yield row.problem(0, f"{end} a second time", "one cable in a port", hint)
    if a == b:
        yield row.problem(2, f"{b} at both ends", "a cable between two ports")
    for at, word in ((0, DEVICE), (1, PORT), (2, DEVICE), (3, PORT)):
        if row.cells[at] and not word.fullmatch(row.cells[at]):
            kind = "a device name" if word is DEVICE else "a port name"
            yield row.problem(at, shown(row.cells[at]), kind)
    planes = get_args(Plane)
    if len(row.cells) > len(CABLE_COLUMNS) and row.cells[-1] not in ("", *planes):
        hint = close_to(row.cells[-1], planes)
        yield row.problem(4, shown(row.cells[-1]), one_of(planes), hint)


def device_claims(
    devices: Iterable[Device], ports: Mapping[str, DevicePorts]
) -> tuple[tuple[Claim, ...], tuple[Problem, ...]]:
    """The rows of `asbuilt.csv` that a list of devices brings; unplanned devices bring none."""
    claims: list[Claim] = []
    problems: list[Problem] = []
    for device in devices:
        mine = ports.get(device.name)
        if mine is None or not device.serial:
            continue
        macs = []
        for name, mac in device.macs:
            if port := mine.port(name):
                macs.append((port, mac))
            else:
                expected = f"a port of {device.name}"
                problems.append(device.problem(name, f"a MAC for `{name}`", expected))
        rows = claims_of(device.name, device.serial, macs, mine, device.file, device.line)
        claims += _seen(device, rows)
    return tuple(claims), tuple(problems)


def _seen(device: Device, claims: Iterable[Claim]) -> Iterator[Claim]:
    for claim in claims:
        row = claim.row
        if row.port == "chassis" and device.firmware:
            row = replace(row, firmware=device.firmware)
        yield replace(claim, row=row)
