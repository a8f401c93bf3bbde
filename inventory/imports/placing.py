"""Which planned device a machine of a manifest is.

By a list of names that people made while racking (`names.csv`: `machine,device`), by its own
name where that is a planned one, by the serial number of an earlier row, or by the rack and its
lowest unit where the plan has such a seat. What none of these places is reported, and gets no
row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from inventory.load.table import read_table
from inventory.topology.asbuilt import SERIAL
from inventory.topology.asbuilt_rows import BuiltRow

from ..problems import Problem, close_to, shown
from .forms import FIELDS
from .machines import Machine
from .merge import Claim, Place, claims_of
from .site import BMC, MANAGEMENT, DevicePorts

COLUMNS = ("machine", "device")
_MOST_HINTS = 50


@dataclass(frozen=True, slots=True)
class Named:
    """What people say of a machine: its device and, where the maker does not, its serial."""

    device: str
    serial: str


@dataclass(frozen=True, slots=True)
class Placed:
    """The rows that a manifest brings, and the machines that nothing places."""

    claims: tuple[Claim, ...]
    unplaced: tuple[Machine, ...]
    problems: tuple[Problem, ...]


def read_names(
    text: str, file: str, devices: Mapping[str, DevicePorts]
) -> tuple[dict[str, Named], list[Problem]]:
    """Read `machine,device` (and `serial`): a serial number, name or RACK/UNIT -> a device."""
    rows, problems = read_table(text, file, COLUMNS, ("serial",))
    names: dict[str, Named] = {}
    hints = 0
    for row in rows:
        machine, device, *serial = row.cells
        if device not in devices:
            hint = close_to(device, devices) if hints < _MOST_HINTS else ""
            hints += 1
            problems.append(row.problem(1, f"`{device}`", "a device of this site", hint))
        elif not machine or machine in names:
            problems.append(row.problem(0, shown(machine), "each machine once"))
        elif serial and serial[0] and not SERIAL.fullmatch(serial[0]):
            problems.append(row.problem(2, shown(serial[0]), "a serial number"))
        else:
            names[machine] = Named(device, serial[0] if serial else "")
    return names, problems


def place(
    machines: Iterable[Machine],
    devices: Mapping[str, DevicePorts],
    names: Mapping[str, Named],
    before: Mapping[Place, BuiltRow],
    locations: Mapping[str, str],
) -> Placed:
    """Return the rows of all machines that can be placed; `locations`: RACK/UNIT -> device."""
    owner = {row.serial: row.device for row in before.values()}
    serials = {row.device: row.serial for row in before.values() if row.port == "chassis"}
    claims: list[Claim] = []
    unplaced: list[Machine] = []
    problems: list[Problem] = []
    for machine in machines:
        named = _named(machine, devices, names, owner, locations)
        if named is None:
            unplaced.append(machine)
            continue
        serial = machine.serial or named.serial or serials.get(named.device, "")
        if not serial:
            hint = "the form has none: a chassis row, or a third column `serial` of --names"
            problems.append(machine.problem("serial", "nothing", "a serial number", hint))
            continue
        ports = devices[named.device]
        problems += _unknown_ports(machine, named.device, ports)
        macs = [(port, mac) for name, mac in machine.macs if (port := ports.port(name))]
        claims += claims_of(named.device, serial, macs, ports, machine.file, machine.line)
    return Placed(tuple(claims), tuple(unplaced), tuple(problems))


def _named(
    machine: Machine,
    devices: Mapping[str, DevicePorts],
    names: Mapping[str, Named],
    owner: Mapping[str, str],
    locations: Mapping[str, str],
) -> Named | None:
    for key in (machine.serial, machine.name, machine.location):
        if key in names:
            return names[key]
    if machine.name in devices:
        return Named(machine.name, "")
    known = owner.get(machine.serial, "") or locations.get(machine.location, "")
    return Named(known, "") if known in devices else None


def _unknown_ports(machine: Machine, device: str, ports: DevicePorts) -> Iterator[Problem]:
    for name, _ in machine.macs:
        if ports.port(name) is None:
            expected = f"a port of {device}"
            hint = close_to(name, {*ports.all, *FIELDS, MANAGEMENT, BMC}) or "see its profile"
            yield machine.problem(name, f"a MAC for `{name}`", expected, hint)


def serial_by_mac(machines: Iterable[Machine]) -> dict[str, str]:
    """Return the serial number of the machine that has a MAC, for all MACs of a manifest."""
    return {
        mac: machine.serial
        for machine in machines
        for mac in (*(mac for _, mac in machine.macs), *machine.more_macs)
        if machine.serial
    }
