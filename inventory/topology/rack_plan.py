"""Racks as planned: what stands at which height, and what it may draw."""

from __future__ import annotations

from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.oob.plane import OobPlan
from inventory.oob.switches import access_name, pdu_name
from inventory.plan import Pdu, Rack, RackedDevice
from inventory.schema import NodeProfile, SwitchProfile

from .racks import OOB_SWITCH_UNITS, Layout


def racks(fabric: Fabric, layout: Layout | None, seats: OobPlan) -> tuple[Rack, ...]:
    """Every rack, in order; none where the site does not say how its racks are."""
    if layout is None:
        return ()
    rows = _rows(layout)
    return tuple(_rack(fabric, layout, name, rows[name], seats) for name in layout.by_rack)


def _rack(fabric: Fabric, layout: Layout, name: str, row: str, seats: OobPlan) -> Rack:
    said, members = layout.racks, layout.by_rack[name]
    devices = [racked(fabric, layout, member) for member in members]
    if fabric.intent.oob.switches is not None:
        devices.append(_oob_switch(fabric, layout, name))
    spot = layout.spots[members[0]]
    return Rack(
        name=name,
        kind=spot.kind,
        pod=spot.pod,
        row=row,
        devices=tuple(sorted(devices, key=lambda one: (one.unit, one.device))),
        pdus=tuple(_pdu(fabric, pdu_name(name, at + 1), seats) for at in range(said.pdus)),
        units=said.units,
        power_w=sum(device.power_w for device in devices),
        limit_w=said.power_w,
        pdu_limit_w=said.pdu_power_w,
    )


def _rows(layout: Layout) -> dict[str, str]:
    """The row of each rack: those of a kind and pod are counted in order; no rule: one row."""
    spots = {rack: layout.spots[members[0]] for rack, members in layout.by_rack.items()}
    first: dict[tuple[str, int], int] = {}
    for one in spots.values():
        key = one.kind, one.pod
        first[key] = min(first.get(key, one.rack_index), one.rack_index)
    per_row = layout.racks.racks_per_row
    rows = dict[str, str]()
    for rack, one in spots.items():
        number = (one.rack_index - first[one.kind, one.pod]) // per_row + 1 if per_row else 1
        rows[rack] = (
            f"row-{one.kind}-p{one.pod}-{number}" if one.pod else f"row-{one.kind}-{number}"
        )
    return rows


def _pdu(fabric: Fabric, name: str, seats: OobPlan) -> Pdu:
    seat = seats.pdus.get(name)
    return Pdu(name, oob.management(fabric, seat) if seat else None)


def power_of(fabric: Fabric, profile: str) -> int | None:
    """Most power of a profile, W: the maker's figure, else what the site says, else None."""
    known: NodeProfile | SwitchProfile | None = fabric.node_profiles.get(profile)
    known = known or fabric.switch_profiles.get(profile)
    said = fabric.intent.racks.power_of if fabric.intent.racks else {}
    return (known.power_w if known else None) or said.get(profile)


def _body(fabric: Fabric, device: str) -> tuple[int, int]:
    """Height in rack units and most power in W (0 where the profile does not say)."""
    at = fabric.population.nodes.get(device)
    if at is not None:
        name = fabric.population.profile_of(at)
        return fabric.node_profiles[name].rack_units, power_of(fabric, name) or 0
    name = fabric.profile_of_switch[device]
    return fabric.switch_profiles[name].rack_units, power_of(fabric, name) or 0


def racked(fabric: Fabric, layout: Layout, device: str) -> RackedDevice:
    """A node or switch at its place, counted from the lowest unit of a full rack."""
    units, power_w = _body(fabric, device)
    step = units if device in fabric.population.nodes else _switch_step(fabric)
    place = layout.spots[device].place
    return RackedDevice(device, (place - 1) * step + 1, units, power_w)


def _switch_step(fabric: Fabric) -> int:
    """Rack units kept for each switch: network racks mix kinds, so the highest decides."""
    used = {
        name
        for one in fabric.fabrics
        for name in (one.leaf_profile, one.spine_profile, one.superspine_profile)
        if name
    }
    return max(fabric.switch_profiles[name].rack_units for name in used)


def _oob_switch(fabric: Fabric, layout: Layout, rack: str) -> RackedDevice:
    said = fabric.intent.oob.switches
    power_w = power_of(fabric, said.access_profile) if said else None
    top = layout.racks.units - OOB_SWITCH_UNITS + 1
    return RackedDevice(access_name(rack), top, OOB_SWITCH_UNITS, power_w or 0)
