"""VLANs, bonds, the pair: what switched ports say together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from inventory.plan import TO_SERVER
from switch_configs.readback.facts import AclFacts, BondFacts, Hazard, PairFacts, VlanFacts

from .reading import MANAGEMENT, NxosReading, Port, Vlan
from .tree import number

_PEER = "peer-link"


def channels(found: NxosReading) -> dict[int, Port]:
    """Port-channels by number."""
    return {
        port.index: port
        for port in found.ports.values()
        if port.kind == "port-channel" and port.index is not None
    }


def is_peer(port: Port, found: NxosReading) -> bool:
    """Whether a port is in the port-channel between the pair."""
    channel = channels(found).get(port.channel or 0)
    return channel is not None and channel.vpc == _PEER


def carried(port: Port, found: NxosReading) -> tuple[tuple[int, ...], bool]:
    """The VLANs of a port, the untagged one first, and whether all are tagged.

    An isolated VLAN is part of its zone's, and is not counted beside it.
    """
    if not port.switched or is_peer(port, found):
        return (), False
    if port.mode == "access":
        return ((port.access,) if port.access is not None else (1,)), False
    if port.mode == "host":
        return ((port.host[0],) if port.host else ()), False
    parts = {at for at, one in found.vlans.items() if one.kind == "isolated"}
    allowed = tuple(sorted(set(port.allowed or ()) - parts))
    if port.allowed is None:
        found.hazards.append(f"port {port.name} is a trunk of all VLANs")
    if port.native is None:
        return tuple(sorted(allowed)), True
    if port.native not in allowed:
        found.hazards.append(f"port {port.name}: its native VLAN {port.native} is not allowed")
    return (port.native, *sorted(set(allowed) - {port.native})), False


def vlans(found: NxosReading) -> tuple[VlanFacts, ...]:
    """VLANs that are not private parts of another, with what routes in them."""
    found.hazards += _odd_vlans(found)
    routed = {port.index for port in found.ports.values() if port.kind == "Vlan"}
    own = {**{at: Vlan() for at in found.listed & routed if at != 1}, **found.vlans}
    return tuple(
        _vlan(number, one, found) for number, one in sorted(own.items()) if one.kind != "isolated"
    )


def _vlan(number: int, own: Vlan, found: NxosReading) -> VlanFacts:
    svi = found.ports.get(f"Vlan{number}")
    if svi is None or svi.vrf == MANAGEMENT:
        return VlanFacts(number, own.name)
    # All leaves of a fabric have the address of an anycast gateway as their own.
    shared = svi.addresses if svi.anycast else []
    gateways = [*svi.hsrp.values(), *(one.split("/")[0] for one in shared)]
    return VlanFacts(
        id=number,
        name=own.name,
        vrf=svi.vrf,
        gateway=gateways[0] if gateways else None,
        address=svi.addresses[0] if svi.addresses else None,
        ip_mtu_bytes=svi.mtu or 1500,
        acl=tuple(_rules(svi, found)),
    )


def _rules(svi: Port, found: NxosReading) -> Iterator[AclFacts]:
    if svi.acl_in and svi.acl_in not in found.acls:
        found.hazards.append(f"{svi.name} asks access list {svi.acl_in}, which is not defined")
    for words in found.acls.get(svi.acl_in, []):
        action, protocol, source, destination, *port = words
        at = number(port[1]) if port and port[0] == "eq" else None
        if port and at is None:
            found.unread.append(f"ip access-list {svi.acl_in}: {' '.join(words)}")
        else:
            yield AclFacts(action, protocol, source, destination, at)


def _odd_vlans(found: NxosReading) -> Iterator[str]:
    for name in sorted(found.acls):
        if name not in {found.vty_acl, *(one.acl_in for one in found.ports.values())}:
            yield Hazard(f"access list {name} is asked nowhere", "idle-list", name)
    for at, one in sorted(found.vlans.items()):
        if at not in found.listed:
            yield f"VLAN {at} has lines and is not there"
        private = found.vlans.get(one.isolated or 0)
        if one.kind == "primary" and (private is None or private.kind != "isolated"):
            yield f"VLAN {at} is private and has no VLAN of isolated ports"
        if one.isolated is not None and one.kind != "primary":
            yield f"VLAN {at} is no primary VLAN"
    for vlan in sorted(found.listed - set(found.vlans) - {1}):
        yield f"VLAN {vlan} has no name"
    for port in found.ports.values():
        yield from _odd_port(port, found)


def _odd_port(port: Port, found: NxosReading) -> Iterator[str]:
    if port.kind == "Vlan":
        yield from _odd_gateway(port, found)
    used = {port.access, port.native, *(port.allowed or ())} - {None}
    for vlan in sorted(one for one in used if one is not None and one not in found.listed):
        yield f"port {port.name} is in VLAN {vlan}, which is not there"
    primaries = {at: one.isolated for at, one in found.vlans.items() if one.kind == "primary"}
    if port.private != (port.mode == "promiscuous"):
        yield f"port {port.name} allows VLANs for another mode than {port.mode}"
    if port.mode in ("trunk", "promiscuous") and port.switched:
        yield from _odd_trunk(port, primaries, found)
    if port.mode == "host" and (port.host is None or primaries.get(port.host[0]) != port.host[1]):
        yield f"port {port.name} is in no private VLAN that is defined"


def _odd_trunk(port: Port, primaries: dict[int, int | None], found: NxosReading) -> Iterator[str]:
    """What isolated ports send goes on to switches as it is, and to the server in its zone."""
    allowed = set(port.allowed or ())
    own = sorted((at, part) for at, part in primaries.items() if at in allowed)
    parts = {at for at, one in found.vlans.items() if one.kind == "isolated"} & allowed
    is_promiscuous, to_server = port.mode == "promiscuous", _is_to_server(port)
    if is_promiscuous and not to_server:
        yield f"port {port.name} is promiscuous, and leads to no server but to a switch"
    if is_promiscuous and (sorted(port.mapped) != own or parts):
        yield f"port {port.name} does not reach the isolated ports of each of its VLANs"
    if to_server and own and not is_promiscuous:
        yield f"port {port.name} to the OOB server is not promiscuous: it hears no isolated port"
    if not is_promiscuous and (parts != {part for _, part in own} or port.mapped):
        yield f"port {port.name} is a trunk that isolated ports do not reach"


def _is_to_server(port: Port) -> bool:
    """By its description, which says so."""
    return port.description.endswith(TO_SERVER)


def parted(found: NxosReading) -> Iterator[str]:
    """A switch without routing is of the OOB plane: all its VLANs are private, on each switch."""
    for at, one in sorted(found.vlans.items()):
        if at != 1 and not one.kind:
            words = "is not private: isolated ports of other switches are cut off or heard"
            yield Hazard(f"VLAN {at} {words}", "not-private")
    heads = [vlan.isolated for vlan in found.vlans.values()]
    for at, one in sorted(found.vlans.items()):
        if one.kind == "isolated" and heads.count(at) != 1:
            yield f"VLAN {at} is isolated and part of no VLAN, or of several"


def _odd_gateway(svi: Port, found: NxosReading) -> Iterator[str]:
    if svi.index not in found.listed:
        yield f"{svi.name} routes in a VLAN that is not there"
    for group in svi.hsrp:
        if group != svi.index:
            words = f"{svi.name}: HSRP group {group}: the other leaf may count otherwise"
            yield Hazard(words, "of-pair")
        if svi.hsrp_version != 2 and group > 255:
            yield f"{svi.name}: HSRP group {group} wants version 2"


def isolated(found: NxosReading) -> Iterator[str]:
    """Ports of private VLANs that see no other such port."""
    for port in found.ports.values():
        if port.mode != "host" or port.host is None:
            continue
        private = found.vlans.get(port.host[1])
        if private is not None and private.kind == "isolated":
            yield port.name


def bonds(found: NxosReading) -> tuple[BondFacts, ...]:
    """Port-channels towards others; that between the pair is none."""
    members: dict[int, list[Port]] = defaultdict(list)
    for port in found.ports.values():
        if port.channel is not None and port.kind == "Ethernet":
            members[port.channel].append(port)
    out, own = [], channels(found)
    for at, ports in sorted(members.items()):
        channel = own.get(at)
        found.hazards += _odd_bond(at, ports, channel, found)
        if channel is None or channel.vpc != _PEER:
            names = tuple(sorted(one.name for one in ports))
            is_shared = channel is not None and (bool(channel.vpc) or channel.segment)
            out.append(BondFacts(at, names, is_shared))
    for at in sorted(set(own) - set(members)):
        found.hazards.append(f"port-channel{at} has no ports")
    return tuple(out)


def _odd_bond(
    at: int, ports: list[Port], channel: Port | None, found: NxosReading
) -> Iterator[str]:
    if channel is None:
        yield f"port-channel{at} has ports and is not there"
        return
    if channel.vpc and found.domain is None:
        yield f"port-channel{at} is of a pair, and there is no vPC domain"
    if channel.vpc not in ("", _PEER, str(at)):
        yield f"port-channel{at} is vPC {channel.vpc}: the other leaf may count otherwise"
    for port in ports:
        if not port.lacp:
            yield f"port {port.name} is in port-channel{at} without LACP"
        if port.waits:
            yield f"port {port.name} waits for LACP of the other end: both may wait for ever"
        if _layer2(port) != _layer2(channel):
            yield f"port {port.name} is not configured as its port-channel{at}"


def _layer2(port: Port) -> tuple[object, ...]:
    return (
        port.switched, port.mode, port.access, port.native, port.allowed, port.edge, port.mtu,
    )  # fmt: skip


def pair(found: NxosReading) -> PairFacts | None:
    """The pair of leaves, by its vPC domain."""
    if found.domain is None:
        return None
    ports = sorted(port.name for port in found.ports.values() if is_peer(port, found))
    own = next((port for port in channels(found).values() if port.vpc == _PEER), None)
    if own is None or not ports:
        found.hazards.append("the pair has no peer link")
    else:
        found.hazards += _odd_link(own, found)
    if not found.peer_gateway:
        found.hazards.append("the pair does not route for each other: no peer-gateway")
    management = found.ports.get("mgmt0", Port("mgmt0"))
    addresses = [address.split("/")[0] for address in management.addresses]
    if found.peer_source is not None and found.peer_source not in addresses:
        found.hazards.append(f"the pair is asked from {found.peer_source}, which is not its own")
    return PairFacts(found.domain, tuple(ports), found.peer_management)


def _odd_link(own: Port, found: NxosReading) -> Iterator[str]:
    there, crossing = (found.listed | set(found.vlans)) - {1}, set(own.allowed or ())
    for vlan in sorted(there - crossing):
        yield f"VLAN {vlan} does not cross the peer link"
    for vlan in sorted(crossing - there):
        yield f"VLAN {vlan} crosses the peer link and is not there"
    if own.mode != "trunk" or own.edge != "network":
        yield "the peer link is no trunk of spanning-tree type network"
