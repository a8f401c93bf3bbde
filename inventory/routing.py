"""Switches of the compute plane: ports, BGP sessions and what each may say and hear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from . import addressing, oob
from .cabling import FabricLink, NodeLink
from .model import Fabric
from .oob import OobSeat
from .plan import BgpSession, Direction, PortRef, RoutePolicy, Switch, SwitchPort, Tier, Timers
from .schema import SwitchProfile


@dataclass(frozen=True, slots=True)
class _Who:
    """What tells one switch from another."""

    name: str
    tier: Tier
    pod: int | None
    rail: int | None
    profile_name: str
    profile: SwitchProfile
    loopback: IPv4Address
    aggregate: IPv4Network | None
    ecmp_width: int


def asns(fabric: Fabric) -> dict[str, int]:
    """Return the ASN of every switch, overrides included."""
    spines = fabric.intent.compute.asn.spines
    out = {
        name: addressing.asn_of(fabric, name, addressing.leaf_asn(fabric, at))
        for name, at in fabric.shape.leaves.items()
    }
    return out | {
        name: addressing.asn_of(fabric, name, spines) for name in fabric.shape.spine_numbers
    }


def maximum_prefix(fabric: Fabric) -> int:
    """All routes that can exist within the maxima, and a quarter more (rounded up).

    A leaf announces its aggregate and its loopback, a spine its loopback.
    """
    possible = 2 * fabric.shape.max_leaves + fabric.shape.max_spines
    return -(-possible * 5 // 4)


def switches(
    fabric: Fabric,
    node_links: list[NodeLink],
    fabric_links: list[FabricLink],
    seats: dict[str, OobSeat],
) -> tuple[Switch, ...]:
    """Every switch, sorted by name."""
    ports = _ports(fabric, node_links, fabric_links)
    sessions = _sessions(fabric, fabric_links)
    policy, timers = _policy(fabric), Timers(**fabric.intent.compute.timers.model_dump())
    numbers, limit = asns(fabric), maximum_prefix(fabric)
    return tuple(
        Switch(
            name=who.name,
            tier=who.tier,
            plane="compute",
            pod=who.pod,
            rail=who.rail,
            profile=who.profile_name,
            dialect=who.profile.dialect,
            release=who.profile.release,
            asn=numbers[who.name],
            loopback=who.loopback,
            aggregate=who.aggregate,
            originates=_originates(who),
            policy=policy,
            timers=timers,
            ecmp_width=who.ecmp_width,
            maximum_prefix=limit,
            management=oob.management(fabric, seats[who.name]),
            ports=tuple(ports[who.name]),
            sessions=tuple(sessions[who.name]),
        )
        for who in sorted((*_leaves(fabric), *_spines(fabric)), key=lambda who: who.name)
    )


def _leaves(fabric: Fabric) -> list[_Who]:
    shape = fabric.shape
    return [
        _Who(
            name=name,
            tier="leaf",
            pod=at.pod,
            rail=at.rail,
            profile_name=fabric.intent.compute.leaf_profile,
            profile=fabric.leaf_profile,
            loopback=_loopback(fabric, name, "leaf", shape.leaf_index(at)),
            aggregate=addressing.aggregate(fabric, at),
            ecmp_width=shape.spines * shape.uplinks,
        )
        for name, at in shape.leaves.items()
    ]


def _spines(fabric: Fabric) -> list[_Who]:
    return [
        _Who(
            name=name,
            tier="spine",
            pod=None,
            rail=None,
            profile_name=fabric.intent.compute.spine_profile,
            profile=fabric.spine_profile,
            loopback=_loopback(fabric, name, "spine", number - 1),
            aggregate=None,
            ecmp_width=fabric.shape.uplinks,
        )
        for name, number in fabric.shape.spine_numbers.items()
    ]


def _loopback(fabric: Fabric, name: str, tier: Tier, index: int) -> IPv4Address:
    return addressing.loopback_of(fabric, name, addressing.loopback_at(fabric, tier, index))


def _originates(who: _Who) -> tuple[IPv4Network, ...]:
    own = IPv4Network(who.loopback)
    return tuple(sorted((own, who.aggregate) if who.aggregate else (own,)))


def _policy(fabric: Fabric) -> RoutePolicy:
    pools = fabric.intent.compute.pools
    return RoutePolicy(pools.rails, addressing.aggregate_bits(fabric), pools.loopbacks)


@dataclass(frozen=True, slots=True)
class _End:
    """A fabric link seen from one of its switches."""

    own: PortRef
    peer: PortRef
    direction: Direction
    address: IPv4Interface | None
    peer_address: IPv4Interface | None
    link: FabricLink


def _ends(links: list[FabricLink]) -> Iterator[_End]:
    for link in links:
        low, high = link.leaf_address, link.spine_address
        yield _End(link.leaf, link.spine, "up", low, high, link)
        yield _End(link.spine, link.leaf, "down", high, low, link)


def _ports(
    fabric: Fabric, node_links: list[NodeLink], fabric_links: list[FabricLink]
) -> dict[str, list[SwitchPort]]:
    """Each switch's ports in port order: node ports, then uplinks; leaves in their order."""
    mtu = fabric.intent.lossless.ip_mtu_bytes.switches
    out: dict[str, list[SwitchPort]] = defaultdict(list)
    for node in node_links:
        port = SwitchPort(
            name=node.leaf.port,
            direction="down",
            peer=node.nic,
            address=node.leaf_address,
            ip_mtu_bytes=mtu,
            rate_gbps=node.rate_gbps,
            cable_m=node.cable_m,
            rail=node.rail,
            description=f"to {node.nic}",
        )
        out[node.leaf.device].append(port)
    for end in _ends(fabric_links):
        port = SwitchPort(
            name=end.own.port,
            direction=end.direction,
            peer=end.peer,
            address=end.address,
            ip_mtu_bytes=mtu,
            rate_gbps=end.link.rate_gbps,
            cable_m=end.link.cable_m,
            rail=end.link.at.rail,
            description=f"to {end.peer}",
        )
        out[end.own.device].append(port)
    return out


def _sessions(fabric: Fabric, fabric_links: list[FabricLink]) -> dict[str, list[BgpSession]]:
    """Each switch's sessions in port order: one on every fabric link, none to nodes."""
    numbers = asns(fabric)
    out: dict[str, list[BgpSession]] = defaultdict(list)
    for end in _ends(fabric_links):
        session = BgpSession(
            port=end.own.port,
            direction=end.direction,
            peer=end.peer,
            peer_asn=numbers[end.peer.device],
            peer_address=end.peer_address.ip if end.peer_address else None,
        )
        out[end.own.device].append(session)
    return out
