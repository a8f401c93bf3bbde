"""Fabric to Plan: pure, by position, the same bytes for the same files."""

from __future__ import annotations

from dataclasses import replace

from .digest import digest_of
from .ledger import assumptions
from .lossless import buffers_of, lossless
from .model import Fabric
from .nodes import acceptance
from .nodes import plan as node_plan
from .nodes.role_variables import Resolved
from .oob import plane as oob
from .oob import switches as oob_switches
from .oob.boundary import derive_boundary
from .oob.places import places
from .oob.plane import OobPlan
from .plan import Cable, OobSwitch, Plan, Plane, ServerLogin, Switch
from .software import packages
from .software.wanted import wanted_bios, wanted_versions
from .switches.services import switch_services
from .topology import cabling, rack_plan, routing
from .topology.cabling import FabricLink, NodeLink
from .topology.capacity import capacities
from .topology.racks import Layout, layout
from .topology.waves import waves


def derive(fabric: Fabric) -> Plan:
    """Return the plan of a fabric that `check` found no problem in."""
    rack_places = layout(fabric)
    seats = oob.seats(fabric, rack_places)
    cables = oob.cables(fabric, seats)
    switches: list[Switch] = []
    node_links: list[NodeLink] = []
    buffers = buffers_of(fabric)
    for one in fabric.fabrics:
        down, between = list(cabling.node_links(one)), list(cabling.fabric_links(one))
        switches += routing.switches(fabric, one, down, between, seats.seats, buffers)
        links: list[NodeLink | FabricLink] = [*down, *between]
        cables += [cabling.cable_of(link, _plane(link, one.plane)) for link in links]
        node_links += down
    variables = Resolved(fabric).by_host()
    nodes = node_plan.nodes(fabric, node_links, seats, variables)
    own = _oob_switches(fabric, rack_places, seats, cables)
    server = oob.server(fabric, seats, variables.get(fabric.intent.oob.server, ()))
    switches.sort(key=lambda one: one.name)
    plan = Plan(
        site=fabric.intent.site,
        engine=fabric.intent.engine,
        digest="",
        lossless=lossless(fabric),
        credentials=tuple(sorted(fabric.intent.credentials.items())),
        oob=server,
        packages=packages.lock(fabric),
        repo=packages.repo(fabric),
        switches=tuple(switches),
        oob_switches=own,
        switch_services=switch_services(fabric.intent),
        logins=tuple(
            ServerLogin(one.user, tuple(one.devices), one.password or "")
            for one in fabric.intent.logins
        ),
        boundary=derive_boundary(
            fabric.intent.boundary, places(fabric, nodes), fabric.intent.oob.packages_port
        ),
        versions=wanted_versions(fabric),
        bios=wanted_bios(fabric),
        racks=rack_plan.racks(fabric, rack_places, seats),
        nodes=nodes,
        mounts=acceptance.mounts(fabric),
        cables=tuple(sorted(cables, key=_first_end)),
        capacities=capacities(fabric),
        waves=waves(server, own, nodes, tuple(switches), fabric.intent.rollout),
        absence_percent=fabric.intent.rollout.absence_percent,
        assumptions=assumptions(fabric, seats.seats),
        undeployable=(),
    )
    plan = replace(plan, undeployable=_undeployable(plan))
    return replace(plan, digest=digest_of(plan))


def _plane(link: NodeLink | FabricLink, own: Plane) -> Plane:
    return link.service.plane if isinstance(link, NodeLink) else own


def _oob_switches(
    fabric: Fabric, rack_places: Layout | None, seats: OobPlan, cables: list[Cable]
) -> tuple[OobSwitch, ...]:
    """The OOB plane's own switches; their trunks are added to `cables`."""
    if rack_places is None or fabric.intent.oob.switches is None:
        return ()
    trunks = oob_switches.trunks(fabric, rack_places)
    of_plane = [cable for cable in cables if cable.plane == "oob"] + trunks
    cables += trunks
    return oob_switches.switches(
        fabric, rack_places, of_plane, lambda name: oob.management(fabric, seats.seats[name])
    )


def _first_end(cable: Cable) -> tuple[str, str]:
    # A port has one cable, so its first end orders them all, faster than comparing cables.
    return cable.a.device, cable.a.port


def _undeployable(plan: Plan) -> tuple[str, ...]:
    return tuple(sorted(name for name, mac in plan.management_mac.items() if mac is None))
