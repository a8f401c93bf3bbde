"""How exports see a plan: who stands where, in which order people read names.

Everything here is read from the plan's cables and devices, so a further plane or tier is seen
without a word about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from inventory.problems import ExpectedError
from inventory.topology.media import Medium, medium

from ..plan import Cable, Node, Plan, Plane, PortRef

PLANES: tuple[Plane, ...] = ("compute", "storage", "business", "oob")
# From the bottom of a fabric to its top.
_TIER_LEVEL = {"leaf": 1, "spine": 2, "superspine": 3}
_OOB_LEVEL = {"access": 4, "aggregation": 5, "core": 6}
_OOB_SERVER_LEVEL = 7
_DIGITS = re.compile(r"(\d+)")

NaturalKey = tuple[tuple[str, int], ...]


class ExportError(ExpectedError, ValueError):
    """A plan that has nothing to export in this form, said in one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a device stands: its rack and lowest rack unit, "" and None where nobody said."""

    rack: str
    unit: int | None


NOWHERE = Place("", None)


# A switch's physical port, with into how many links it is split; any other port is whole.
Cage = tuple[str, str, int]


def cages(plan: Plan) -> Callable[[PortRef], Cage]:
    """What gives the cage behind the end of a cable: device, cage, ways."""
    split = {
        PortRef(switch.name, port.name): (switch.name, f"cage {port.cage}", port.ways)
        for switch in plan.switches
        for port in switch.ports
        if port.ways > 1
    }
    return lambda end: split.get(end) or (end.device, end.port, 1)


def media(plan: Plan) -> Callable[[Cable], Medium]:
    """What gives the medium of a cable, knowing which cages are split."""
    cage = cages(plan)
    return lambda one: medium(one.rate_gbps, one.cable_m, max(cage(one.a)[2], cage(one.b)[2]))


def natural(name: str) -> NaturalKey:
    """A key that sorts numbers inside names as numbers: swp2 before swp10."""
    parts = _DIGITS.split(name)
    numbers = [int(part) for part in parts[1::2]] + [-1]
    return tuple(zip(parts[::2], numbers, strict=True))


def planes(plan: Plan) -> tuple[Plane, ...]:
    """The planes that have cables, in the order of PLANES."""
    found = {cable.plane for cable in plan.cables}
    return tuple(one for one in PLANES if one in found)


def cables_of(plan: Plan, plane: Plane | None) -> Iterator[Cable]:
    """The cables of a plane, or all of them; raises ExportError where a plane has none."""
    if plane is not None and plane not in planes(plan):
        has = ", ".join(planes(plan)) or "no plane"
        raise ExportError(f"{plan.site} has no cables in the plane {plane}; it has {has}")
    return (cable for cable in plan.cables if plane is None or cable.plane == plane)


def level(plan: Plan, device: str) -> int:
    """How high a device stands: nodes 0, then tiers, the OOB switches, the OOB server."""
    if device == plan.oob.name:
        return _OOB_SERVER_LEVEL
    if device in plan.oob_switch:
        return _OOB_LEVEL[plan.oob_switch[device].tier]
    switch = plan.switch.get(device)
    return 0 if switch is None else _TIER_LEVEL[switch.tier]


def upward(plan: Plan, plane: Plane | None) -> Iterator[tuple[Cable, PortRef, PortRef]]:
    """The cables of a plane or of all, each with its ends, the lower one first.

    Ends of one level stand in natural order of their names.
    """
    at = {one: level(plan, one) for one in everybody(plan)}
    for cable in cables_of(plan, plane):
        a, b = cable.a, cable.b
        high, low = at[a.device], at[b.device]
        if low < high or (low == high and natural(b.device) < natural(a.device)):
            a, b = b, a
        yield cable, a, b


def everybody(plan: Plan) -> set[str]:
    """Every device, also one that only cables name."""
    return {*plan.devices, *(end.device for cable in plan.cables for end in (cable.a, cable.b))}


def device_order(plan: Plan) -> dict[str, int]:
    """Every device's place in a list for people: rack by rack, then by level and name."""
    stands = places(plan)

    def key(device: str) -> tuple[object, ...]:
        place = stands.get(device, NOWHERE)
        pod = _pod(plan, device)
        where = (place.rack == "", natural(place.rack), -(place.unit or 0))
        return (*where, level(plan, device), pod is None, pod or 0, natural(device))

    return {device: number for number, device in enumerate(sorted(everybody(plan), key=key))}


def places(plan: Plan) -> dict[str, Place]:
    """Where each device stands: by the plan's racks, else by a node's rack in its pod."""
    if plan.racks:
        return {
            device.device: Place(rack.name, device.unit)
            for rack in plan.racks
            for device in rack.devices
        }
    return {
        node.name: Place(f"p{node.pod}-{node.rack}", None)
        for node in plan.nodes
        if node.rack is not None
    }


def rail_of(plan: Plan, lower: PortRef, rails: dict[PortRef, int]) -> int | None:
    """The rail that a cable belongs to: that of the NIC, or of the leaf, at its lower end."""
    switch = plan.switch.get(lower.device)
    return rails.get(lower) if switch is None else switch.rail


def nic_rails(nodes: Iterable[Node]) -> dict[PortRef, int]:
    """The rail of each rail NIC, by its port."""
    return {PortRef(node.name, nic.port): nic.rail for node in nodes for nic in node.rails}


@lru_cache(maxsize=1024)
def number(value: float) -> str:
    """A measure without needless zeros: 400, 0.2, 1.5."""
    return f"{value:.12g}"


def _pod(plan: Plan, device: str) -> int | None:
    node = plan.node.get(device)
    if node is not None:
        return node.pod or None
    switch = plan.switch.get(device)
    return switch.pod if switch is not None else None
