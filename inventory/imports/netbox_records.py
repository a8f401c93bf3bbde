"""NetBox's records to our words: devices, ports with MACs, cables, primary addresses.

Read are the fields of NetBox's REST API (netboxlabs.com/docs, "REST API", and each model's
page) in releases 3.3 to 4.x: `role` was `device_role` before 3.6, and from 4.2 on a MAC is an
object of its own, which an interface still shows as `mac_address`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inventory.topology.asbuilt import SERIAL, plain_mac
from inventory.topology.asbuilt_rows import natural
from inventory.topology.wiring import DEVICE, PORT

from ..plan import Plan, PortRef
from ..problems import Problem, shown
from .compare import Difference
from .merge import Claim, claims_of
from .site import DevicePorts
from .spreadsheet import Device, Wired

Record = Mapping[str, object]

DEVICES, INTERFACES, CABLES = "dcim/devices", "dcim/interfaces", "dcim/cables"
# A device of such a status is not in its place (NetBox, "Devices", Status).
_AWAY = ("inventory", "decommissioning")
_WORDS = ("leaf", "spine", "superspine", "node", "oob")


@dataclass(frozen=True, slots=True)
class Records:
    """What was read of NetBox, as it came."""

    version: str
    devices: Sequence[Record]
    interfaces: Sequence[Record]
    cables: Sequence[Record]


@dataclass(frozen=True, slots=True)
class Inventory:
    """What NetBox says, in our words; `addresses` are primary IPv4 addresses by device.

    `unread` counts cables that do not join two ports (power, breakout), `portless` MACs on
    interfaces that the plan does not have.
    """

    devices: tuple[Device, ...]
    wires: tuple[Wired, ...]
    addresses: tuple[tuple[str, str], ...]
    claims: tuple[Claim, ...]
    differences: tuple[Difference, ...]
    unread: int
    portless: int
    problems: tuple[Problem, ...]


def inventory_of(
    records: Records, ports: Mapping[str, DevicePorts], renamed: Mapping[str, str]
) -> Inventory:
    """Read the records; `renamed` says which of our ports an interface of another name is."""
    problems: list[Problem] = []
    devices = tuple(_devices(records.devices, problems))
    macs, portless = _macs(records.interfaces, ports, renamed, problems)
    wires, unread = _wires(records.cables, renamed)
    claims: list[Claim] = []
    nameless: list[Difference] = []
    for device in devices:
        if device.name not in ports:
            continue
        if device.serial:
            mine = macs.get(device.name, ())
            claims += claims_of(
                device.name, device.serial, mine, ports[device.name], device.file, device.line
            )
        else:
            nameless.append(Difference("no serial number", device.name, "", "needed for a row"))
    addresses = (
        (name, address)
        for record in records.devices
        if (name := _text(record, "name")) and (address := _address(record))
    )
    return Inventory(
        devices=devices,
        wires=wires,
        addresses=tuple(sorted(addresses)),
        claims=tuple(claims),
        differences=tuple(sorted(nameless, key=lambda one: natural(one.name))),
        unread=unread,
        portless=portless,
        problems=tuple(problems),
    )


def compare_addresses(plan: Plan, inventory: Inventory) -> tuple[Difference, ...]:
    """Primary addresses that are not the planned management addresses."""
    planned = {switch.name: switch.management.address.ip for switch in plan.switches}
    planned |= {switch.name: switch.management.address.ip for switch in plan.oob_switches}
    planned |= {node.name: node.management.address.ip for node in plan.nodes}
    return tuple(
        Difference("other address", name, address, str(planned[name]))
        for name, address in inventory.addresses
        if name in planned and address != str(planned[name])
    )


def _text(record: object, *path: str) -> str:
    """The text at a path of keys; "" where something on the way is missing or null."""
    for key in path:
        record = record.get(key) if isinstance(record, Mapping) else None
    return str(record) if isinstance(record, str | int | float) else ""


def _number(record: Record) -> int:
    number = record.get("id")
    return number if isinstance(number, int) else 0


def _address(record: Record) -> str:
    return _text(record, "primary_ip4", "address").partition("/")[0]


def _devices(records: Sequence[Record], problems: list[Problem]) -> Iterator[Device]:
    seen: dict[str, int] = {}
    for record in records:
        name, number = _text(record, "name"), _number(record)
        if not name or _text(record, "status", "value") in _AWAY:
            continue
        serial = _text(record, "serial").strip()
        if serial and not SERIAL.fullmatch(serial):
            found, hint = shown(serial), "letters, digits, `.` `_` `/` `-`"
            problems.append(
                Problem(DEVICES, number, 1, name, found, "a serial number of this form", hint)
            )
            continue
        if name in seen:
            hint = f"see {DEVICES} {seen[name]}; read one site alone: --netbox-site SLUG"
            found = f"{shown(name)} a second time"
            problems.append(Problem(DEVICES, number, 1, name, found, "each device once", hint))
            continue
        seen[name] = number
        yield Device(name, tuple(_fields(record)), serial, (), "", DEVICES, number)


def _fields(record: Record) -> Iterator[tuple[str, str]]:
    role = _text(record, "role", "slug") or _text(record, "device_role", "slug")
    if role in _WORDS:
        yield "role", role
    if rack := _text(record, "rack", "name"):
        yield "rack", rack
    if position := _text(record, "position"):  # a decimal since 3.3, for half units
        yield "position", position.removesuffix(".0")


def _macs(
    records: Sequence[Record],
    ports: Mapping[str, DevicePorts],
    renamed: Mapping[str, str],
    problems: list[Problem],
) -> tuple[dict[str, list[tuple[str, str]]], int]:
    found: dict[str, list[tuple[str, str]]] = {}
    portless = 0
    for record in records:
        device, name = _text(record, "device", "name"), _text(record, "name")
        written = _text(record, "mac_address") or _text(
            record, "primary_mac_address", "mac_address"
        )
        if not written or device not in ports:
            continue
        mac = plain_mac(written)
        port = ports[device].port(renamed.get(name, name))
        if mac is None:
            path = f"{device} {name}"
            problems.append(
                Problem(INTERFACES, _number(record), 1, path, shown(written), "a MAC address")
            )
        elif port is None:
            portless += 1
        else:
            found.setdefault(device, []).append((port, mac))
    return found, portless


def _wires(records: Iterable[Record], renamed: Mapping[str, str]) -> tuple[tuple[Wired, ...], int]:
    wires: list[Wired] = []
    unread = 0
    for record in records:
        a, b = (_end(record.get(f"{side}_terminations"), renamed) for side in "ab")
        if a is None or b is None or a == b:
            unread += 1
            continue
        first, second = sorted((a, b))
        wires.append(Wired(first, second, "", CABLES, _number(record)))
    return tuple(wires), unread


def _end(terminations: object, renamed: Mapping[str, str]) -> PortRef | None:
    """The one interface at this end of a cable, or None (NetBox 3.3: an end may be many)."""
    if not isinstance(terminations, list) or len(terminations) != 1:
        return None
    (one,) = terminations
    if _text(one, "object_type") != "dcim.interface":
        return None
    device, name = _text(one, "object", "device", "name"), _text(one, "object", "name")
    port = renamed.get(name, name)
    if not DEVICE.fullmatch(device) or not PORT.fullmatch(port):
        return None
    return PortRef(device, port)
