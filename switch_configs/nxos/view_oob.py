"""A switch of the OOB plane: a VLAN for each zone, and a private VLAN for its isolated ports.

Two isolated ports of a private VLAN do not see each other, on whatever switch they are: what
they send crosses regular trunks in the isolated VLAN, which no isolated port hears. So every
switch of the plane has the same pairs, those without isolated ports too (RFC 5517; Cisco Nexus
9000 NX-OS Layer 2 Switching guide 9.3(x), "Private VLANs Across Multiple Devices"). The OOB server
knows the zones' own numbers only: its port is a promiscuous trunk, which the guide allows towards
hosts and not towards switches.
"""

from __future__ import annotations

import re

from inventory.plan import OobPort
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent

from . import words
from .view_layer2 import MOST_VLAN, Vlan, number, vlan_name
from .view_ports import Breakout, Interface, Switched, listed

_ISOLATED_FROM = 2000
# A QSFP28 cage: 100 Gb/s over 4 lanes. The plan says no more of an OOB port than its rate.
_LANES, _CAGE_GBPS = 4, 100
_PART = re.compile(r"Ethernet1/(\d+)/\d+")


def oob_breakouts(intent: OobIntent) -> tuple[Breakout, ...]:
    """Every split cage, told by the names of its ports."""
    switch = intent.switch
    rates: dict[int, set[float]] = {}
    for port in switch.ports:
        part = _PART.fullmatch(port.name)
        if part:
            rates.setdefault(int(part[1]), set()).add(port.rate_gbps)
    return tuple(
        Breakout(cage, _map(switch.name, cage, own, switch.hardware.lanes))
        for cage, own in sorted(rates.items())
    )


def _map(device: str, cage: int, rates: set[float], lanes: int) -> str:
    rate, *others = sorted(rates)
    ways = _CAGE_GBPS / rate
    if others or lanes != _LANES or ways not in (2, 4):
        raise DialectError(
            f"{device}: cage {cage} of {lanes} lanes cannot be split into ports of {rate:g} Gb/s",
            f"the OOB plane is read with cages of {_CAGE_GBPS} Gb/s, split into 2 or 4 alike",
        )
    return f"{rate:g}g-{ways:g}x"


def oob_vlans(intent: OobIntent) -> tuple[Vlan, ...]:
    """VLAN 1, the zones, and beside each zone the VLAN of its isolated ports."""
    device = intent.switch.name
    zones = [
        Vlan(
            number(zone.vlan, device),
            vlan_name(zone.name, device),
            _private(intent, zone.vlan),
        )
        for zone in intent.zones
    ]
    own = [
        Vlan(vlan.isolated, vlan_name(f"{vlan.name}-isolated", device), is_isolated=True)
        for vlan in zones
        if vlan.isolated is not None
    ]
    return (Vlan(1, ""), *sorted([*zones, *own], key=lambda one: one.number))


def _private(intent: OobIntent, vlan: int) -> int:
    made = _ISOLATED_FROM + vlan
    if made > MOST_VLAN or made in {zone.vlan for zone in intent.zones}:
        raise DialectError(
            f"{intent.switch.name}: no number for the private VLAN of VLAN {vlan}: {made}",
            f"a zone's VLAN and {_ISOLATED_FROM} more must be free and at most {MOST_VLAN}",
        )
    return made


def oob_ports(intent: OobIntent) -> tuple[Interface, ...]:
    """The address in its VLAN, and every port."""
    switch = intent.switch
    own = switch.management
    ports = sorted(switch.ports, key=lambda one: words.natural(one.name))
    in_band = own.port if own.port.startswith("vlan") else ""
    if not in_band and own.port != "mgmt0":
        raise DialectError(f"{switch.name}: no management port {own.port!r} in NX-OS")
    numbers = {zone.name: zone.vlan for zone in intent.zones}
    pairs = {zone: (vlan, _private(intent, vlan)) for zone, vlan in numbers.items()}
    return (
        *([_svi(in_band, str(own.address))] if in_band else []),
        *(
            Interface(
                words.port(port.name, switch.name),
                description=words.description(port.description, port.name, switch.name, 254),
                switched=_switched(port, sorted(pairs[zone] for zone in port.zones)),
                speed_mbps=None if _PART.fullmatch(port.name) else int(port.rate_gbps * 1000),
            )
            for port in ports
        ),
        *([] if in_band else [_mgmt(str(own.address))]),
    )


def _svi(name: str, address: str) -> Interface:
    return Interface(f"Vlan{name.removeprefix('vlan')}", vrf="management", address=address)


def _mgmt(address: str) -> Interface:
    return Interface("mgmt0", vrf="management", address=address, up=False)


def _switched(port: OobPort, pairs: list[tuple[int, int]]) -> Switched:
    if port.isolated:
        return Switched(hosts=pairs[0], edge="edge")
    if port.to_server:
        return Switched(allowed=listed([one for one, _ in pairs]), mapped=tuple(pairs))
    return Switched(allowed=listed(sorted(vlan for pair in pairs for vlan in pair)))
