"""Nodes: their NICs in every plane, and how the kernel keeps these apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from inventory.engines.choice import engine_at
from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.oob.plane import OobPlan
from inventory.plan import AccessNic, AccessVlan, Management, Node, Plane, RailNic, RoleVariable
from inventory.schema.node_profile import RailPort
from inventory.software.kind import software
from inventory.software.locked import as_locked
from inventory.topology import addressing, vlans
from inventory.topology.cabling import NodeLink
from inventory.topology.fabrics import SwitchFabric
from inventory.topology.population import NodeAt

from . import acceptance
from .tuning import tuning

# A table and a rule for each NIC that has a /31, so that what is sent from its address leaves
# by it only: the first table and priority of each plane.
TABLE_BASE = {"compute": 100, "storage": 200}
RULE_PRIORITY_BASE = {"compute": 1000, "storage": 2000}
_RULE_PRIORITY_STEP = 10


def nodes(
    fabric: Fabric,
    links: list[NodeLink],
    seats: OobPlan,
    variables: Mapping[str, tuple[RoleVariable, ...]],
) -> tuple[Node, ...]:
    """Every node, sorted by name; `variables` are those of roles that the site sets, by host."""
    rails: dict[str, list[RailNic]] = defaultdict(list)
    nics: dict[str, list[AccessNic]] = defaultdict(list)
    for link in links:
        if link.service.plane == "compute":
            rails[link.nic.device].append(_rail(fabric, link))
        else:
            nics[link.nic.device].append(_nic(fabric, link))
    population = fabric.population
    asked = {name: tuning(one.tuning) for name, one in fabric.node_profiles.items()}
    lock = fabric.versions.file
    given = {name: as_locked(lock, one) for name, one in fabric.node_profiles.items()}
    parts = {name: acceptance.parts(one) for name, (one, _) in given.items()}
    runs = {name: software(fabric, *one) for name, one in given.items()}
    return tuple(
        Node(
            name=name,
            kind=population.kind_of(at),
            pod=at.pod,
            rack=population.rack(at),
            position=at.number,
            profile=population.profile_of(at),
            engine=engine_at(fabric, at),
            management=oob.management(fabric, seats.seats[name]),
            bmc=_bmc(fabric, name, seats),
            gpus=parts[population.profile_of(at)].gpus,
            numa=parts[population.profile_of(at)].numa,
            rails=tuple(rails[name]),
            nics=tuple(nics[name]),
            vlans=_vlans(fabric, at, nics[name]),
            tuning=asked[population.profile_of(at)],
            software=runs[population.profile_of(at)],
            acceptance=parts[population.profile_of(at)].acceptance,
            role_variables=variables.get(name, ()),
        )
        for name, at in sorted(population.nodes.items())
    )


def _bmc(fabric: Fabric, name: str, seats: OobPlan) -> Management | None:
    seat = seats.bmcs.get(name)
    return oob.management(fabric, seat) if seat else None


def _rail(fabric: Fabric, link: NodeLink) -> RailNic:
    assert link.nic_address is not None and link.leaf_address is not None  # noqa: S101, PT018
    service, landing = link.service, link.landing
    return RailNic(
        index=landing.index,
        rail=landing.rail,
        nic_plane=landing.nic_plane,
        gpu=landing.gpu,
        port=link.nic.port,
        rdma_device=landing.nic.rdma_device,
        pci=landing.nic.pci,
        numa=landing.nic.numa,
        rate_gbps=landing.nic.rate_gbps,
        mac=fabric.asbuilt.mac(link.nic.device, link.nic.port),
        address=link.nic_address,
        gateway=link.leaf_address.ip,
        leaf=link.leaf,
        cable_m=link.cable_m,
        out_of_order=isinstance(landing.nic, RailPort)
        and landing.nic.out_of_order
        and fabric.intent.compute.adaptive_routing,
        ip_mtu_bytes=service.host_ip_mtu_bytes,
        rail_prefix=addressing.nic_prefix(service, landing.index),
        fabric_prefix=service.pool,
        table=TABLE_BASE["compute"] + landing.index,
        rule_priority=RULE_PRIORITY_BASE["compute"] + _RULE_PRIORITY_STEP * landing.index,
    )


def _nic(fabric: Fabric, link: NodeLink) -> AccessNic:
    service, landing, routed = link.service, link.landing, link.service.routed
    return AccessNic(
        plane=service.plane,
        port=link.nic.port,
        rdma_device=landing.nic.rdma_device,
        pci=landing.nic.pci,
        numa=landing.nic.numa,
        mac=fabric.asbuilt.mac(link.nic.device, link.nic.port),
        leaf=link.leaf,
        cable_m=link.cable_m,
        ip_mtu_bytes=service.host_ip_mtu_bytes,
        rate_gbps=link.rate_gbps,
        address=link.nic_address,
        gateway=link.leaf_address.ip if link.leaf_address else None,
        prefix=service.pool if routed else None,
        nic_prefix=addressing.nic_prefix(service, landing.index) if routed else None,
        table=TABLE_BASE["storage"] + landing.index if routed else None,
        rule_priority=(
            RULE_PRIORITY_BASE["storage"] + _RULE_PRIORITY_STEP * landing.index if routed else None
        ),
        bond=bond_name(service.plane) if service.bonded else None,
    )


# With a tag, `bond-sto.4094`, still 15 characters at most (linux/if.h, IFNAMSIZ).
BOND_WORDS = {"storage": "sto", "business": "biz"}


def bond_name(plane: Plane) -> str:
    """`bond-sto` or `bond-biz`."""
    return f"bond-{BOND_WORDS[plane]}"


def _vlans(fabric: Fabric, at: NodeAt, nics: list[AccessNic]) -> tuple[AccessVlan, ...]:
    out: list[AccessVlan] = []
    for one in fabric.fabrics:
        out += _in_fabric(one, at, nics)
    return tuple(out)


def _in_fabric(fabric: SwitchFabric, at: NodeAt, nics: list[AccessNic]) -> list[AccessVlan]:
    seat = fabric.seat(at)
    out: list[AccessVlan] = []
    for service in fabric.services if seat else ():
        mine = [nic for nic in nics if nic.plane == service.plane]
        if seat and service.vlans and mine:
            out += vlans.of_node(fabric, service, seat, mine[0].bond or mine[0].port)
    return out
