"""Bandwidth and ports of each tier of each plane, as built."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from inventory.model import Fabric
from inventory.plan import Capacity

from .clos import Clos
from .fabrics import SwitchFabric


def capacities(fabric: Fabric) -> tuple[Capacity, ...]:
    """The worst leaf, and the worst spine where there is something above it, of each fabric."""
    return tuple(row for one in fabric.fabrics for row in _of_fabric(one))


def _of_fabric(fabric: SwitchFabric) -> Iterator[Capacity]:
    clos, limits = fabric.clos, fabric.oversubscription
    _, link, top = clos.ways
    loads, of_nodes = _leaf_loads(fabric)
    spines, superspines = _fewest(clos)
    up_ports = spines * clos.uplinks
    rate = min(fabric.leaf.ports.rate_of(link), fabric.spine.ports.rate_of(link))
    used = of_nodes + -(-clos.spines * clos.uplinks // link) + fabric.peer_links
    yield _row(fabric, "leaf", loads, up_ports * rate, limits.leaf, used, fabric.leaf.ports.count)
    pods = {pod for pod, _ in clos.units}
    per_pod = len(clos.units) * clos.slots_per_plane
    below = per_pod // max(len(pods), 1) if clos.three_tier else per_pod
    down = below * clos.uplinks
    above = superspines * clos.top_uplinks
    top_rate = _top_rate(fabric) if clos.three_tier else 0.0
    used = -(-down // link) + -(-clos.superspines * clos.top_uplinks // top)
    yield _row(
        fabric, "spine", down * rate, above * top_rate, limits.spine, used, fabric.spine.ports.count
    )
    if clos.three_tier:
        down = len(pods) * clos.top_uplinks
        used, count = -(-down // top), fabric.superspine.ports.count
        yield _row(fabric, "superspine", down * top_rate, 0.0, None, used, count)


def _fewest(clos: Clos) -> tuple[int, int]:
    """Spines above the worst leaf and superspines above the worst spine: some may be absent."""
    spines = Counter((at.pod, at.nic_plane) for at in clos.spine_places.values())
    tops = Counter((at.nic_plane, at.group) for at in clos.superspine_places.values())
    return min(spines.values(), default=0), min(tops.values(), default=0)


def _top_rate(fabric: SwitchFabric) -> float:
    top = fabric.clos.ways[2]
    return min(fabric.spine.ports.rate_of(top), fabric.superspine.ports.rate_of(top))


def _row(
    fabric: SwitchFabric,
    tier: str,
    down_gbps: float,
    up_gbps: float,
    limit: float | None,
    used: int,
    count: int,
) -> Capacity:
    ratio = round(down_gbps / up_gbps, 6) if up_gbps else 0.0
    return Capacity(fabric.plane, tier, down_gbps, up_gbps, ratio, limit, used, count - used)


def _leaf_loads(fabric: SwitchFabric) -> tuple[float, int]:
    """What the nodes of the fullest leaf can send, Gb/s, and the cages they take at most."""
    ways, per_slot = fabric.clos.ways[0], fabric.per_slot
    port = fabric.leaf.ports.rate_of(ways)
    ends: defaultdict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for service in fabric.services:
        for profile, landings in service.landings.items():
            ends[profile] += [
                (landing.slot, landing.offset, min(landing.nic.rate_gbps, port))
                for landing in landings
            ]
    loads: defaultdict[tuple[int, int, int], float] = defaultdict(float)
    cages: defaultdict[tuple[int, int, int], set[int]] = defaultdict(set)
    for at in fabric.population.nodes.values():
        seat = fabric.seat(at)
        if seat is None:
            continue
        pod, unit, place = seat
        for slot, offset, rate in ends.get(fabric.population.profile_of(at), ()):
            loads[pod, unit, slot] += rate
            cages[pod, unit, slot].add(((place - 1) * per_slot + offset) // ways)
    return max(loads.values(), default=0), max(map(len, cages.values()), default=0)
