"""Fabric to Plan: pure, by position, the same bytes for the same files."""

from __future__ import annotations

from dataclasses import replace

from . import addressing, cabling, oob, packages, routing
from .cabling import FabricLink, NodeLink
from .digest import digest_of
from .engine_choice import engine_at
from .ledger import assumptions
from .lossless import lossless
from .model import Fabric
from .oob import OobSeat
from .plan import Cable, Node, Plan, RailNic
from .tuning import tuning
from .waves import waves

# A table and a rule for each rail, so that a rail's traffic can leave by its own NIC only.
TABLE_BASE = 100
RULE_PRIORITY_BASE = 1000
_RULE_PRIORITY_STEP = 10


def derive(fabric: Fabric) -> Plan:
    """Return the plan of a fabric that `check` found no problem in."""
    seats = oob.seats(fabric)
    node_links = list(cabling.node_links(fabric))
    fabric_links = list(cabling.fabric_links(fabric))
    switches = routing.switches(fabric, node_links, fabric_links, seats)
    nodes = _nodes(fabric, node_links, seats)
    server = oob.server(fabric, seats)
    links: list[NodeLink | FabricLink] = [*node_links, *fabric_links]
    cables = [cabling.cable_of(link) for link in links]
    plan = Plan(
        site=fabric.intent.site,
        engine=fabric.intent.engine,
        digest="",
        lossless=lossless(fabric),
        credentials=tuple(sorted(fabric.intent.credentials.items())),
        oob=server,
        packages=packages.lock(fabric),
        repo=packages.repo(fabric),
        switches=switches,
        nodes=nodes,
        cables=tuple(sorted((*cables, *oob.cables(fabric, seats)), key=_first_end)),
        waves=waves(server, nodes, switches, fabric.intent.rollout),
        assumptions=assumptions(fabric, seats),
        undeployable=(),
    )
    plan = replace(plan, undeployable=_undeployable(plan))
    return replace(plan, digest=digest_of(plan))


def _first_end(cable: Cable) -> tuple[str, str]:
    # A port has one cable, so its first end orders them all, faster than comparing cables.
    return cable.a.device, cable.a.port


def _undeployable(plan: Plan) -> tuple[str, ...]:
    return tuple(sorted(name for name, mac in plan.management_mac.items() if mac is None))


def _nodes(fabric: Fabric, links: list[NodeLink], seats: dict[str, OobSeat]) -> tuple[Node, ...]:
    rails: dict[str, list[RailNic]] = {name: [] for name in fabric.shape.nodes}
    for link in links:
        rails[link.nic.device].append(_nic(fabric, link))
    asked = tuning(fabric.node_profile.tuning)
    return tuple(
        Node(
            name=name,
            pod=at.pod,
            rack=fabric.shape.rack(at),
            position=at.number,
            profile=fabric.intent.compute.node_profile,
            engine=engine_at(fabric, at),
            management=oob.management(fabric, seats[name]),
            rails=tuple(rails[name]),
            tuning=asked,
        )
        for name, at in sorted(fabric.shape.nodes.items())
    )


def _nic(fabric: Fabric, link: NodeLink) -> RailNic:
    return RailNic(
        rail=link.rail,
        port=link.nic.port,
        rdma_device=fabric.node_profile.rails[link.rail].rdma_device,
        mac=fabric.asbuilt.mac(link.nic.device, link.nic.port),
        address=link.nic_address,
        gateway=link.leaf_address.ip,
        leaf=link.leaf,
        ip_mtu_bytes=fabric.intent.lossless.ip_mtu_bytes.hosts,
        rail_prefix=addressing.rail_prefix(fabric, link.rail),
        fabric_prefix=fabric.intent.compute.pools.rails,
        table=TABLE_BASE + link.rail,
        rule_priority=RULE_PRIORITY_BASE + _RULE_PRIORITY_STEP * link.rail,
    )
