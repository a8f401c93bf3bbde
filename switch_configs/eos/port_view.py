"""Ports, bonds and VLANs of a data switch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inventory.plan import Pair, Switch, SwitchPort, SwitchVlan
from switch_configs.errors import DialectError

from . import names
from .kinds import Kind, Port, Ports, Switchport, Words, in_order, words
from .qos_view import Qos, policy_of, untrusted
from .speeds import FEC_LINES, speed

_BONDS_MOST = 1999
# A fixed address of Arista's own block, the same on both leaves of a pair (EOS User Manual,
# VARP: `ip virtual-router mac-address`).
VIRTUAL_MAC = "00:1c:73:00:00:99"
_PEER_LINK_ADDRESSES = ("169.254.255.0", "169.254.255.1")


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN's own block; `isolated_of` is the VLAN whose isolated part it is."""

    id: int
    name: str
    isolated_of: int | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Svi:
    """The switch's own interface in a VLAN."""

    vlan: int
    description: str | None = None
    mtu_bytes: int | None = None
    autostate: bool = True
    isolated: str = ""
    vrf: str = ""
    acl: str | None = None
    address: str = ""
    gateway: str | None = None


@dataclass(frozen=True, slots=True)
class AclLine:
    """One rule of an access list."""

    sequence: int
    rule: str


@dataclass(frozen=True, slots=True)
class Acl:
    """An access list by name."""

    name: str
    lines: tuple[AclLine, ...]


@dataclass(frozen=True, slots=True)
class Mlag:
    """The pair, seen from one leaf."""

    domain: int
    peer_address: str
    heartbeat: str


def ports(switch: Switch, qos: Qos) -> Ports:
    """All Ethernet ports and subinterfaces, in EOS's order."""
    made: dict[tuple[object, ...], Kind] = {}
    found: list[Port] = []
    for port in switch.ports:
        alike = _alike(port, qos)
        if alike not in made:
            made[alike] = _kind(switch, qos, port)
        found.append((made[alike], _words(switch.name, port)))
    found += [
        _tagged(switch, session.port, session.vrf, session.vlan)
        for session in switch.sessions
        if session.vlan
    ]
    return in_order(found)


def _alike(one: SwitchPort, qos: Qos) -> tuple[object, ...]:
    """All that `_kind` reads of a port."""
    return (
        one.direction, one.bond, one.ways, one.rate_gbps, one.fec, one.autoneg, one.ip_mtu_bytes,
        one.vlans, one.address is None, qos.profile_of.get(one.name),
    )  # fmt: skip


def _words(device: str, one: SwitchPort) -> Words:
    name = names.port(one.name, device)
    return {
        "name": name,
        "description": names.text(one.description, f"description of {name}", device),
        "address": "" if one.address is None else names.with_length(one.address),
    }


def _kind(switch: Switch, qos: Qos, one: SwitchPort) -> Kind:
    name = names.port(one.name, switch.name)
    lanes = switch.hardware.lanes // max(one.ways, 1)
    channel = _channel(one)
    mtu_bytes = names.mtu(one.ip_mtu_bytes, name, switch.name)
    head = Kind(
        described=True,
        speed=speed(one.rate_gbps, lanes, f"{switch.name} {name}", one.autoneg),
        fec=FEC_LINES[one.fec],
        channel=channel,
    )
    if channel is not None:
        return head
    routed = not one.vlans
    return replace(
        head,
        mtu_bytes=mtu_bytes,
        routed=routed,
        switchport=None if routed else switchport(one.vlans),
        addressed=one.address is not None,
        unnumbered=routed and one.address is None,
        trusts=not untrusted(qos, one),
        policy=policy_of(qos, one),
        profile=qos.profile_of.get(one.name),
        edge=not routed,
        tracks="upstream" if tracks(switch) and one.direction == "up" else None,
    )


def tracks(switch: Switch) -> bool:
    """Whether bonds go down with the last uplink, so that hosts use the other leaf alone.

    The leaves of a pair have no session between them: a leaf cut off from all spines would
    take what hosts send, and drop it.
    """
    return switch.pair is not None and any(port.direction == "up" for port in switch.ports)


def _channel(one: SwitchPort) -> int | None:
    if one.direction == "peer":
        return names.PEER_LINK_CHANNEL
    return one.bond


def switchport(vlans: tuple[int, ...]) -> Switchport:
    """The first VLAN untagged, the others tagged."""
    if len(vlans) == 1:
        return Switchport(access=vlans[0])
    return Switchport(native=vlans[0], allowed=ranges(vlans))


def ranges(vlans: tuple[int, ...]) -> str:
    """`10-12,20`, as EOS shows it."""
    runs: list[list[int]] = []
    for vlan in sorted(set(vlans)):
        if runs and vlan == runs[-1][1] + 1:
            runs[-1][1] = vlan
        else:
            runs.append([vlan, vlan])
    return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)


def _tagged(switch: Switch, port: str, vrf: str, vlan: int) -> Port:
    below = next(one for one in switch.ports if one.name == port)
    kind = Kind(
        mtu_bytes=names.mtu(below.ip_mtu_bytes, port, switch.name),
        tag=vlan,
        vrf=names.word(vrf, "routing table", switch.name),
        unnumbered=True,
    )
    return kind, words(f"{names.port(port, switch.name)}.{vlan}")


