"""The switch fabrics of a site, and which NIC of which node lands on which of their leaves.

A fabric is a set of switches in Clos form; a service is a plane that nodes reach through it.
The compute fabric carries one service; storage's may carry business too, where the site says
that they share switches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv4Network

from .clos import Clos, Slot
from .plan import AclRule, Plane
from .population import NodeAt, Population
from .schema import AccessSwitches, NodeProfile, RailPort, SiteFile, SwitchProfile
from .schema.access import Vlan
from .schema.compute import Asn, TimersFile
from .schema.node_profile import NicPort
from .schema.topology import Oversubscription

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """One NIC port of a profile in one plane: which leaf of its unit it lands on.

    `index` is its place among the profile's ports of that plane; `offset` which of the node's
    ports on that leaf it is, from 0.
    """

    index: int
    nic: NicPort
    rail: int
    nic_plane: int
    slot: int
    offset: int


# The name that a site may give to the routing table that is always there.
DEFAULT_VRF = "default"


@dataclass(frozen=True, slots=True)
class VlanIntent:
    """A VLAN as the site says it; `vrf` is "" for the default table."""

    plane: Plane
    id: int
    name: str
    vrf: str
    pool: IPv4Network
    acl: tuple[AclRule, ...]


@dataclass(frozen=True)
class Service:
    """A plane as nodes see it. Where `routed`, each NIC has a /31; else they are in VLANs.

    `lanes` are by profile; `lane_count` is the most that any profile has.
    """

    plane: Plane
    path: Path
    pool: IPv4Network
    routed: bool
    bonded: bool
    vlans: tuple[VlanIntent, ...]
    lanes: dict[str, tuple[Lane, ...]]
    lane_count: int
    host_ip_mtu_bytes: int
    switch_ip_mtu_bytes: int


@dataclass(frozen=True, slots=True)
class CableLengths:
    """Metres by the two tiers that a cable joins."""

    node_leaf: float
    leaf_spine: float
    spine_superspine: float


@dataclass(frozen=True)
class SwitchFabric:
    """Switches in Clos form. `path` is where the site's file speaks of them.

    `pods_per_block` and `group_base` place nodes: how many pods share leaves, and the block
    before the first group of servers (None: servers have no seat here).
    """

    plane: Plane
    path: Path
    clos: Clos
    leaf_profile: str
    spine_profile: str
    superspine_profile: str | None
    profiles: dict[str, SwitchProfile]
    loopbacks: IPv4Network
    links: IPv4Network
    numbered: bool
    asn: Asn
    cable_m: CableLengths
    timers: TimersFile
    services: tuple[Service, ...]
    population: Population
    nodes_per_unit: int
    pods_per_block: int
    group_base: int | None
    peer_links: int
    oversubscription: Oversubscription

    @property
    def leaf(self) -> SwitchProfile:
        """The leaves' profile."""
        return self.profiles[self.leaf_profile]

    @property
    def spine(self) -> SwitchProfile:
        """The spines' profile."""
        return self.profiles[self.spine_profile]

    @property
    def superspine(self) -> SwitchProfile:
        """The superspines' profile, of a fabric that has some."""
        return self.profiles[self.superspine_profile or ""]

    @cached_property
    def at_maxima(self) -> SwitchFabric:
        """The same fabric, grown as far as it may."""
        return replace(self, clos=self.clos.at_maxima, population=self.population.at_maxima)

    @cached_property
    def per_slot(self) -> int:
        """Ports of one node on one leaf, of all services."""
        return ports_per_slot(self.services)

    def seat(self, at: NodeAt) -> tuple[int, int, int] | None:
        """Pod, unit and place (all from 1) of a node here, or None where it has no seat."""
        if at.pod and self.group_base is None:
            return (
                at.pod,
                (at.number - 1) // self.nodes_per_unit + 1,
                (at.number - 1) % self.nodes_per_unit + 1,
            )
        if self.group_base is None:
            return None
        if at.group:
            return self.group_base + at.group, 1, at.number
        block, pod = divmod(at.pod - 1, self.pods_per_block)
        return block + 1, 1, pod * self.population.max_nodes_per_pod + at.number


def ports_per_slot(services: tuple[Service, ...]) -> int:
    """Ports of one node on one leaf, of all services."""
    offsets = (lane.offset for one in services for lanes in one.lanes.values() for lane in lanes)
    return 1 + max(offsets, default=-1)


