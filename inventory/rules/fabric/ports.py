"""Rules for ports: enough of them for the maxima, split as the hardware can, named apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.oob.plane import vlan_port
from inventory.oob.switches import ZONE_VLANS
from inventory.problems import Problem, one_of
from inventory.schema import SwitchProfile
from inventory.topology.capacity import capacities
from inventory.topology.fabrics import SwitchFabric

# linux/if.h, IFNAMSIZ without its final zero.
_INTERFACE_NAME_BYTES = 15
# Bridges of zones, and where the plane has no switches a port for each device.
_OF_A_ZONE = re.compile(r"br-.+|(nm|hm|bm)\d+")


def _where(fabric: SwitchFabric, key: str) -> Path:
    return (*fabric.path, key)


def breakout_is_possible(fabric: Fabric) -> Iterator[Problem]:
    """A cage splits only as its profile says; another number of ports would have no names."""
    for one in fabric.fabrics:
        nodes, links, top = one.clos.ways
        asked = [
            ("nodes", nodes, one.leaf),
            ("fabric", links, one.leaf),
            ("fabric", links, one.spine),
        ]
        if one.clos.three_tier:
            asked += [("top", top, one.spine), ("top", top, one.superspine)]
        base: Path = ("topology",) if one.plane == "compute" else one.path
        told: set[tuple[str, tuple[int, ...]]] = set()
        for key, ways, profile in asked:
            possible = profile.ports.ways()
            if ways not in possible and (key, possible) not in told:
                told.add((key, possible))
                expected = one_of(map(str, possible))
                hint = "ports that a cage becomes, in the profile's `breakout`"
                yield fabric.problem((*base, "breakout", key), str(ways), expected, hint)


def leaf_ports_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A leaf needs a port for each possible node and uplink, or growth would move cables."""
    for one in fabric.fabrics:
        clos, count = one.clos, one.leaf.ports.count
        needed = clos.leaf_cages + one.peer_links
        if needed > count:
            sums = f"{clos.down_ports} nodes + {clos.max_spines} spines x {clos.uplinks}"
            sums += f" + {one.peer_links} between leaves" if one.peer_links else ""
            yield _too_few(fabric, one, "leaf_profile", needed, count, sums, "leaf")


def spine_ports_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A spine needs a port for each uplink of each possible leaf, and its own uplinks."""
    for one in fabric.fabrics:
        clos, count = one.clos, one.spine.ports.count
        needed = clos.spine_cages
        if needed > count:
            pods = "" if clos.three_tier else f"{clos.max_pods} pods x "
            units = f"{clos.max_units} units x " if clos.max_units > 1 else ""
            sums = f"{pods}{units}{clos.slots_per_plane} rails x {clos.uplinks}"
            if clos.three_tier:
                sums += f" + {clos.max_superspines} superspines x {clos.top_uplinks}"
            yield _too_few(fabric, one, "spine_profile", needed, count, sums, "spine")


def superspine_ports_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A superspine needs a port for each uplink of its spine in each possible pod."""
    for one in fabric.fabrics:
        clos = one.clos
        if clos.three_tier and clos.superspine_cages > one.superspine.ports.count:
            sums = f"{clos.max_pods} pods x {clos.top_uplinks}"
            needed, count = clos.superspine_cages, one.superspine.ports.count
            yield _too_few(fabric, one, "superspine_profile", needed, count, sums, "superspine")


def _too_few(
    fabric: Fabric, one: SwitchFabric, key: str, needed: int, count: int, sums: str, word: str
) -> Problem:
    name = getattr(one, key)
    split = [f"{ways}-way" for ways in one.clos.ways if ways > 1]
    ways = f" (cages split {', '.join(dict.fromkeys(split))})" if split else ""
    found, expected = f"{count} ports ({name})", f"at least {needed} ports: {sums}{ways}"
    hint = f"lower topology.maxima or take a larger {word}"
    return fabric.problem(_where(one, key), found, expected, hint)


