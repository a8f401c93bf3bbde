"""`interface` -> what each is. Source: NVUE Command Reference, Interface, Bridge, QoS, ACL."""

from __future__ import annotations

import re

from .reading import CumulusReading, Iface
from .take import Node, enabled, flag, here, is_whole, node, number, peek, text

_KINDS = (
    (r"lo", "loopback"), (r"eth\d+", "eth"), (r"peerlink", "peerlink"), (r"bond\d+", "bond"),
    (r"vlan\d+", "svi"), (r"\S+\.\d+", "sub"), (r"swp\d+(s\d+)?", "swp"),
)  # fmt: skip
_PROFILES = (
    "mapping", "pfc", "congestion-control", "egress-scheduler", "egress-shaper", "remark",
)  # fmt: skip
_LANES = {1, 2, 4, 8}
_SAID = {"on": True, "enabled": True, "off": False, "disabled": False}
# What NVUE takes (NVUE Command Reference, Interface).
_FECS = {None, "auto", "baser", "driver-auto", "off", "rs"}
_MTU_BYTES = range(552, 9217)
# NVUE takes no other name that begins so (Cumulus Linux 5.14, Bonding - Link Aggregation).
_RESERVED = re.compile(r"(swp|eth|vlan)\d")


def read(tree: Node, found: CumulusReading) -> None:
    """Takes every interface out of the tree."""
    held = node(tree, "interface")
    for name in list(held):
        here(tree, "interface", name)
        found.interfaces[name] = _one(name, node(tree, "interface", name), found)
    _splits(found)
    _gateways(found)


def _one(name: str, tree: Node, found: CumulusReading) -> Iface:
    usual = next((kind for rule, kind in _KINDS if re.fullmatch(rule, name)), "")
    kind = text(tree, "type") or usual
    if usual and kind != usual:
        found.hazards.append(f"interface {name} has the type {kind}")
    if not usual and _RESERVED.match(name):
        found.hazards.append(f"interface {name} has a name that NVUE does not take")
    one = Iface(name, kind)
    _link(tree, one, found)
    _address(tree, one, found)
    _members(tree, one, found)
    _bridge(tree, one, found)
    _qos(tree, one)
    for acl in list(node(tree, "acl")):
        if here(tree, "acl", acl, "inbound"):
            one.acls.append(acl)
    on = enabled(tree, "router", "adaptive-routing")
    one.adaptive = bool(on)
    return one


def _link(tree: Node, one: Iface, found: CumulusReading) -> None:
    one.speed, one.fec = text(tree, "link", "speed"), text(tree, "link", "fec")
    if one.fec not in _FECS:
        found.hazards.append(f"interface {one.name} has a FEC that there is not: {one.fec}")
    if peek(tree, "link", "auto-negotiate") in _SAID:
        one.autoneg = _SAID[text(tree, "link", "auto-negotiate") or ""]
    one.mtu = number(tree, "link", "mtu")
    if one.mtu is not None and one.mtu not in _MTU_BYTES:
        found.hazards.append(f"interface {one.name} has an MTU that NVUE does not take: {one.mtu}")
    one.description = text(tree, "description") or ""
    one.base, one.vlan = text(tree, "base-interface"), number(tree, "vlan")
    here(tree, "link", "state", "up")
    if here(tree, "link", "state", "down"):
        found.hazards.append(f"interface {one.name} is switched off")
    for way in list(node(tree, "link", "breakout")):
        lanes = number(tree, "link", "breakout", way, "lanes-per-port")
        here(tree, "link", "breakout", way)
        ways = re.fullmatch(r"([1248])x", way)
        one.breakout = int(ways[1]) if ways else 0
        if not ways or (lanes is not None and lanes not in _LANES):
            found.hazards.append(f"interface {one.name} is split {way} with {lanes} lanes each")


