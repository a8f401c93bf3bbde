"""Switches of the compute plane: ports, BGP sessions and what each may say and hear."""

from __future__ import annotations

from collections import defaultdict
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


def _ports(
    fabric: Fabric, node_links: list[NodeLink], fabric_links: list[FabricLink]
) -> dict[str, list[SwitchPort]]:
    """Each switch's ports in port order: node ports, then uplinks; leaves in their order."""
    mtu = fabric.intent.lossless.ip_mtu_bytes.switches
    out: dict[str, list[SwitchPort]] = defaultdict(list)

    def add(
        end: PortRef,
        peer: PortRef,
        up: Direction,
        at: IPv4Interface | None,
        rail: int,
        link: NodeLink | FabricLink,
    ) -> None:
        port = SwitchPort(
            end.port, up, peer, at, mtu, link.rate_gbps, link.cable_m, rail, f"to {peer}"
        )
        out[end.device].append(port)

    for node in node_links:
        gateway, _ = addressing.node_link(fabric, node.node, node.rail)
        add(node.leaf, node.nic, "down", gateway, node.rail, node)
    for link in fabric_links:
        pair = addressing.fabric_link(fabric, link.at, link.spine_number, link.uplink)
        even, odd = pair or (None, None)
        add(link.leaf, link.spine, "up", odd, link.at.rail, link)
        add(link.spine, link.leaf, "down", even, link.at.rail, link)
    return out


def _sessions(fabric: Fabric, fabric_links: list[FabricLink]) -> dict[str, list[BgpSession]]:
    """Each switch's sessions in port order: one on every fabric link, none to nodes."""
    numbers = asns(fabric)
    out: dict[str, list[BgpSession]] = defaultdict(list)
    for link in fabric_links:
        pair = addressing.fabric_link(fabric, link.at, link.spine_number, link.uplink)
        even, odd = (pair[0].ip, pair[1].ip) if pair else (None, None)
        leaf, spine = link.leaf, link.spine
        out[leaf.device].append(BgpSession(leaf.port, "up", spine, numbers[spine.device], even))
        out[spine.device].append(BgpSession(spine.port, "down", leaf, numbers[leaf.device], odd))
    return out
