"""From a site's sections to its switch fabrics: compute, then storage, then business."""

from __future__ import annotations

from collections.abc import Iterable

from inventory.plan import Plane
from inventory.schema import AccessSwitches, NodeProfile, SiteFile, SwitchProfile

from .clos import Clos
from .fabrics import CableLengths, Service, SwitchFabric, ports_per_slot
from .population import Population
from .services import business_service, compute_service, home_slots, rail_slots, storage_service

# Links between the two leaves of a pair that shares bonds: one may fail.
PEER_LINKS = 2


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
        services = [storage_service(site, nodes)]
        if shared:
            before = ports_per_slot(tuple(services), site.storage.switches.leaves_per_block)
            services.append(business_service(site, nodes, before))
        own = site.storage.switches
        out.append(_access("storage", own, tuple(services), site, population, switches))
    if site.business is not None and isinstance(site.business.switches, AccessSwitches):
        only = (business_service(site, nodes, 0),)
        own = site.business.switches
        out.append(_access("business", own, only, site, population, switches))
    return tuple(out)


def _compute_clos(site: SiteFile, service: Service, nodes: dict[str, NodeProfile]) -> Clos:
    topology, most = site.topology, site.topology.maxima
    three = topology.kind == "rail-optimized-three-tier"
    by_rail = topology.kind != "two-tier"
    rails = nodes[site.compute.node_profile].rails
    per_unit = most.nodes_per_unit or most.nodes_per_pod
    units = -(-topology.nodes_per_pod // per_unit)
    slots = rail_slots(rails) if by_rail else home_slots(topology.homes)
    ways = topology.breakout
    return Clos(
        prefix="",
        pod_word="p",
        slots=slots,
        units=tuple((pod, unit) for pod in topology.built_pods for unit in range(1, units + 1)),
        max_pods=most.pods,
        max_units=-(-most.nodes_per_pod // per_unit),
        spines=topology.spines,
        max_spines=most.spines,
        superspines=topology.superspines or 0,
        max_superspines=(most.superspines or topology.superspines or 0) if three else 0,
        uplinks=topology.uplinks_per_spine,
        top_uplinks=topology.uplinks_per_superspine,
        down_ports=per_unit * ports_per_slot((service,), len(slots)),
        ways=(ways.nodes, ways.fabric, ways.top),
        three_tier=three,
        absent=frozenset(topology.absent),
    )


def _compute(
    site: SiteFile,
    population: Population,
    nodes: dict[str, NodeProfile],
    switches: dict[str, SwitchProfile],
) -> SwitchFabric:
    topology, compute = site.topology, site.compute
    service = compute_service(site, nodes)
    clos, metres, most = _compute_clos(site, service, nodes), compute.cable_m, topology.maxima
    return SwitchFabric(
        plane="compute",
        path=("compute",),
        clos=clos,
        leaf_profile=compute.leaf_profile,
        spine_profile=compute.spine_profile,
        superspine_profile=compute.superspine_profile if clos.three_tier else None,
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
        nodes_per_unit=most.nodes_per_unit or most.nodes_per_pod,
        pods_per_block=1,
        group_base=None,
        peer_links=0,
        oversubscription=topology.oversubscription,
    )


def _blocks(
    own: AccessSwitches, services: Iterable[Service], population: Population
) -> tuple[tuple[int, int], ...]:
    """The blocks that are built: of pods, then of groups of servers, with a NIC in a plane."""
    services = tuple(services)
    built = {(pod - 1) // own.pods_per_block + 1 for pod in population.pods}
    if not any(service.landings[population.profile] for service in services):
        built = set()
    base = -(-population.max_pods // own.pods_per_block)
    built |= {
        base + group.id
        for group in population.groups
        if any(service.landings[group.profile] for service in services)
    }
    return tuple((block, 1) for block in sorted(built))


def _access_clos(
    plane: Plane,
    own: AccessSwitches,
    services: tuple[Service, ...],
    site: SiteFile,
    population: Population,
    places: int,
) -> Clos:
    ways = own.breakout
    pod_blocks = -(-population.max_pods // own.pods_per_block)
    return Clos(
        prefix=f"{plane}-",
        pod_word="b",
        slots=home_slots(own.leaves_per_block),
        units=_blocks(own, services, population),
        max_pods=pod_blocks + population.max_groups,
        max_units=1,
        spines=own.spines,
        max_spines=own.maxima.spines,
        superspines=0,
        max_superspines=0,
        uplinks=own.uplinks_per_spine,
        top_uplinks=1,
        down_ports=places * ports_per_slot(services, own.leaves_per_block),
        ways=(ways.nodes, ways.fabric, ways.top),
        three_tier=False,
        absent=frozenset(site.topology.absent),
    )


def _access(
    plane: Plane,
    own: AccessSwitches,
    services: tuple[Service, ...],
    site: SiteFile,
    population: Population,
    switches: dict[str, SwitchProfile],
) -> SwitchFabric:
    of_pods = own.pods_per_block * population.max_nodes_per_pod
    places = max(of_pods, population.max_per_group if population.max_groups else 0)
    metres = own.cable_m
    paired = own.leaves_per_block == 2 and any(service.vlans for service in services)
    return SwitchFabric(
        plane=plane,
        path=(plane, "switches"),
        clos=_access_clos(plane, own, services, site, population, places),
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
        services=services,
        population=population,
        nodes_per_unit=places,
        pods_per_block=own.pods_per_block,
        group_base=-(-population.max_pods // own.pods_per_block),
        peer_links=PEER_LINKS if paired else 0,
        oversubscription=own.oversubscription,
    )
