"""A new site in numbers: every choice that the text then prints."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

from inventory.switches.abilities import cannot, of

from ..schema import NodeProfile
from . import pools
from .access import AccessShape, Blocks, Load, access_shape, load, most_places
from .box import Box, box, ceil_div
from .compute import ComputeShape, compute_shape
from .hall import PDUS, SERVERS_PER_RACK, Above, Hall, above, hall
from .wish import CannotBuildError, Shelf, Wish

STORE, MGMT = "storage-cpu", "mgmt-cpu"
_OWN = (STORE, MGMT)
GROUPS = 4
# No pool is smaller than this: addresses of a plane should be told at a glance.
_READABLE = {"rails": 16, "storage": 18, "users": 18, "links": 20}
_ASN, _ASN_STEP = 4_200_000_000, 10_000


@dataclass(frozen=True)
class Fabric:
    """One fabric beside compute: what it carries, its counts, its first AS numbers."""

    planes: tuple[str, ...]
    load: Load
    shape: AccessShape
    asn_spines: int
    asn_leaves: int


@dataclass(frozen=True)
class Draft:
    """A whole site. `servers` are groups with profile and count, `fabrics` by their plane."""

    wish: Wish
    node: NodeProfile
    box: Box
    compute: ComputeShape
    fabrics: dict[str, Fabric]
    servers: dict[str, tuple[str, int]]
    servers_per_group: int
    hall: Hall | None
    above: Above | None
    pools: dict[str, IPv4Network]
    zones: dict[str, IPv4Network]


def draft(wish: Wish, shelf: Shelf) -> Draft:
    """Every choice for a wish; CannotBuildError where there is none."""
    node = _node(wish, shelf)
    switch = box(shelf, wish.switch_profile)
    _refuse_shared(wish, switch)
    servers = _servers(wish, node, shelf)
    profiles = [node, *(shelf.nodes[profile] for profile, _ in servers.values())]
    _refuse_rates(wish, switch, profiles)
    loads = {planes: load(profiles, planes, switch.profile.dialect) for planes in _shared(wish)}
    most = min((most_places(switch, one) for one in loads.values()), default=1 << 20)
    if not most:
        found = f"{switch.name}, too few ports for a pair of leaves"
        raise CannotBuildError("--switch-profile", found, "a switch with more ports")
    compute = compute_shape(wish, node, switch, most)
    per_group = _per_group(servers, most)
    groups = GROUPS if servers else 0
    blocks = Blocks(compute.max_pods, compute.max_nodes_per_pod, groups, per_group)
    fabrics = {
        planes[0]: _fabric(number, planes, asked, access_shape(planes[0], switch, asked, blocks))
        for number, (planes, asked) in enumerate(loads.items(), 1)
    }
    rooms = hall(wish, shelf)
    racks = _max_racks(compute, fabrics, groups, per_group, rooms) if rooms else 0
    joined = above(shelf, racks) if rooms and wish.oob_switches is not False else None
    oob = racks + joined.aggregations + 1 if joined else 0
    return Draft(
        wish=wish,
        node=node,
        box=switch,
        compute=compute,
        fabrics=fabrics,
        servers={name: (one, min(count, per_group)) for name, (one, count) in servers.items()},
        servers_per_group=per_group,
        hall=rooms,
        above=joined,
        pools=_pools(node, compute, fabrics),
        zones=_zones(compute, fabrics, groups * per_group, racks, oob),
    )


def _node(wish: Wish, shelf: Shelf) -> NodeProfile:
    node = shelf.node(wish.node_profile)
    for plane, asked in (("storage", wish.storage), ("business", wish.business)):
        if asked != "none" and not getattr(node, plane):
            found = f"`{wish.node_profile}`, which has no `{plane}` NICs"
            raise CannotBuildError(f"--{plane}", found, "another profile, or none")
    if wish.oob_switches and node.power_w is None:
        found = f"`{wish.node_profile}`, which does not say its power"
        raise CannotBuildError("--oob-switches", found, "a profile with `power_w`: racks need it")
    if wish.business == "storage" and wish.storage == "none":
        expected = "--storage roce or tcp, or --business own"
        raise CannotBuildError("--business", "`storage`, and no storage plane", expected)
    return node


def _refuse_shared(wish: Wish, switch: Box) -> None:
    """Users on storage's switches need a routing table of their own."""
    no = cannot("routing tables", switch.profile.dialect)
    if wish.business == "storage" and no:
        found = f"`storage`, on switches under {switch.profile.dialect}"
        raise CannotBuildError("--business", found, "own", no.why)


