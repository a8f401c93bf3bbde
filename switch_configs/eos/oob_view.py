"""Switches of the OOB plane: a VLAN a zone, isolated ports towards devices, trunks to others.

EOS isolates by private VLANs: devices are in the isolated part of their zone's VLAN. Trunks
between switches carry the zone's VLAN and its isolated part, which every switch of the plane
knows, so isolated ports of one switch are not heard by those of another (RFC 5517). The OOB server
knows the zones' VLANs only: what leaves towards it gets their number (AVD golden
ethernet-interfaces.cfg, "PVLAN Promiscuous Trunk - vlan translation out").
"""

from __future__ import annotations

from inventory.plan import OobPort
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent

from . import names
from .kinds import Kind, Port, Ports, Switchport, in_order, words
from .port_view import Svi, Vlan, ranges
from .speeds import speed

_ISOLATED_FROM = 2000
_VLAN_MOST = 4094
# The plan keeps no lanes for these ports. QSFP+ has four of 10 Gb/s (SFF-8436), QSFP28 four of
# 25 (SFF-8665), QSFP56 four of 50, OSFP eight of 100.
_LANES = {40: 4, 50: 2, 100: 4, 200: 4, 400: 4, 800: 8}


def isolated_vlans(intent: OobIntent) -> dict[str, int]:
    """The isolated part of each zone, by zone; the same on every switch of the plane."""
    numbers = {one.name: _ISOLATED_FROM + one.vlan for one in intent.zones}
    own = {one.vlan for one in intent.zones}
    for zone, number in numbers.items():
        if number in own or number > _VLAN_MOST:
            raise DialectError(
                f"{intent.switch.name}: the isolated part of zone {zone} would be VLAN {number}",
                "give the zones VLANs below 2000",
            )
    return numbers


def vlans(intent: OobIntent, isolated: dict[str, int]) -> tuple[Vlan, ...]:
    """The zones' VLANs and their isolated parts."""
    found = []
    for zone in intent.zones:
        name = names.word(zone.name, "zone", intent.switch.name, 23)
        found.append(Vlan(zone.vlan, name))
        found.append(Vlan(isolated[zone.name], f"{name}-isolated", zone.vlan))
    return tuple(sorted(found, key=lambda one: one.id))


def ports(intent: OobIntent, isolated: dict[str, int]) -> Ports:
    """All ports, in EOS's order."""
    return in_order([_port(intent, isolated, port) for port in intent.switch.ports])


def _port(intent: OobIntent, isolated: dict[str, int], one: OobPort) -> Port:
    switch = intent.switch
    name = names.port(one.name, switch.name)
    if one.isolated and len(one.zones) != 1:
        raise DialectError(
            f"{switch.name}: the isolated port {name} is in {len(one.zones)} zones",
            "a device's port is in one zone",
        )
    kind = Kind(
        described=True,
        speed=speed(one.rate_gbps, _LANES.get(int(one.rate_gbps), 1), f"{switch.name} {name}"),
        switchport=_switchport(intent, isolated, one),
        edge=one.isolated,
    )
    description = names.text(one.description, f"description of {name}", switch.name)
    return kind, words(name, description)


def _switchport(intent: OobIntent, isolated: dict[str, int], one: OobPort) -> Switchport:
    if one.isolated:
        return Switchport(access=isolated[one.zones[0]])
    pairs = sorted(
        (zone.vlan, isolated[zone.name]) for zone in intent.zones if zone.name in one.zones
    )
    outward = tuple((part, vlan) for vlan, part in pairs) if one.to_server else ()
    return Switchport(
        allowed=ranges(tuple(vlan for pair in pairs for vlan in pair)), outward=outward
    )


def svis(intent: OobIntent, isolated: dict[str, int], owner: str) -> tuple[Svi, ...]:
    """The switch's own address, in the VLAN of its management zone."""
    management = intent.switch.management
    zone = next((one for one in intent.zones if one.name == management.zone), None)
    if zone is None:
        raise DialectError(
            f"{intent.switch.name}: its management zone {management.zone} has no VLAN",
            f"there are: {', '.join(one.name for one in intent.zones)}",
        )
    return (
        Svi(
            vlan=zone.vlan,
            description=owner,
            isolated=str(isolated.get(zone.name, "")),
            vrf=names.MANAGEMENT_VRF,
            address=str(management.address),
        ),
    )