def channels(switch: Switch, qos: Qos) -> Ports:
    """A Port-Channel for each bond, and one between the leaves of a pair."""
    found: dict[int, Port] = {}
    for port in switch.ports:
        if port.bond is not None and port.direction != "peer":
            made = _bond(switch, qos, port, port.bond)
            if found.setdefault(port.bond, made) != made:
                raise DialectError(
                    f"{switch.name}: the ports of bond {port.bond} differ at {port.name}",
                    "ports of one bond have the same VLANs and MTU",
                )
    if switch.pair is not None:
        found[names.PEER_LINK_CHANNEL] = _peer_link(switch, switch.pair)
    return in_order(list(found.values()))


def _bond(switch: Switch, qos: Qos, one: SwitchPort, number: int) -> Port:
    if not 1 <= number <= _BONDS_MOST:
        raise DialectError(
            f"{switch.name}: bond {number} is not within 1 to {_BONDS_MOST}",
            f"Port-Channel{names.PEER_LINK_CHANNEL} is between the leaves of a pair",
        )
    kind = Kind(
        mtu_bytes=names.mtu(one.ip_mtu_bytes, f"bond {number}", switch.name),
        routed=not one.vlans,
        switchport=switchport(one.vlans) if one.vlans else None,
        addressed=one.address is not None,
        mlag=number if switch.pair is not None else None,
        trusts=not untrusted(qos, one),
        policy=policy_of(qos, one),
        profile=qos.profile_of.get(one.name),
        edge=bool(one.vlans),
        tracks="downstream" if tracks(switch) else None,
    )
    address = "" if one.address is None else str(one.address)
    return kind, words(f"Port-Channel{number}", address=address)


def _peer_link(switch: Switch, pair: Pair) -> Port:
    mtus = {port.ip_mtu_bytes for port in switch.ports if port.direction == "peer"}
    if len(mtus) > 1:
        raise DialectError(f"{switch.name}: the ports to {pair.peer} differ in MTU: {sorted(mtus)}")
    kind = Kind(
        described=True,
        mtu_bytes=names.mtu(mtus.pop(), "the peer link", switch.name) if mtus else None,
        switchport=Switchport(allowed="", group="MLAG"),
        trusts=False,
    )
    description = f"to {names.word(pair.peer, 'peer', switch.name)}"
    return kind, words(f"Port-Channel{names.PEER_LINK_CHANNEL}", description)


def vlans(switch: Switch) -> tuple[Vlan, ...]:
    """The VLANs, and that between the leaves of a pair."""
    found = [
        Vlan(vlan.id, names.word(vlan.name, f"VLAN {vlan.id}", switch.name, 32))
        for vlan in switch.vlans
    ]
    if switch.pair is not None:
        if any(vlan.id == names.PEER_LINK_VLAN for vlan in found):
            raise DialectError(
                f"{switch.name}: VLAN {names.PEER_LINK_VLAN} is between the leaves of a pair",
                "give the site's VLAN another number",
            )
        found.append(Vlan(names.PEER_LINK_VLAN, "MLAG", group="MLAG"))
    return tuple(sorted(found, key=lambda one: one.id))


def svis(switch: Switch) -> tuple[Svi, ...]:
    """The switch's addresses in VLANs; a pair's own VLAN last."""
    found = [_svi(switch, vlan) for vlan in sorted(switch.vlans, key=lambda one: one.id)]
    if switch.pair is not None:
        own = _PEER_LINK_ADDRESSES[0 if switch.pair.primary else 1]
        found.append(Svi(names.PEER_LINK_VLAN, autostate=False, address=f"{own}/31"))
    return tuple(found)


def _svi(switch: Switch, one: SwitchVlan) -> Svi:
    return Svi(
        vlan=one.id,
        mtu_bytes=names.mtu(one.ip_mtu_bytes, f"VLAN {one.id}", switch.name),
        vrf=names.word(one.vrf, "routing table", switch.name) if one.vrf else "",
        acl=acl_name(one.id) if one.acl else None,
        address=str(one.address),
        gateway=str(one.gateway),
    )


def acl_name(vlan: int) -> str:
    """What the access list into a VLAN's gateway is called."""
    return f"vlan{vlan}-in"


def acls(switch: Switch) -> tuple[Acl, ...]:
    """The access lists of VLANs, by VLAN."""
    return tuple(
        Acl(acl_name(vlan.id), tuple(_acl_lines(vlan)))
        for vlan in sorted(switch.vlans, key=lambda one: one.id)
        if vlan.acl
    )


def _acl_lines(vlan: SwitchVlan) -> list[AclLine]:
    lines = []
    for at, one in enumerate(vlan.acl, start=1):
        port = "" if one.port is None else f" eq {one.port}"
        source, to = names.host_or_prefix(one.source), names.host_or_prefix(one.destination)
        lines.append(AclLine(10 * at, f"{one.action} {one.protocol} {source} {to}{port}"))
    return lines


def mlag(switch: Switch) -> Mlag | None:
    """The pair, None for a leaf alone."""
    pair = switch.pair
    if pair is None:
        return None
    other = _PEER_LINK_ADDRESSES[1 if pair.primary else 0]
    return Mlag(pair.domain, other, str(pair.peer_management))
