"""`interface`: ports, bonds, subinterfaces, the loopback and the management port.

Sources: NVIDIA Cumulus Linux 5.14, Switch Port Attributes (speed, FEC, breakout; an MTU belongs
to the bond and not to its members), Bonding, VRFs; Management VRF; 5.15 New and Changed Commands.
"""

from __future__ import annotations

from inventory.plan import Management, SwitchPort
from switch_configs.errors import DialectError

from .. import values
from ..tree import Tree, put
from ..words import Words
from .base import Base, bonds


def interfaces(base: Base, tree: Tree) -> None:
    """Every interface of a data switch but its SVIs."""
    switch, device = base.intent.switch, base.device
    put(tree, "interface", "lo", base.words.ipv4, "address", f"{switch.loopback}/32")
    put(tree, "interface", "lo", "type", value="loopback")
    management(device, switch.management, base.words, tree)
    for port in switch.ports:
        _port(base, port, tree)
    for number, members in bonds(switch.ports).items():
        _bond(base, number, members, tree)
    breakouts(device, tree, {one.name: one.ways for one in switch.ports}, switch.hardware.lanes)
    _subinterfaces(base, tree)


def management(device: str, port: Management, words: Words, tree: Tree) -> None:
    """The management port in its own routing table, with its gateway."""
    at = values.name(device, port.port, "management port")
    put(tree, "interface", at, words.ipv4, "address", port.address)
    put(tree, "interface", at, words.ipv4, "gateway", port.gateway)
    in_vrf(tree, at, "mgmt", words)
    put(tree, "interface", at, "type", value="eth")


def in_vrf(tree: Tree, port: str, vrf: str, words: Words) -> None:
    """Puts an interface into a routing table."""
    at = ("ip", "vrf") if words.vrf_in_ip else ("vrf",)
    put(tree, "interface", port, *at, value=vrf)


def _port(base: Base, port: SwitchPort, tree: Tree) -> None:
    device, at = base.device, values.name(base.device, port.name, "port")
    physical(device, at, port.rate_gbps, port.description, tree)
    put(tree, "interface", at, "link", "fec", value=values.FEC[port.fec])
    if port.autoneg is not None:
        word = base.words.on if port.autoneg else base.words.off
        put(tree, "interface", at, "link", "auto-negotiate", value=word)
    if port.bond is None and port.direction != "peer":
        put(tree, "interface", at, "link", "mtu", value=values.mtu(device, at, port.ip_mtu_bytes))
    if port.address:
        put(tree, "interface", at, base.words.ipv4, "address", port.address)
    if base.intent.switch.adaptive_routing and _routed(base, port):
        _adaptive(base, port)
        for key, word in base.words.enable.items():
            put(tree, "interface", at, "router", "adaptive-routing", key, value=word)


def physical(device: str, at: str, rate_gbps: float, text: str, tree: Tree) -> None:
    """What a port is, whatever it is for."""
    put(tree, "interface", at, "type", value="swp")
    put(tree, "interface", at, "link", "speed", value=values.speed(device, at, rate_gbps))
    if text:
        words = values.description(device, text, f"description of {at}")
        put(tree, "interface", at, "description", value=words)


def _routed(base: Base, port: SwitchPort) -> bool:
    return any(session.port == port.name for session in base.intent.switch.sessions)


def _adaptive(base: Base, port: SwitchPort) -> None:
    """Spectrum-4 at 200 and 400 Gb/s only, and no bonds (Equal Cost Multipath, 5.14)."""
    asic = base.intent.switch.hardware.asic
    if asic != "spectrum4" or port.rate_gbps not in (200, 400) or port.bond is not None:
        raise DialectError(
            f"{base.device}: no adaptive routing on {port.name}, {port.rate_gbps:g} Gb/s of {asic}",
            "Cumulus Linux has it on Spectrum-4 at 200 and 400 Gb/s; leave `adaptive_routing` out",
        )


def _bond(base: Base, number: int, members: list[SwitchPort], tree: Tree) -> None:
    at, device = f"bond{number}", base.device
    mtus = {port.ip_mtu_bytes for port in members}
    if len(mtus) > 1:
        raise DialectError(f"{device}: the ports of {at} have different MTUs")
    for one in members:
        put(tree, "interface", at, "bond", "member", one.name)
    put(tree, "interface", at, "bond", "mode", value="lacp")
    put(tree, "interface", at, "type", value="bond")
    put(tree, "interface", at, "link", "mtu", value=values.mtu(device, at, mtus.pop()))
    if base.intent.switch.pair:
        values.within(device, "bond", number, 1, 65535)
        put(tree, "interface", at, "bond", "mlag", "id", value=number)
        for key, word in base.words.enable.items():
            put(tree, "interface", at, "bond", "mlag", key, value=word)


def breakouts(device: str, tree: Tree, ways: dict[str, int], lanes: int) -> None:
    """The cages that are split, as many lanes to each part."""
    for port, count in ways.items():
        if count == 1:
            continue
        found = values.cage(port)
        if found is None or count not in (2, 4, 8) or lanes % count:
            raise DialectError(f"{device}: {port} is not a part of a cage split {count} ways")
        cage = values.name(device, found[0], "cage")
        at = ("interface", cage, "link", "breakout", f"{count}x")
        put(tree, *at, "lanes-per-port", value=str(lanes // count))
        put(tree, "interface", cage, "type", value="swp")


def _subinterfaces(base: Base, tree: Tree) -> None:
    for session in base.intent.switch.sessions:
        if session.vlan:
            at = f"{session.port}.{session.vlan}"
            put(tree, "interface", at, "type", value="sub")
            put(tree, "interface", at, "base-interface", value=session.port)
            put(tree, "interface", at, "vlan", value=session.vlan)
            in_vrf(tree, at, session.vrf, base.words)
