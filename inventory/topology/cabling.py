"""Which port is plugged into which: the cables of every data plane, by position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface

from inventory.plan import Cable, Plane, PortRef, Tier
from inventory.schema.switch_profile import SwitchPorts

from . import addressing
from .clos import Cage, LeafAt, SpineAt, SuperspineAt
from .fabrics import Landing, Service, SwitchFabric
from .population import NodeAt


@dataclass(frozen=True, slots=True)
class NodeLink:
    """A cable from a node's NIC to its leaf; without addresses where the NIC is in a VLAN."""

    node: NodeAt
    place: int
    service: Service
    landing: Landing
    at: LeafAt
    nic: PortRef
    leaf: PortRef
    cage: Cage
    nic_address: IPv4Interface | None
    leaf_address: IPv4Interface | None
    rate_gbps: float
    cable_m: float


@dataclass(frozen=True, slots=True)
class FabricLink:
    """A cable between two switches; without addresses where links are unnumbered.

    `tiers` are those of the lower and the upper end; a link between the two leaves of a pair
    has `leaf` twice.
    """

    tiers: tuple[Tier, Tier]
    rail: int | None
    low: PortRef
    high: PortRef
    low_cage: Cage
    high_cage: Cage
    low_address: IPv4Interface | None
    high_address: IPv4Interface | None
    rate_gbps: float
    cable_m: float


class PortNames:
    """Names of a switch profile's ports, each made once: a large site asks for millions."""

    def __init__(self, ports: SwitchPorts) -> None:
        self._ports = ports
        self._names: dict[Cage, str] = {}

    def at(self, cage: Cage) -> str:
        """The name of a part of a cage."""
        name = self._names.get(cage)
        if name is None:
            name = self._ports.port_name(cage.number, cage.ways, cage.part)
            self._names[cage] = name
        return name


def node_links(fabric: SwitchFabric) -> Iterator[NodeLink]:
    """Every link of a node, in node order, by service and NIC."""
    clos, names = fabric.clos, {at: name for name, at in fabric.clos.leaves.items()}
    ports, per_slot, metres = PortNames(fabric.leaf.ports), fabric.per_slot, fabric.cable_m
    rate = fabric.leaf.ports.rate_of(clos.ways[0])
    aggregates = {
        (number, nic, pod, unit): addressing.aggregate(fabric, service, nic, pod, unit)
        for number, service in enumerate(fabric.services)
        if service.routed
        for nic in range(service.nic_count)
        for pod, unit in clos.units
    }
    for name, at in fabric.population.nodes.items():
        seat, profile = fabric.seat(at), fabric.population.profile_of(at)
        if seat is None:
            continue
        pod, unit, place = seat
        for number, service in enumerate(fabric.services):
            for landing in service.landings.get(profile, ()):
                cage = clos.node_cage((place - 1) * per_slot + landing.offset + 1)
                leaf_at = LeafAt(pod, unit, landing.slot)
                prefix = aggregates.get((number, landing.index, pod, unit))
                even, odd = addressing.node_link(prefix, place) if prefix else (None, None)
                yield NodeLink(
                    at,
                    place,
                    service,
                    landing,
                    leaf_at,
                    PortRef(name, landing.nic.port),
                    PortRef(names[leaf_at], ports.at(cage)),
                    cage,
                    odd,
                    even,
                    min(landing.nic.rate_gbps, rate),
                    metres.node_leaf,
                )


def fabric_links(fabric: SwitchFabric) -> Iterator[FabricLink]:
    """Every link between switches: leaf to spine, spine to superspine, leaf to leaf."""
    yield from _leaf_links(fabric)
    yield from _top_links(fabric)
    yield from _peer_links(fabric)


def _leaf_links(fabric: SwitchFabric) -> Iterator[FabricLink]:
    clos, ways = fabric.clos, fabric.clos.ways[1]
    low, high = PortNames(fabric.leaf.ports), PortNames(fabric.spine.ports)
    rate = min(fabric.leaf.ports.rate_of(ways), fabric.spine.ports.rate_of(ways))
    above: dict[tuple[int, int], list[tuple[str, SpineAt]]] = {}
    for name, spine in clos.spine_places.items():
        above.setdefault((spine.pod, spine.nic_plane), []).append((name, spine))
    for leaf, at in clos.leaves.items():
        slot = clos.slots[at.slot]
        for name, spine in above.get((at.pod if clos.three_tier else 0, slot.nic_plane), ()):
            for link in range(1, clos.uplinks + 1):
                up, down = clos.uplink_cage(spine, link), clos.downlink_cage(at, link)
                index = clos.link_index(at, spine, link)
                even, odd = _addresses(fabric, index)
                yield FabricLink(
                    ("leaf", "spine"),
                    slot.rail,
                    PortRef(leaf, low.at(up)),
                    PortRef(name, high.at(down)),
                    up,
                    down,
                    odd,
                    even,
                    rate,
                    fabric.cable_m.leaf_spine,
                )


def _top_links(fabric: SwitchFabric) -> Iterator[FabricLink]:
    clos, ways = fabric.clos, fabric.clos.ways[2]
    if not clos.three_tier:
        return
    low, high = PortNames(fabric.spine.ports), PortNames(fabric.superspine.ports)
    rate = min(fabric.spine.ports.rate_of(ways), fabric.superspine.ports.rate_of(ways))
    above: dict[tuple[int, int], list[tuple[str, SuperspineAt]]] = {}
    for name, top in clos.superspine_places.items():
        above.setdefault((top.nic_plane, top.group), []).append((name, top))
    for spine, at in clos.spine_places.items():
        for name, top in above.get((at.nic_plane, at.number), ()):
            for link in range(1, clos.top_uplinks + 1):
                up, down = clos.top_uplink_cage(top, link), clos.top_downlink_cage(at, link)
                even, odd = _addresses(fabric, clos.top_link_index(at, top, link))
                yield FabricLink(
                    ("spine", "superspine"),
                    None,
                    PortRef(spine, low.at(up)),
                    PortRef(name, high.at(down)),
                    up,
                    down,
                    odd,
                    even,
                    rate,
                    fabric.cable_m.spine_superspine,
                )


def _peer_links(fabric: SwitchFabric) -> Iterator[FabricLink]:
    clos, ports = fabric.clos, fabric.leaf.ports
    names = {at: name for name, at in clos.leaves.items()}
    for pod, unit in clos.units if fabric.peer_links else ():
        first, second = names[LeafAt(pod, unit, 0)], names[LeafAt(pod, unit, 1)]
        for link in range(1, fabric.peer_links + 1):
            cage = Cage(clos.leaf_cages + link, 1, 1)
            port = ports.port_name(cage.number)
            yield FabricLink(
                ("leaf", "leaf"),
                None,
                PortRef(first, port),
                PortRef(second, port),
                cage,
                cage,
                None,
                None,
                ports.rate_gbps,
                fabric.cable_m.node_leaf,
            )


def _addresses(
    fabric: SwitchFabric, index: int
) -> tuple[IPv4Interface, IPv4Interface] | tuple[None, None]:
    """The upper end's even address, then the lower end's odd one."""
    return addressing.pair(fabric.links, index) if fabric.numbered else (None, None)


def cable_of(link: NodeLink | FabricLink, plane: Plane) -> Cable:
    """Return the cable of a link, its ends in order."""
    ends = (link.leaf, link.nic) if isinstance(link, NodeLink) else (link.low, link.high)
    a, b = sorted(ends)
    return Cable(a, b, plane, link.rate_gbps, link.cable_m)
