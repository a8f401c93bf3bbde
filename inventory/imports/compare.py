"""Devices and cables as a source lists them, held against the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inventory.topology.asbuilt_rows import natural

from ..plan import Cable, Plan, PortRef
from .spreadsheet import CABLE_COLUMNS, COMPARED, Device, Wired


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a source and the plan disagree: `what`, in which thing, and how each has it."""

    what: str
    name: str
    theirs: str
    ours: str


def planned_fields(plan: Plan) -> dict[str, dict[str, str]]:
    """What the plan says of every device, in a spreadsheet's words.

    `rack` is a rack's name and `position` the lowest rack unit where the site has racks; else
    `position` is a node's number in its pod, and its rack counts in the pod.
    """
    fields: dict[str, dict[str, str]] = {plan.oob.name: {"role": "oob"}}
    for switch in plan.switches:
        fields[switch.name] = {"role": switch.tier, "profile": switch.profile}
    for other in plan.oob_switches:
        fields[other.name] = {"role": other.tier, "profile": other.profile}
    for node in plan.nodes:
        mine = {"role": "node", "profile": node.profile, "position": str(node.position)}
        fields[node.name] = mine if node.rack is None else {**mine, "rack": str(node.rack)}
    for rack in plan.racks:
        for pdu in rack.pdus:
            fields[pdu.name] = {"role": "pdu", "rack": rack.name}
        for device in rack.devices:
            place = {"rack": rack.name, "position": str(device.unit)}
            fields[device.device] = {**fields.get(device.device, {}), **place}
    return fields


def compare_devices(
    plan: Plan, devices: Iterable[Device], compared: tuple[str, ...] = COMPARED
) -> tuple[Difference, ...]:
    """Missing and extra devices, and those of another role, profile, rack or position.

    A field that the plan does not speak of (a rack where no rule was stated) is the source's.
    """
    planned = planned_fields(plan)
    theirs = {device.name: device for device in devices}
    found: list[Difference] = []
    for name in sorted({*planned, *theirs}, key=natural):
        if name not in theirs:
            found.append(Difference("missing device", name, "", "planned"))
        elif name not in planned:
            found.append(Difference("extra device", name, "listed", ""))
        else:
            mine = planned[name]
            found += [
                Difference(f"other {key}", name, value, mine[key])
                for key, value in theirs[name].fields
                if key in compared and key in mine and mine[key] != value
            ]
    return tuple(found)


def compare_cables(plan: Plan, wires: Iterable[Wired]) -> tuple[Difference, ...]:
    """Cables that are missing, extra, or end in another port than planned."""
    planned = plan.cable_at
    found: list[Difference] = []
    met: set[PortRef] = set()
    for wire in wires:
        cable = planned.get(wire.a) or planned.get(wire.b)
        ends = f"{wire.a} -- {wire.b}"
        met |= {wire.a, wire.b}
        if cable is None:
            found.append(Difference("extra cable", str(wire.a), ends, ""))
        elif (cable.a, cable.b) != (wire.a, wire.b):
            found.append(Difference("other port", str(wire.a), ends, str(cable)))
    found += [
        Difference("missing cable", str(cable.a), "", str(cable))
        for cable in plan.cables
        if cable.a not in met and cable.b not in met
    ]
    return tuple(sorted(found, key=lambda one: (one.what, natural(one.name))))


def cables_text(plan: Plan, wires: Iterable[Wired]) -> str:
    """Return cables as built in the form of `wiring.csv`, sorted.

    A cable that does not name its plane has that of the planned cable in one of its ports;
    where there is none either it is left out, for it belongs to no plane that we know.
    """
    lines = []
    for wire in sorted(wires, key=lambda one: (natural(one.a.device), natural(one.a.port))):
        cable: Cable | None = plan.cable_at.get(wire.a) or plan.cable_at.get(wire.b)
        plane = wire.plane or (cable.plane if cable else "")
        if plane:
            a, b = wire.a, wire.b
            lines.append(f"{a.device},{a.port},{b.device},{b.port},{plane}")
    return "\n".join([",".join((*CABLE_COLUMNS, "plane")), *lines, ""])
