"""Bandwidth and ports of each tier of each plane, as built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .fabrics import SwitchFabric
from .model import Fabric
from .plan import Capacity


def capacities(fabric: Fabric) -> tuple[Capacity, ...]:
    """The worst leaf, and the worst spine where there is something above it, of each fabric."""
    return tuple(row for one in fabric.fabrics for row in _of_fabric(one))


def _of_fabric(fabric: SwitchFabric) -> Iterator[Capacity]:
    clos, limits = fabric.clos, fabric.oversubscription
    node, link, top = clos.ways
    loads, nodes = _leaf_loads(fabric)
    up_ports = clos.spines * clos.uplinks
    rate = min(fabric.leaf.ports.rate_of(link), fabric.spine.ports.rate_of(link))
    used = -(-nodes * fabric.per_slot // node) + -(-up_ports // link) + fabric.peer_links
    yield _row(fabric, "leaf", loads, up_ports * rate, limits.leaf, used, fabric.leaf.ports.count)
    pods = {pod for pod, _ in clos.units}
    per_pod = len(clos.units) * clos.slots_per_plane
    below = per_pod // max(len(pods), 1) if clos.three_tier else per_pod
    down = below * clos.uplinks
    above = clos.superspines * clos.top_uplinks if clos.three_tier else 0
    top_rate = _top_rate(fabric) if clos.three_tier else 0.0
    used = -(-down // link) + -(-above // top)
    yield _row(
        fabric, "spine", down * rate, above * top_rate, limits.spine, used, fabric.spine.ports.count
    )
    if clos.three_tier:
        down = len(pods) * clos.top_uplinks
        used, count = -(-down // top), fabric.superspine.ports.count
        yield _row(fabric, "superspine", down * top_rate, 0.0, None, used, count)


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
    """What the nodes of the fullest leaf can send, Gb/s, and how many they are."""
    port = fabric.leaf.ports.rate_of(fabric.clos.ways[0])
    rates = {profile: Counter[int]() for service in fabric.services for profile in service.lanes}
    for service in fabric.services:
        for profile, lanes in service.lanes.items():
            for lane in lanes:
                rates[profile][lane.slot] += min(lane.nic.rate_gbps, port)  # type: ignore[assignment]
    loads: Counter[tuple[int, int, int]] = Counter()
    nodes: Counter[tuple[int, int]] = Counter()
    for at in fabric.population.nodes.values():
        seat = fabric.seat(at)
        profile = fabric.population.profile_of(at)
        if seat is None or not rates.get(profile):
            continue
        nodes[seat[0], seat[1]] += 1
        for slot, rate in rates[profile].items():
            loads[seat[0], seat[1], slot] += rate
    return max(loads.values(), default=0), max(nodes.values(), default=0)
