"""The planes as nodes see them: which NIC lands on which leaf, and in which VLAN."""

from __future__ import annotations

from inventory.plan import AclRule
from inventory.schema import AccessSwitches, NodeProfile, RailPort, SiteFile
from inventory.schema.access import Vlan
from inventory.schema.node_profile import NicPort
from inventory.schema.topology import Topology

from .clos import Slot
from .fabrics import DEFAULT_VRF, Landing, Service, VlanIntent


def rail_slots(rails: list[RailPort]) -> tuple[Slot, ...]:
    """One leaf for each rail (of each plane of dual-plane NICs), in the profile's order."""
    numbers = [_rail(at, one) for at, one in enumerate(rails)]
    width = len(str(max(numbers, default=0)))
    planes = 1 + max((port.nic_plane for port in rails), default=0)
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


def compute_landings(topology: Topology, rails: list[RailPort]) -> tuple[Landing, ...]:
    """Rail NICs: one leaf each, or spread over the leaves of a unit where a leaf is no rail."""
    homes = topology.homes
    return tuple(
        Landing(at, one, _rail(at, one), 0, at % homes, at // homes, one.gpu)
        if topology.kind == "two-tier"
        else Landing(at, one, _rail(at, one), one.nic_plane, at, 0, one.gpu)
        for at, one in enumerate(rails)
    )


def compute_service(site: SiteFile, nodes: dict[str, NodeProfile]) -> Service:
    """The compute plane: every NIC routed, in the lossless class."""
    profile, mtu = site.compute.node_profile, site.lossless.ip_mtu_bytes
    landings = compute_landings(site.topology, nodes[profile].rails)
    return Service(
        plane="compute",
        path=("compute", "pools", "rails"),
        pool=site.compute.pools.rails,
        routed=True,
        bonded=False,
        vlans=(),
        landings={profile: landings},
        nic_count=len(landings),
        host_ip_mtu_bytes=mtu.hosts,
        switch_ip_mtu_bytes=mtu.switches,
    )


def _spread(nics: list[NicPort], homes: int, before: int) -> tuple[Landing, ...]:
    return tuple(
        Landing(at, one, at, 0, at % homes, before + at // homes) for at, one in enumerate(nics)
    )


def storage_service(site: SiteFile, nodes: dict[str, NodeProfile]) -> Service:
    """The storage plane: NICs routed, or bonds in one VLAN."""
    said = site.storage
    assert said is not None  # noqa: S101 # asked only where the section is
    homes = said.switches.leaves_per_block
    landings = {name: _spread(one.storage, homes, 0) for name, one in sorted(nodes.items())}
    bridged = VlanIntent("storage", said.vlan or 0, "storage", "", said.addresses, (), False)
    return Service(
        plane="storage",
        path=("storage", "addresses"),
        pool=said.addresses,
        routed=said.attach == "l3",
        bonded=said.attach == "lacp",
        vlans=() if said.vlan is None else (bridged,),
        landings=landings,
        nic_count=said.switches.maxima.nics_per_node,
        host_ip_mtu_bytes=said.ip_mtu_bytes.hosts,
        switch_ip_mtu_bytes=said.ip_mtu_bytes.switches,
    )


def business_service(site: SiteFile, nodes: dict[str, NodeProfile], before: int) -> Service:
    """The business plane; `before` counts the ports of other planes on the same leaf."""
    said = site.business
    assert said is not None  # noqa: S101 # asked only where the section is
    own = said.switches
    if not isinstance(own, AccessSwitches):
        assert site.storage is not None  # noqa: S101 # `read` has refused the other case
        own = site.storage.switches
    bonded = said.attach == "lacp"
    homes = own.leaves_per_block
    landings = {
        name: _spread(one.business if bonded else one.business[:1], homes, before)
        for name, one in sorted(nodes.items())
    }
    return Service(
        plane="business",
        path=("business", "vlans"),
        pool=said.vlans[0].addresses,
        routed=False,
        bonded=bonded,
        vlans=tuple(
            _vlan(one, number == 0 and said.default_route is not None)
            for number, one in enumerate(said.vlans)
        ),
        landings=landings,
        nic_count=own.maxima.nics_per_node if bonded else 1,
        host_ip_mtu_bytes=said.ip_mtu_bytes.hosts,
        switch_ip_mtu_bytes=said.ip_mtu_bytes.switches,
    )


def _vlan(said: Vlan, leads_out: bool) -> VlanIntent:
    rules = tuple(
        AclRule(rule.action, rule.protocol, str(rule.source), str(rule.destination), rule.port)
        for rule in said.acl
    )
    vrf = "" if said.vrf == DEFAULT_VRF else said.vrf
    return VlanIntent("business", said.id, said.name, vrf, said.addresses, rules, leads_out)