def _used_profiles(fabric: Fabric) -> Iterator[tuple[Path, str, SwitchProfile]]:
    for one in fabric.fabrics:
        for key in ("leaf_profile", "spine_profile", "superspine_profile"):
            name = getattr(one, key)
            if name:
                yield _where(one, key), name, one.profiles[name]


def slower_nics_are_taken(fabric: Fabric) -> Iterator[Problem]:
    """A model that fixes the rate of its ports comes up with no slower NIC on them."""
    for one in fabric.fabrics:
        ports, ways = one.leaf.ports, one.clos.ways[0]
        if not ports.only_at_rate or ways not in ports.ways():
            continue
        rate = ports.rate_of(ways)
        nics = (nic for each in one.services for some in each.landings.values() for nic in some)
        slower = {each.nic.rate_gbps for each in nics if each.nic.rate_gbps < rate}
        for found in sorted(slower):
            hint = f"{one.leaf_profile} has ports of one rate only: another model, or other NICs"
            yield fabric.problem(
                _where(one, "leaf_profile"), f"a NIC of {found:g} Gb/s", f"{rate:g} Gb/s", hint
            )


def oob_server_ports_are_its_own(fabric: Fabric) -> Iterator[Problem]:
    """What the plan makes, or gives to a device, cannot be the server's way in or its trunk."""
    oob = fabric.intent.oob
    vlans = {vlan_port(oob.ports.trunk, vlan) for vlan in ZONE_VLANS.values()}
    for key in sorted(oob.ports.model_fields_set):
        name, path = getattr(oob.ports, key), ("oob", "ports", key)
        if key == "trunk" and oob.switches is None:
            hint = "without `oob.switches` each device has a port of its own on the server"
            yield fabric.problem(path, f"`{name}`", "no trunk", hint)
        elif name in vlans or _OF_A_ZONE.fullmatch(name):
            yield fabric.problem(path, f"`{name}`", "a port that the plan needs for no zone")


def switch_port_names_work(fabric: Fabric) -> Iterator[Problem]:
    """A data port that is named like the management port, or too long, cannot exist."""
    for path, name, profile in _used_profiles(fabric):
        names = profile.port_names
        if profile.management_port in names:
            found = f"{name}, whose data ports include its management port"
            yield fabric.problem(path, found, "a management port apart from the data ports")
        longest = profile.ports.port_name(profile.ports.count)
        longest = max((longest, *names), key=lambda port: (len(port), port == longest))
        if len(longest) > _INTERFACE_NAME_BYTES:
            found = f"{name}, with a port {longest}"
            yield fabric.problem(
                path, found, f"names of {_INTERFACE_NAME_BYTES} characters at most"
            )


def oversubscription_is_within_limits(fabric: Fabric) -> Iterator[Problem]:
    """More may not come in from below than the site accepts for each unit that can leave."""
    if any(breakout_is_possible(fabric)):
        return
    for capacity in capacities(fabric):
        if capacity.limit is not None and capacity.ratio > capacity.limit:
            plane = next(each for each in fabric.fabrics if each.plane == capacity.plane)
            base: Path = ("topology",) if capacity.plane == "compute" else plane.path
            rates = f"{capacity.down_gbps:g} Gb/s over {capacity.up_gbps:g}"
            found = f"{capacity.ratio:.3g} : 1 at a {capacity.tier} ({rates})"
            path = (*base, "oversubscription", capacity.tier)
            hint = "add spines or uplinks, or say what is accepted"
            yield fabric.problem(path, found, f"at most {capacity.limit:g} : 1", hint)


PORT_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    breakout_is_possible,
    leaf_ports_suffice,
    spine_ports_suffice,
    superspine_ports_suffice,
    slower_nics_are_taken,
    switch_port_names_work,
    oob_server_ports_are_its_own,
    oversubscription_is_within_limits,
)
