"""`bridge`, `mlag`, `acl` -> VLANs, bonds, the pair.

Source: NVUE Command Reference, Bridge, MLAG, ACL; NVIDIA Cumulus Linux 5.14, Multi-Chassis Link
Aggregation.
"""

from __future__ import annotations

import re

from switch_configs.readback.facts import AclFacts, BondFacts, PairFacts, VlanFacts

from .reading import CumulusReading, Iface
from .take import Node, enabled, here, is_whole, node, number, peek, text

_MAC = re.compile(r"(?i)44:38:39:ff:([0-9a-f]{2}):([0-9a-f]{2})")
# The bridge that NVUE has where none is defined (Cumulus Linux 5.14, VLAN-aware Bridge Mode).
_THERE = "br_default"
# NVUE Command Reference, ACL.
_PROTOCOLS = {"ip", "tcp", "udp", "icmp", "icmpv6", "igmp", "ospf", "pim"}
_ANY = AclFacts("deny", "ip", "any", "any", None)


def read(tree: Node, found: CumulusReading) -> tuple[tuple[VlanFacts, ...], PairFacts | None]:
    """Takes bridges, pairs and access lists out of the tree."""
    for domain in list(node(tree, "bridge", "domain")):
        found.domains.append(domain)
        # A VLAN may have more below it, as the VNI that it is carried in: it is there all the same.
        for vlan in list(node(tree, "bridge", "domain", domain, "vlan")):
            here(tree, "bridge", "domain", domain, "vlan", vlan)
            if is_whole(vlan):
                found.bridge_vlans.append(int(vlan))
        text(tree, "bridge", "domain", domain, "untagged")
        here(tree, "bridge", "domain", domain)
    lists = {name: _list(node(tree, "acl", name), name, found) for name in node(tree, "acl")}
    for iface in found.interfaces.values():
        if iface.domain not in (None, *(found.domains or (_THERE,))):
            found.hazards.append(f"{iface.name} is in bridge {iface.domain}, which is not defined")
    pair = _pair(tree, found)
    return _vlans(found, lists), pair


def _list(tree: Node, name: str, found: CumulusReading) -> tuple[AclFacts, ...]:
    """The rules in their order; the last must drop all, because a list ends open."""
    if text(tree, "type") != "ipv4":
        found.hazards.append(f"access list {name} is not of type ipv4")
    rules = []
    for key in sorted(node(tree, "rule"), key=lambda one: int(one) if is_whole(one) else 0):
        own = node(tree, "rule", key)
        rules.append(_rule(own, name, found))
    if not rules or rules[-1] != _ANY:
        found.hazards.append(f"access list {name} lets pass what no rule permits")
        return tuple(rules)
    return tuple(rules[:-1])


def _rule(own: Node, name: str, found: CumulusReading) -> AclFacts:
    action = next((one for one in ("permit", "deny") if here(own, "action", one)), "")
    protocol = peek(own, "match", "ip", "protocol") or "ip"
    if protocol in _PROTOCOLS or is_whole(str(protocol)):
        text(own, "match", "ip", "protocol")
    port = None
    for key in list(node(own, "match", "ip", protocol, "dest-port")):
        if is_whole(key) and here(own, "match", "ip", protocol, "dest-port", key):
            port = int(key)
    if not action:
        found.hazards.append(f"a rule of access list {name} has no action")
    return AclFacts(
        action=action,
        protocol=protocol,
        source=_address(text(own, "match", "ip", "source-ip")),
        destination=_address(text(own, "match", "ip", "dest-ip")),
        port=port,
    )


def _address(text: str | None) -> str:
    return "any" if text in (None, "ANY") else str(text)


def _vlans(found: CumulusReading, lists: dict[str, tuple[AclFacts, ...]]) -> tuple[VlanFacts, ...]:
    svis = {
        iface.vlan or _number(iface.name): iface
        for iface in found.interfaces.values()
        if _is_svi(iface)
    }
    out = []
    for vlan in sorted(set(found.bridge_vlans)):
        svi = svis.pop(vlan, None)
        if svi is None or svi.vrf == "mgmt":
            out.append(VlanFacts(vlan, ""))
            continue
        for acl in svi.acls:
            if acl not in lists:
                found.hazards.append(f"access list {acl} is used and not defined")
        if len(svi.acls) > 1:
            found.hazards.append(f"{svi.name} has {len(svi.acls)} access lists")
        out.append(
            VlanFacts(
                id=vlan,
                name="",
                vrf=svi.vrf,
                gateway=svi.gateway.split("/")[0] if svi.gateway else None,
                address=next(iter(svi.addresses), None),
                ip_mtu_bytes=svi.mtu,
                acl=lists.get(svi.acls[0], ()) if svi.acls else (),
            )
        )
    for vlan, svi in svis.items():
        found.hazards.append(f"{svi.name} is of VLAN {vlan}, which the bridge has not")
    _gateway_subnets(found)
    return tuple(out)


def _is_svi(one: Iface) -> bool:
    return one.kind == "svi"


def _number(name: str) -> int:
    found = re.fullmatch(r"vlan(\d+)", name)
    return int(found[1]) if found else 0


def _gateway_subnets(found: CumulusReading) -> None:
    for iface in found.interfaces.values():
        named = _number(iface.name)
        if named and iface.vlan not in (None, named):
            found.hazards.append(f"{iface.name} is of VLAN {iface.vlan}")
        bits = {text.split("/")[-1] for text in (iface.gateway, *iface.addresses[:1]) if text}
        if iface.gateway and len(bits) > 1:
            found.hazards.append(f"the gateway of {iface.name} is of another subnet")


def _pair(tree: Node, found: CumulusReading) -> PairFacts | None:
    peer = found.interfaces.get("peerlink")
    at = node(tree, "mlag")
    if not at and peer is None:
        return None
    mac = text(at, "mac-address")
    match = _MAC.fullmatch(mac or "")
    backups = list(node(at, "backup"))
    for one in backups:
        if text(at, "backup", one, "vrf") != "mgmt":
            found.hazards.append(f"the other leaf is asked for at {one} outside management")
        here(at, "backup", one)
    if text(at, "peer-ip") != "linklocal":
        found.hazards.append("MLAG does not find the other leaf by the link between them")
    on = enabled(at)
    if on is False:
        found.hazards.append("MLAG is switched off")
    found.says("whether MLAG is on", "the pair", on is not None)
    number(at, "priority")
    _peer_vlan(found)
    domain = int(match[1] + match[2], 16) if match else None
    ports = tuple(sorted(peer.members)) if peer else ()
    return PairFacts(domain, ports, backups[0] if len(backups) == 1 else None)


def _peer_vlan(found: CumulusReading) -> None:
    one = found.interfaces.get("peerlink.4094")
    if one is None or (one.base, one.vlan) != ("peerlink", 4094):
        found.hazards.append("there is no peerlink.4094 between the leaves of the pair")


def bonds(found: CumulusReading) -> tuple[BondFacts, ...]:
    """The bonds by number; the link between a pair is none of them."""
    out = []
    for iface in found.interfaces.values():
        match = re.fullmatch(r"bond(\d+)", iface.name)
        if match and iface.members:
            out.append(BondFacts(int(match[1]), tuple(sorted(iface.members)), iface.shared))
    return tuple(sorted(out, key=lambda one: one.number))