def fabrics(
    site: SiteFile,
    population: Population,
    nodes: dict[str, NodeProfile],
    switches: dict[str, SwitchProfile],
) -> tuple[SwitchFabric, ...]:
    """Every fabric of a site: compute, then storage, then business."""
    out = [_compute(site, population, nodes, switches)]
    shared = site.business is not None and site.business.switches == "storage"
    if site.storage is not None:
        services = [_storage(site, nodes)]
        if shared:
            services.append(_business(site, nodes, ports_per_slot(tuple(services))))
        own = site.storage.switches
        out.append(_access("storage", own, services, site, population, switches))
    if site.business is not None and isinstance(site.business.switches, AccessSwitches):
        services = [_business(site, nodes, 0)]
        own = site.business.switches
        out.append(_access("business", own, services, site, population, switches))
    return tuple(out)


def rail_slots(rails: list[RailPort]) -> tuple[Slot, ...]:
    """One leaf for each rail (of each plane of dual-plane NICs), in the profile's order."""
    numbers = [_rail(at, one) for at, one in enumerate(rails)]
    width = len(str(max(numbers, default=0)))
    planes = 1 + max((one.nic_plane for one in rails), default=0)
    seen = [0] * planes
    out = []
    for rail, one in zip(numbers, rails, strict=True):
        letter = "ab"[one.nic_plane] if planes > 1 else ""
        label = f"r{str(rail).zfill(width)}{letter}"
        out.append(Slot(label, rail, one.nic_plane, seen[one.nic_plane]))
        seen[one.nic_plane] += 1
    return tuple(out)


def _rail(at: int, one: RailPort) -> int:
    return at if one.rail is None else one.rail


def home_slots(homes: int) -> tuple[Slot, ...]:
    """The leaves of a unit where a leaf is no rail: numbered from 1."""
    return tuple(Slot(str(at + 1), None, 0, at) for at in range(homes))


