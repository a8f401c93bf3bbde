"""Rules for pools: large enough for the maxima, apart from each other, usable at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Network
from itertools import combinations

from . import addressing
from .boundary import boundary_networks
from .marked import Path, dotted
from .model import Fabric
from .problems import Problem

# RFC 6890, 2.2.2: networks that no device may carry as its own.
_UNUSABLE = tuple(
    IPv4Network(one)
    for one in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4")
)


def _named(fabric: Fabric) -> dict[Path, IPv4Network]:
    pools, zones = fabric.intent.compute.pools, fabric.intent.oob.zones
    return {
        ("compute", "pools", "loopbacks"): pools.loopbacks,
        ("compute", "pools", "links"): pools.links,
        ("compute", "pools", "rails"): pools.rails,
        ("oob", "access"): IPv4Network(fabric.intent.oob.access),
        ("oob", "zones", "netmgmt"): zones.netmgmt,
        ("oob", "zones", "hostmgmt"): zones.hostmgmt,
        **boundary_networks(fabric.intent.boundary),
    }


def pools_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """An address in two pools could be given twice, and a route could cross planes."""
    for (first, one), (path, other) in combinations(_named(fabric).items(), 2):
        if one.overlaps(other):
            expected = f"a network apart from {dotted(first)}, {one}"
            yield fabric.problem(path, str(other), expected)


def pools_are_usable(fabric: Fabric) -> Iterator[Problem]:
    """Link-local space is FRR's own next hop on unnumbered links, the rest is no unicast."""
    for path, pool in _named(fabric).items():
        for taken in _UNUSABLE:
            if pool.overlaps(taken):
                expected = f"unicast addresses outside {taken}"
                yield fabric.problem(path, str(pool), expected, "RFC 6890")


def rails_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A leaf announces one aggregate: it must hold a /31 for each possible node (RFC 3021)."""
    shape, pool = fabric.shape, fabric.intent.compute.pools.rails
    over = addressing.aggregate_bits(fabric) - (31 - addressing.bits_for(shape.max_nodes_per_pod))
    if over > 0:
        sums = f"{shape.rails} rails, {shape.max_pods} pods, {shape.max_nodes_per_pod} nodes"
        yield _too_small(fabric, "rails", pool, pool.prefixlen - over, sums)


def loopbacks_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Each tier has a quarter of the pool, its first address left free."""
    shape, pool = fabric.shape, fabric.intent.compute.pools.loopbacks
    most = max(shape.max_leaves, shape.max_spines)
    longest = 32 - addressing.LOOPBACK_SPLIT_BITS - addressing.bits_for(most + 1)
    if pool.prefixlen > longest:
        sums = f"a quarter for each tier, of {most} switches at most"
        yield _too_small(fabric, "loopbacks", pool, longest, sums)


def links_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Numbered links take a /31 for each possible leaf-spine link (RFC 3021)."""
    shape, pool = fabric.shape, fabric.intent.compute.pools.links
    most = shape.max_leaves * shape.max_spines * shape.uplinks
    longest = 31 - addressing.bits_for(most)
    if fabric.intent.topology.fabric_links == "numbered" and pool.prefixlen > longest:
        yield _too_small(fabric, "links", pool, longest, f"{most} links at most")


def _too_small(fabric: Fabric, key: str, pool: IPv4Network, longest: int, sums: str) -> Problem:
    expected = f"a /{longest} or larger" if longest > 0 else "smaller topology.maxima"
    found = f"a /{pool.prefixlen}"
    return fabric.problem(("compute", "pools", key), found, expected, f"within the maxima: {sums}")


def zones_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Each possible device of a zone has an address by its port of the OOB server."""
    shape, zones = fabric.shape, fabric.intent.oob.zones
    most = {
        "netmgmt": (zones.netmgmt, shape.max_leaves + shape.max_spines),
        "hostmgmt": (zones.hostmgmt, shape.max_pods * shape.max_nodes_per_pod),
    }
    for name, (zone, devices) in most.items():
        needed = addressing.OOB_DEVICE_OFFSET + devices + 2
        longest = 32 - addressing.bits_for(needed)
        if zone.prefixlen > longest:
            hint = f"within the maxima: {devices} devices, and the first 10 addresses"
            found = f"a /{zone.prefixlen}"
            yield fabric.problem(("oob", "zones", name), found, f"a /{longest} or larger", hint)


POOL_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    pools_are_apart,
    pools_are_usable,
    rails_suffice,
    loopbacks_suffice,
    links_suffice,
    zones_suffice,
)
