"""Rules for overrides: one device may differ from the formula, but never break another.

They are counted against the maxima, so that growth never runs into an override.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network

from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.oob.switches import HOST
from inventory.problems import Problem, few_hints
from inventory.topology import addressing, routing
from inventory.topology.fabrics import SwitchFabric
from inventory.topology.racks import layout

from .dialects import raw_lines_have_a_switch

_ABSENT = "topology.absent says that it is not built"
_LOOPBACK_HINT = "the last quarter of the pool is free"


def overridden_devices_exist(fabric: Fabric) -> Iterator[Problem]:
    """An override of a name that nobody has would change nothing, silently."""
    if not fabric.intent.overrides:
        return
    switches = set(fabric.profile_of_switch)
    known = {*switches, *fabric.population.nodes}
    hint = few_hints()
    for name, override in fabric.intent.overrides.items():
        if name not in known:
            expected = "a switch or node of this site"
            why = _ABSENT if name in fabric.population.absent else hint(name, known)
            yield fabric.marked.key_problem(("overrides", name), f"`{name}`", expected, why)
        elif name not in switches:
            for key in ("asn", "loopback"):
                if getattr(override, key) is not None:
                    found = f"{key} of a node"
                    path = ("overrides", name, key)
                    yield fabric.problem(path, found, "management_address: nodes do not route")


def asn_overrides_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """A BGP speaker drops a route that carries its own ASN: one number cuts two leaves off."""
    asked = {name: one.asn for name, one in fabric.intent.overrides.items() if one.asn is not None}
    if not asked:
        return
    taken: dict[int, str] = {}
    shared: dict[int, set[str]] = {}
    for one in fabric.fabrics:
        leaves = one.at_maxima.clos.leaves
        for name, asn in routing.asns(one.at_maxima).items():
            if name in leaves:
                taken[asn] = name
            else:
                shared.setdefault(asn, set()).add(name)
    sets = {name: f"the like of {min(names)}" for names in shared.values() for name in names}
    for name, asn in asked.items():
        path = ("overrides", name, "asn")
        mine = sets.get(name, name)
        owner = taken.setdefault(asn, mine)
        by_tier = asn in shared and name not in shared[asn]
        if owner != mine or by_tier:
            hint = "the spines share it" if by_tier else f"it belongs to {owner}"
            yield fabric.problem(path, str(asn), "an ASN that no other has", hint)


def tiers_keep_one_asn(fabric: Fabric) -> Iterator[Problem]:
    """Spines share a number so that none takes back a route that went down (RFC 7938, 5.2.1).

    With two of them a leaf is a way from spine to spine, unless every policy is right.
    """
    asked = {name: one.asn for name, one in fabric.intent.overrides.items() if one.asn is not None}
    for one in fabric.fabrics if asked else ():
        formulas, leaves = routing.asns(one), one.clos.leaves
        for name in sorted(asked.keys() & (formulas.keys() - leaves.keys())):
            alike = sorted(each for each, asn in formulas.items() if asn == formulas[name])
            other = next((each for each in alike if asked.get(each) != asked[name]), None)
            if other is not None:
                expected = f"one ASN for {', '.join(alike[:4])}{' ...' if alike[4:] else ''}"
                hint = f"{other} has another: without one number a leaf is a way between them"
                path = ("overrides", name, "asn")
                yield fabric.problem(path, str(asked[name]), expected, hint)


def loopback_overrides_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """A loopback twice is a router ID twice, and one of the two becomes unreachable."""
    asked = {name: one for name, one in fabric.intent.overrides.items() if one.loopback is not None}
    for one in fabric.fabrics if asked else ():
        mine = {name: each for name, each in asked.items() if name in one.clos.names}
        taken = _loopbacks(one) if mine else {}
        for name, override in mine.items():
            path = ("overrides", name, "loopback")
            address = override.loopback
            if address is not None:
                yield from _address(fabric, path, address, one.loopbacks, taken, _LOOPBACK_HINT)


def _loopbacks(fabric: SwitchFabric) -> dict[IPv4Address, str]:
    return {address: name for name, address in routing.loopbacks(fabric.at_maxima).items()}


def management_overrides_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """Two devices of one management address: a change meant for one reaches the other."""
    said = fabric.intent.overrides.items()
    asked = {name: one.management_address for name, one in said if one.management_address}
    if not asked:
        return
    zones, taken = fabric.intent.oob.zones, _management_addresses(fabric)
    known = {*fabric.profile_of_switch, *fabric.population.nodes}
    for name, address in asked.items():
        if name not in known:
            continue
        zone = zones.hostmgmt if name in fabric.population.nodes else zones.netmgmt
        path = ("overrides", name, "management_address")
        yield from _address(fabric, path, address, zone, taken, "")


def _management_addresses(fabric: Fabric) -> dict[IPv4Address, str]:
    zones, server = fabric.intent.oob.zones, fabric.intent.oob.server
    grown = fabric.at_maxima
    nodes = grown.population
    out = {addressing.oob_server_address(one).ip: server for one in (zones.netmgmt, zones.hostmgmt)}
    for name, index in oob.netmgmt_indexes(grown, layout(grown)).items():
        out[addressing.oob_address_at(zones.netmgmt, index)] = name
    for name, at in nodes.nodes.items():
        out[addressing.oob_address_at(oob.zones(fabric)[HOST], nodes.node_index(at) + 1)] = name
    kept = (
        (zones.netmgmt, oob.netmgmt_most(grown, layout(grown))),
        (zones.hostmgmt, nodes.max_nodes),
    )
    for zone, most in kept:
        for index in range(1, most + 1):
            out.setdefault(addressing.oob_address_at(zone, index), "a group or rack to come")
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
    tiers_keep_one_asn,
    loopback_overrides_are_apart,
    management_overrides_are_apart,
    raw_lines_have_a_switch,
)
