"""Rules for pools: large enough for the maxima, apart from each other, usable at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Network

from inventory.load.yaml_positions import Path, dotted
from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.oob.boundary import boundary_networks
from inventory.problems import Problem
from inventory.topology import addressing
from inventory.topology.fabrics import SwitchFabric
from inventory.topology.racks import layout

# RFC 6890, 2.2.2: networks that no device may carry as its own.
_UNUSABLE = tuple(
    IPv4Network(one)
    for one in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4")
)


def _named(fabric: Fabric) -> dict[Path, IPv4Network]:
    out: dict[Path, IPv4Network] = {}
    for one in fabric.fabrics:
        out[*one.path, "pools", "loopbacks"] = one.loopbacks
        out[*one.path, "pools", "links"] = one.links
        for service in one.services:
            if service.vlans and service.plane == "business":
                for at, vlan in enumerate(service.vlans):
                    out[*service.path, at, "addresses"] = vlan.pool
            else:
                out[service.path] = service.pool
    out["oob", "access"] = IPv4Network(fabric.intent.oob.access)
    said = fabric.intent.oob.zones
    for name in type(said).model_fields:
        if (zone := getattr(said, name)) is not None:
            out["oob", "zones", name] = zone
    out |= boundary_networks(fabric.intent.boundary)
    return out


def pools_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """An address in two pools could be given twice, and a route could cross planes."""
    seen: list[tuple[Path, IPv4Network]] = []
    for path, pool in _named(fabric).items():
        for first, one in seen:
            if one.overlaps(pool):
                expected = f"a network apart from {dotted(first)}, {one}"
                yield fabric.problem(path, str(pool), expected)
        seen.append((path, pool))


def pools_are_usable(fabric: Fabric) -> Iterator[Problem]:
    """Link-local space is FRR's own next hop on unnumbered links, the rest is no unicast."""
    for path, pool in _named(fabric).items():
        taken = [str(one) for one in _UNUSABLE if pool.overlaps(one)]
        if taken:
            expected = f"unicast addresses outside {', '.join(taken)}"
            yield fabric.problem(path, str(pool), expected, "RFC 6890")


def nics_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A leaf announces an aggregate: it must hold a /31 for each possible node (RFC 3021)."""
    for one in fabric.fabrics:
        for service in one.services:
            if not service.routed:
                continue
            room = 31 - addressing.bits_for(one.nodes_per_unit)
            over = addressing.aggregate_bits(one, service) - room
            if over > 0:
                longest = service.pool.prefixlen - over
                units = one.clos.max_pods * one.clos.max_units
                what, where = ("rails", "pods") if one.plane == "compute" else ("NICs", "blocks")
                nodes = f"{one.nodes_per_unit} nodes"
                sums = f"{service.nic_count} {what}, {units} {where}, {nodes}"
                yield _too_small(fabric, service.path, service.pool, longest, sums)


def vlan_subnets_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Each block has a subnet of its own in a VLAN, with an address for each possible node."""
    for one in fabric.fabrics:
        blocks = addressing.block_bits(one)
        needed = addressing.bits_for(addressing.VLAN_NODE_OFFSET + one.nodes_per_unit + 2)
        for service in one.services:
            for at, vlan in enumerate(service.vlans):
                longest = 32 - needed - blocks
                if vlan.pool.prefixlen > longest:
                    own = service.plane == "business"
                    path: Path = (*service.path, at, "addresses") if own else service.path
                    sums = f"{one.clos.max_pods} blocks of {one.nodes_per_unit} nodes"
                    yield _too_small(fabric, path, vlan.pool, longest, sums)


def loopbacks_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Each tier has a quarter of the pool, its first address left free."""
    for one in fabric.fabrics:
        clos, pool = one.clos, one.loopbacks
        most = max(clos.max_leaves, clos.max_spine_count, clos.max_superspine_count)
        longest = 32 - addressing.LOOPBACK_SPLIT_BITS - addressing.bits_for(most + 1)
        if pool.prefixlen > longest:
            sums = f"a quarter for each tier, of {most} switches at most"
            yield _too_small(fabric, _pool(one, "loopbacks"), pool, longest, sums)


def links_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Numbered links take a /31 for each possible link between switches (RFC 3021)."""
    for one in fabric.fabrics:
        most = one.clos.max_links
        longest = 31 - addressing.bits_for(most)
        if one.numbered and one.links.prefixlen > longest:
            sums = f"{most} links at most"
            yield _too_small(fabric, _pool(one, "links"), one.links, longest, sums)


def _pool(one: SwitchFabric, key: str) -> Path:
    return (*one.path, "pools", key)


def _too_small(fabric: Fabric, path: Path, pool: IPv4Network, longest: int, sums: str) -> Problem:
    expected = f"a /{longest} or larger" if longest > 0 else "smaller topology.maxima"
    found = f"a /{pool.prefixlen}"
    return fabric.problem(path, found, expected, f"within the maxima: {sums}")


def zones_suffice(fabric: Fabric) -> Iterator[Problem]:
    """Each possible device of a zone has an address by its port of the OOB server."""
    places, zones = layout(fabric), fabric.intent.oob.zones
    nodes = fabric.population.max_nodes
    racks = places.max_racks * places.racks.pdus if places else 0
    most = {
        "netmgmt": (zones.netmgmt, oob.netmgmt_most(fabric, places)),
        "hostmgmt": (zones.hostmgmt, nodes),
        "bmc": (zones.bmc, nodes),
        "power": (zones.power, racks),
    }
    for name, (zone, devices) in most.items():
        longest = 32 - addressing.bits_for(addressing.OOB_DEVICE_OFFSET + devices + 2)
        if zone is not None and zone.prefixlen > longest:
            hint = f"within the maxima: {devices} devices, and the first 10 addresses"
            found = f"a /{zone.prefixlen}"
            yield fabric.problem(("oob", "zones", name), found, f"a /{longest} or larger", hint)


POOL_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    pools_are_apart,
    pools_are_usable,
    nics_suffice,
    vlan_subnets_suffice,
    loopbacks_suffice,
    links_suffice,
    zones_suffice,
)
