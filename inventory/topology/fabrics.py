"""The switch fabrics of a site, and which NIC of which node lands on which of their leaves.

A fabric is a set of switches in Clos form; a service is a plane that nodes reach through it.
The compute fabric carries one service; storage's may carry business too, where the site says
that they share switches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import IPv4Network

from inventory.plan import AclRule, Plane
from inventory.schema import SwitchProfile
from inventory.schema.compute import Asn, TimersFile
from inventory.schema.node_profile import NicPort
from inventory.schema.topology import Oversubscription

from .clos import Clos
from .population import NodeAt, Population

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Landing:
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
    gpu: int | None = None


# The name that a site may give to the routing table that is always there.
DEFAULT_VRF = "default"


@dataclass(frozen=True, slots=True)
class VlanIntent:
    """A VLAN as the site says it; `vrf` is "" for the default table.

    `leads_out` says whether its gateway is the nodes' way to the outside.
    """

    plane: Plane
    id: int
    name: str
    vrf: str
    pool: IPv4Network
    acl: tuple[AclRule, ...]
    leads_out: bool


@dataclass(frozen=True)
class Service:
    """A plane as nodes see it. Where `routed`, each NIC has a /31; else they are in VLANs.

    `landings` are by profile; `nic_count` is the most that any profile may have.
    """

    plane: Plane
    path: Path
    pool: IPv4Network
    routed: bool
    bonded: bool
    vlans: tuple[VlanIntent, ...]
    landings: dict[str, tuple[Landing, ...]]
    nic_count: int
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
        return ports_per_slot(self.services, len(self.clos.slots))

    def profile_in(self, pod: int) -> str:
        """The profile of the nodes in a pod or block (from 1); "" for a group that is not there."""
        if self.group_base is None or pod <= self.group_base:
            return self.population.profile
        group = self.population.group.get(pod - self.group_base)
        return group.profile if group else ""

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


def ports_per_slot(services: tuple[Service, ...], slots: int) -> int:
    """Ports of one node on one leaf, of all services, with as many NICs as it may have."""
    return sum(-(-service.nic_count // max(slots, 1)) for service in services)
