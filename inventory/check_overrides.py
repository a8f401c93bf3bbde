"""Rules for overrides: one device may differ from the formula, but never break another.

They are counted against the maxima, so that growth never runs into an override.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network

from . import addressing
from .marked import Path
from .model import Fabric
from .problems import Problem, close_to
from .shape import Shape

_LOOPBACK_HINT = "the last quarter of the pool is free"


def overridden_devices_exist(fabric: Fabric) -> Iterator[Problem]:
    """An override of a name that nobody has would change nothing, silently."""
    shape = fabric.shape
    switches = {*shape.leaves, *shape.spine_numbers}
    known = {*switches, *shape.nodes}
    for name, override in fabric.intent.overrides.items():
        if name not in known:
            expected = "a switch or node of this site"
            yield fabric.marked.key_problem(
                ("overrides", name), f"`{name}`", expected, close_to(name, known)
            )
        elif name not in switches:
            for key in ("asn", "loopback"):
                if getattr(override, key) is not None:
                    found = f"{key} of a node"
                    path = ("overrides", name, key)
                    yield fabric.problem(path, found, "management_address: nodes do not route")


def asn_overrides_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """A BGP speaker drops a route that carries its own ASN: one number cuts two leaves off."""
    grown = fabric.shape.at_maxima
    taken = {addressing.leaf_asn(fabric, at): name for name, at in grown.leaves.items()}
    spines = fabric.intent.compute.asn.spines
    for name, override in fabric.intent.overrides.items():
        if override.asn is None:
            continue
        path = ("overrides", name, "asn")
        owner = taken.setdefault(override.asn, name)
        shared = override.asn == spines and name not in fabric.shape.spine_numbers
        if owner != name or shared:
            hint = "the spines share it" if shared else f"it belongs to {owner}"
            yield fabric.problem(path, str(override.asn), "an ASN that no other has", hint)


def loopback_overrides_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """A loopback twice is a router ID twice, and one of the two becomes unreachable."""
    pool, grown = fabric.intent.compute.pools.loopbacks, fabric.shape.at_maxima
    taken = {
        addressing.loopback_at(fabric, "leaf", grown.leaf_index(at)): name
        for name, at in grown.leaves.items()
    }
    taken |= {
        addressing.loopback_at(fabric, "spine", number - 1): name
        for name, number in grown.spine_numbers.items()
    }
    for name, override in fabric.intent.overrides.items():
        if override.loopback is not None:
            path = ("overrides", name, "loopback")
            yield from _address(fabric, path, override.loopback, pool, taken, _LOOPBACK_HINT)


def management_overrides_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """Two devices of one management address: a change meant for one reaches the other."""
    zones, grown = fabric.intent.oob.zones, fabric.shape.at_maxima
    taken = _management_addresses(fabric, grown)
    for name, override in fabric.intent.overrides.items():
        if override.management_address is not None:
            zone = zones.hostmgmt if name in fabric.shape.nodes else zones.netmgmt
            path = ("overrides", name, "management_address")
            yield from _address(fabric, path, override.management_address, zone, taken, "")


def _management_addresses(fabric: Fabric, grown: Shape) -> dict[IPv4Address, str]:
    zones, server = fabric.intent.oob.zones, fabric.intent.oob.server
    switches = [(name, grown.leaf_index(at) + 1) for name, at in grown.leaves.items()]
    switches += [(name, grown.max_leaves + number) for name, number in grown.spine_numbers.items()]
    nodes = [(name, grown.node_index(at) + 1) for name, at in grown.nodes.items()]
    out = {addressing.oob_server_address(one).ip: server for one in (zones.netmgmt, zones.hostmgmt)}
    for zone, devices in ((zones.netmgmt, switches), (zones.hostmgmt, nodes)):
        out |= {addressing.oob_address_at(zone, index): name for name, index in devices}
    return out


def _address(
    fabric: Fabric,
    path: Path,
    address: IPv4Address,
    pool: IPv4Network,
    taken: dict[IPv4Address, str],
    hint: str,
) -> Iterator[Problem]:
    if address not in pool or address in (pool.network_address, pool.broadcast_address):
        yield fabric.problem(path, str(address), f"an address inside {pool}", hint)
    owner = taken.setdefault(address, str(path[1]))
    if owner != path[1]:
        belongs = f"it belongs to {owner}, now or after growth"
        yield fabric.problem(path, str(address), "an address that no other has", belongs)


OVERRIDE_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    overridden_devices_exist,
    asn_overrides_are_apart,
    loopback_overrides_are_apart,
    management_overrides_are_apart,
)