def _refuse_rates(wish: Wish, switch: Box, profiles: list[NodeProfile]) -> None:
    """A port needs a word for its rate, and where a cage has one map, the rate of its like."""
    dialect, node = switch.profile.dialect, profiles[0]
    known = of(dialect).rates
    rates = {min(nic.rate_gbps, switch.rate(1)) for nic in node.rails}
    if known and not rates <= {*known.rates_gbps}:
        found = f"{switch.name}, for NICs of {min(rates):g} Gb/s"
        expected = f"a switch whose system has a word for {min(rates):g} Gb/s"
        raise CannotBuildError("--switch-profile", found, expected, known.source)
    why = of(dialect).one_rate_per_cage
    if wish.business != "storage" or not why:
        return
    for profile in profiles:
        mixed = sorted({nic.rate_gbps for nic in (*profile.storage, *profile.business)})
        if len(mixed) > 1 and switch.node_ways(mixed[-1]) > 1:
            said = " and ".join(f"{rate:g}" for rate in mixed)
            found = f"`storage`, on {switch.name}, for NICs of {said} Gb/s of one server"
            raise CannotBuildError("--business", found, "own", why)


def _shared(wish: Wish) -> list[tuple[str, ...]]:
    """The fabrics beside compute, each with the planes that it carries."""
    if wish.business == "storage":
        return [("storage", "business")]
    said = {"storage": wish.storage, "business": wish.business}
    return [(plane,) for plane, asked in said.items() if asked != "none"]


def _servers(wish: Wish, node: NodeProfile, shelf: Shelf) -> dict[str, tuple[str, int]]:
    """Storage servers, one for eight nodes and at least four; five for management and logins.

    None where the nodes have another OS: all servers of a site get their packages from one lock.
    """
    out: dict[str, tuple[str, int]] = {}
    if any((shelf.nodes[one].os, shelf.nodes[one].arch) != (node.os, node.arch) for one in _OWN):
        return out
    if wish.storage != "none":
        out["store"] = (STORE, min(max(ceil_div(wish.nodes, 8), 4), 64))
    if out or wish.business != "none":
        out["mgmt"] = (MGMT, 5)
    return out


def _per_group(servers: dict[str, tuple[str, int]], most: int) -> int:
    """Room for twice as many servers of a group, in whole racks where there are several."""
    asked = min(most, max(8, 2 * max((count for _, count in servers.values()), default=0)))
    racks = asked // SERVERS_PER_RACK
    return racks * SERVERS_PER_RACK if racks else asked


def _fabric(number: int, planes: tuple[str, ...], asked: Load, shape: AccessShape) -> Fabric:
    first = _ASN + 10 * number * _ASN_STEP
    return Fabric(planes, asked, shape, first, first + 100)


def _max_racks(
    compute: ComputeShape, fabrics: dict[str, Fabric], groups: int, per_group: int, rooms: Hall
) -> int:
    """All racks that can exist, as `inventory.topology.racks` counts them."""
    in_pod = compute.max_units * compute.slots * compute.planes
    core = sum(fabric.shape.max_leaves + fabric.shape.spines for fabric in fabrics.values())
    if compute.three_tier:
        in_pod += compute.planes * compute.spines
        core += compute.max_superspines
    else:
        core += compute.max_spines
    per_pod = ceil_div(compute.max_nodes_per_pod, rooms.nodes_per_rack)
    per_pod += ceil_div(in_pod, rooms.switches_per_rack)
    own = groups * ceil_div(per_group, SERVERS_PER_RACK)
    return compute.max_pods * per_pod + own + ceil_div(core, rooms.switches_per_rack)


def _pools(
    node: NodeProfile, compute: ComputeShape, fabrics: dict[str, Fabric]
) -> dict[str, IPv4Network]:
    units = compute.max_pods * compute.max_units
    most = max(compute.max_leaves, compute.max_spines, compute.max_superspines)
    lengths = {
        "rails": pools.routed_bits(len(node.rails), units, compute.nodes_per_unit),
        "links": pools.link_bits(compute.max_links),
        "loopbacks": pools.loopback_bits(most),
    }
    for plane, one in fabrics.items():
        shape = one.shape
        lengths[f"{plane} links"] = pools.link_bits(shape.max_links)
        lengths[f"{plane} loopbacks"] = pools.loopback_bits(max(shape.max_leaves, shape.spines))
        if "storage" in one.planes:
            lengths["storage"] = pools.routed_bits(one.load.nics, shape.max_blocks, shape.places)
        if "business" in one.planes:
            lengths["users"] = pools.vlan_bits(shape.max_blocks, shape.places)
    readable = {name: min(length, _READABLE.get(name, 22)) for name, length in lengths.items()}
    return pools.allocate(pools.DATA, readable)


def _zones(
    compute: ComputeShape, fabrics: dict[str, Fabric], servers: int, racks: int, oob: int
) -> dict[str, IPv4Network]:
    nodes = compute.max_pods * compute.max_nodes_per_pod + servers
    switches = compute.max_leaves + compute.max_spines + compute.max_superspines + oob
    switches += sum(fabric.shape.max_leaves + fabric.shape.spines for fabric in fabrics.values())
    devices = {"netmgmt": switches, "hostmgmt": nodes, "bmc": nodes, "collectors": 64}
    if racks:
        devices["power"] = racks * PDUS
    lengths = {name: pools.zone_bits(count) for name, count in devices.items()}
    return pools.allocate(pools.OOB, lengths)