def _address(tree: Node, one: Iface, found: CumulusReading) -> None:
    for family in ("ip", "ipv4", "ipv6"):
        for address in list(node(tree, family, "address")):
            if here(tree, family, "address", address):
                one.addresses.append(address)
        for gateway in list(node(tree, family, "gateway")):
            if here(tree, family, "gateway", gateway):
                one.gateways.append(gateway)
        _vrr(node(tree, family, "vrr"), one, found)
    one.vrf = text(tree, "ip", "vrf") or text(tree, "vrf") or ""
    if len(one.gateways) > 1:
        found.hazards.append(f"interface {one.name} has {len(one.gateways)} gateways")


def _vrr(tree: Node, one: Iface, found: CumulusReading) -> None:
    for address in list(node(tree, "address")):
        if one.gateway is None and here(tree, "address", address):
            one.gateway = address
    up = here(tree, "state", "up") or here(tree, "vrr-state", "up")
    on = enabled(tree)
    one.gateway_up |= up and on is not False
    if up and one.gateway:
        found.says("whether its gateway is on", one.name, on is not None)


def _members(tree: Node, one: Iface, found: CumulusReading) -> None:
    for member in list(node(tree, "bond", "member")):
        if here(tree, "bond", "member", member):
            one.members.append(member)
    mode = text(tree, "bond", "mode")
    if mode not in (None, "lacp"):
        found.hazards.append(f"{one.name} has the mode {mode}, not LACP")
    one.mlag = number(tree, "bond", "mlag", "id")
    on = enabled(tree, "bond", "mlag")
    if one.mlag is not None:
        found.says("whether MLAG is on", one.name, on is not None)
    one.shared = one.mlag is not None and on is not False
    # Leaves share a bond by MLAG or as an Ethernet segment (EVPN Multihoming).
    at = ("evpn", "multihoming", "segment")
    segment = number(tree, *at, "local-id") is not None
    segment |= text(tree, *at, "identifier") is not None
    one.shared |= segment and enabled(tree, *at) is not False
    if one.mlag is not None and on is False:
        found.hazards.append(f"{one.name} has an MLAG id, and MLAG is off")
    if one.mlag is not None and one.name != f"bond{one.mlag}":
        found.hazards.append(f"{one.name} has the MLAG id {one.mlag}")


def _bridge(tree: Node, one: Iface, found: CumulusReading) -> None:
    for domain in list(node(tree, "bridge", "domain")):
        one.domain = domain
        at = ("bridge", "domain", domain)
        one.access = number(tree, *at, "access")
        if is_whole(word := str(peek(tree, *at, "untagged"))) or word in ("none", "auto"):
            one.untagged = text(tree, *at, "untagged")
        for vlan in list(node(tree, *at, "vlan")):
            if is_whole(vlan) and here(tree, *at, "vlan", vlan):
                one.tagged.append(int(vlan))
        if one.tagged and one.untagged and is_whole(one.untagged):
            listed = int(one.untagged) in one.tagged
            found.says("whether it carries its untagged VLAN", one.name, listed)
        here(tree, *at)


def _qos(tree: Node, one: Iface) -> None:
    for what in _PROFILES:
        profile = text(tree, "qos", what, "profile")
        if profile is not None:
            one.profiles[what] = profile
    at = ("qos", "pfc-watchdog")
    one.watchdog = flag(tree, *at, "state") is True or here(tree, *at)


def _splits(found: CumulusReading) -> None:
    """A part of a cage is there when the cage is split so far."""
    for name in found.interfaces:
        part = re.fullmatch(r"(swp\d+)s(\d+)", name)
        if part:
            cage = found.interfaces.get(part[1])
            ways = cage.breakout if cage else None
            if ways is None or int(part[2]) >= ways:
                found.hazards.append(f"{name} is no part of a cage as it is split")


def _gateways(found: CumulusReading) -> None:
    for iface in found.interfaces.values():
        if iface.gateway and not iface.gateway_up:
            found.hazards.append(f"the gateway of {iface.name} is not up")