def _compute(
    site: SiteFile,
    population: Population,
    nodes: dict[str, NodeProfile],
    switches: dict[str, SwitchProfile],
) -> SwitchFabric:
    topology, compute = site.topology, site.compute
    rails = nodes[compute.node_profile].rails
    by_rail = topology.kind != "two-tier"
    three = topology.kind == "rail-optimized-three-tier"
    slots = rail_slots(rails) if by_rail else home_slots(topology.homes)
    lanes = tuple(
        Lane(at, one, _rail(at, one), one.nic_plane, at, 0)
        if by_rail
        else Lane(at, one, _rail(at, one), 0, at % topology.homes, at // topology.homes)
        for at, one in enumerate(rails)
    )
    mtu = site.lossless.ip_mtu_bytes
    service = Service(
        plane="compute",
        path=("compute", "pools", "rails"),
        pool=compute.pools.rails,
        routed=True,
        bonded=False,
        vlans=(),
        lanes={compute.node_profile: lanes},
        lane_count=len(rails),
        host_ip_mtu_bytes=mtu.hosts,
        switch_ip_mtu_bytes=mtu.switches,
    )
    most = topology.maxima
    per_unit = most.nodes_per_unit or most.nodes_per_pod
    units = -(-topology.nodes_per_pod // per_unit)
    ways = topology.breakout
    clos = Clos(
        prefix="",
        pod_word="p",
        slots=slots,
        units=tuple(
            (pod, unit) for pod in range(1, topology.pods + 1) for unit in range(1, units + 1)
        ),
        max_pods=most.pods,
        max_units=-(-most.nodes_per_pod // per_unit),
        spines=topology.spines,
        max_spines=most.spines,
        superspines=topology.superspines or 0,
        max_superspines=(most.superspines or topology.superspines or 0) if three else 0,
        uplinks=topology.uplinks_per_spine,
        top_uplinks=topology.uplinks_per_superspine,
        down_ports=per_unit * ports_per_slot((service,)),
        ways=(ways.nodes, ways.fabric, ways.top),
        three_tier=three,
        absent=frozenset(topology.absent),
    )
    metres = compute.cable_m
    return SwitchFabric(
        plane="compute",
        path=("compute",),
        clos=clos,
        leaf_profile=compute.leaf_profile,
        spine_profile=compute.spine_profile,
        superspine_profile=compute.superspine_profile if three else None,
        profiles=switches,
        loopbacks=compute.pools.loopbacks,
        links=compute.pools.links,
        numbered=topology.fabric_links == "numbered",
        asn=compute.asn,
        cable_m=CableLengths(
            metres.node_leaf, metres.leaf_spine, metres.spine_superspine or metres.leaf_spine
        ),
        timers=compute.timers,
        services=(service,),
        population=population,
        nodes_per_unit=per_unit,
        pods_per_block=1,
        group_base=None,
        peer_links=0,
        oversubscription=topology.oversubscription,
    )


def _spread(nics: list[NicPort], homes: int, before: int) -> tuple[Lane, ...]:
    return tuple(
        Lane(at, one, at, 0, at % homes, before + at // homes) for at, one in enumerate(nics)
    )


def _storage(site: SiteFile, nodes: dict[str, NodeProfile]) -> Service:
    said = site.storage
    assert said is not None  # noqa: S101 # asked only where the section is
    homes = said.switches.leaves_per_block
    lanes = {name: _spread(one.storage, homes, 0) for name, one in sorted(nodes.items())}
    bridged = VlanIntent("storage", said.vlan or 0, "storage", "", said.addresses, ())
    return Service(
        plane="storage",
        path=("storage", "addresses"),
        pool=said.addresses,
        routed=said.attach == "l3",
        bonded=said.attach == "lacp",
        vlans=() if said.vlan is None else (bridged,),
        lanes=lanes,
        lane_count=max(map(len, lanes.values()), default=0),
        host_ip_mtu_bytes=said.ip_mtu_bytes.hosts,
        switch_ip_mtu_bytes=said.ip_mtu_bytes.switches,
    )


def _business(site: SiteFile, nodes: dict[str, NodeProfile], before: int) -> Service:
    said = site.business
    assert said is not None  # noqa: S101 # asked only where the section is
    own = said.switches
    if not isinstance(own, AccessSwitches):
        assert site.storage is not None  # noqa: S101 # `read` has refused the other case
        own = site.storage.switches
    bonded = said.attach == "lacp"
    homes = own.leaves_per_block
    lanes = {
        name: _spread(one.business if bonded else one.business[:1], homes, before)
        for name, one in sorted(nodes.items())
    }
    return Service(
        plane="business",
        path=("business", "vlans"),
        pool=said.vlans[0].addresses,
        routed=False,
        bonded=bonded,
        vlans=tuple(_vlan(one) for one in said.vlans),
        lanes=lanes,
        lane_count=max(map(len, lanes.values()), default=0),
        host_ip_mtu_bytes=said.ip_mtu_bytes.hosts,
        switch_ip_mtu_bytes=said.ip_mtu_bytes.switches,
    )


def _vlan(said: Vlan) -> VlanIntent:
    rules = tuple(
        AclRule(one.action, one.protocol, str(one.source), str(one.destination), one.port)
        for one in said.acl
    )
    vrf = "" if said.vrf == DEFAULT_VRF else said.vrf
    return VlanIntent("business", said.id, said.name, vrf, said.addresses, rules)


def _access(
    plane: Plane,
    own: AccessSwitches,
    services: list[Service],
    site: SiteFile,
    population: Population,
    switches: dict[str, SwitchProfile],
) -> SwitchFabric:
    most = site.topology.maxima
    pod_blocks = -(-most.pods // own.pods_per_block)
    built = {(pod - 1) // own.pods_per_block + 1 for pod in range(1, site.topology.pods + 1)}
    if not any(one.lanes[population.profile] for one in services):
        built = set()
    built |= {
        pod_blocks + group.id
        for group in population.groups
        if any(one.lanes[group.profile] for one in services)
    }
    places = max(
        own.pods_per_block * most.nodes_per_pod,
        most.servers_per_group if most.server_groups else 0,
    )
    ways = own.breakout
    clos = Clos(
        prefix=f"{plane}-",
        pod_word="b",
        slots=home_slots(own.leaves_per_block),
        units=tuple((block, 1) for block in sorted(built)),
        max_pods=pod_blocks + most.server_groups,
        max_units=1,
        spines=own.spines,
        max_spines=own.maxima.spines,
        superspines=0,
        max_superspines=0,
        uplinks=own.uplinks_per_spine,
        top_uplinks=1,
        down_ports=places * ports_per_slot(tuple(services)),
        ways=(ways.nodes, ways.fabric, ways.top),
        three_tier=False,
        absent=frozenset(site.topology.absent),
    )
    metres = own.cable_m
    paired = own.leaves_per_block == 2 and any(one.vlans for one in services)
    return SwitchFabric(
        plane=plane,
        path=(plane, "switches"),
        clos=clos,
        leaf_profile=own.leaf_profile,
        spine_profile=own.spine_profile,
        superspine_profile=None,
        profiles=switches,
        loopbacks=own.pools.loopbacks,
        links=own.pools.links,
        numbered=own.fabric_links == "numbered",
        asn=own.asn,
        cable_m=CableLengths(metres.node_leaf, metres.leaf_spine, metres.leaf_spine),
        timers=own.timers,
        services=tuple(services),
        population=population,
        nodes_per_unit=places,
        pods_per_block=own.pods_per_block,
        group_base=pod_blocks,
        peer_links=PEER_LINKS if paired else 0,
        oversubscription=own.oversubscription,
    )


# Links between the two leaves of a pair that shares bonds: one may fail.
PEER_LINKS = 2
