"""Rules for rates of ports: each has a word in its switch system, and shares a cage with its like.

A rate without a word is a line that no switch takes; it would be found when the site is rendered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from inventory.model import Fabric
from inventory.problems import Problem
from inventory.switches.abilities import of
from inventory.topology.fabrics import SwitchFabric

from .ports import breakout_is_possible


def rates_have_words(fabric: Fabric) -> Iterator[Problem]:
    """A switch OS that has no word for a rate cannot be told to run a port at it."""
    if any(breakout_is_possible(fabric)):
        return
    for one in fabric.fabrics:
        for key, rates in _asked(one).items():
            name = getattr(one, key)
            profile = one.profiles[name]
            known = of(profile.dialect).rates
            odd = sorted(rate for rate in rates if known and rate not in known.rates_gbps)
            if known and odd:
                found = f"`{name}`, with ports of {_listed(odd)} Gb/s"
                expected = f"ports of {_listed(known.rates_gbps)} Gb/s on {profile.dialect}"
                yield fabric.problem((*one.path, key), found, expected, known.source)


def cages_run_at_one_rate(fabric: Fabric) -> Iterator[Problem]:
    """Where a cage is split by one map, NICs of two rates on it leave one of them without link."""
    if any(breakout_is_possible(fabric)):
        return
    for one in fabric.fabrics:
        source = of(one.leaf.dialect).one_rate_per_cage
        found = next(_mixed(one), None) if source and one.clos.ways[0] > 1 else None
        if found is None:
            continue
        node, rates = found
        words = f"{node} and its neighbours with {_listed(rates)} Gb/s on one cage"
        expected = f"NICs of one rate on a split cage of {one.leaf.dialect} ({one.leaf_profile})"
        hint = f"`breakout: {{nodes: 1}}`, or switches of its own for each plane; {source}"
        yield fabric.problem((*one.path, "leaf_profile"), words, expected, hint)


def _asked(one: SwitchFabric) -> dict[str, set[float]]:
    """Rates of ports by the key of the profile that has them."""
    clos, ports = one.clos, one.leaf.ports
    to_nodes, between = ports.rate_of(clos.ways[0]), ports.rate_of(clos.ways[1])
    nics = {nic.nic.rate_gbps for own in one.services for at in own.landings.values() for nic in at}
    between = min(between, one.spine.ports.rate_of(clos.ways[1]))
    asked = {"leaf_profile": {*(min(nic, to_nodes) for nic in nics), between}}
    asked["spine_profile"] = {between}
    if clos.three_tier:
        above = one.spine.ports.rate_of(clos.ways[2])
        asked["superspine_profile"] = {min(above, one.superspine.ports.rate_of(clos.ways[2]))}
        asked["spine_profile"] |= asked["superspine_profile"]
    return asked


def _mixed(one: SwitchFabric) -> Iterator[tuple[str, list[float]]]:
    """Split cages of leaves whose NICs are to run at several rates: the last node, the rates."""
    rate = one.leaf.ports.rate_of(one.clos.ways[0])
    seen: dict[tuple[int, int, int, int], set[float]] = defaultdict(set)
    for name, at in one.population.nodes.items():
        seat, profile = one.seat(at), one.population.profile_of(at)
        if seat is None:
            continue
        pod, unit, place = seat
        for service in one.services:
            for landing in service.landings.get(profile, ()):
                cage = one.clos.node_cage((place - 1) * one.per_slot + landing.offset + 1)
                rates = seen[pod, unit, landing.slot, cage.number]
                rates.add(min(landing.nic.rate_gbps, rate))
                if len(rates) > 1:
                    yield name, sorted(rates)


def _listed(rates: list[float] | tuple[float, ...]) -> str:
    return ", ".join(f"{one:g}" for one in rates)


RATE_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    rates_have_words,
    cages_run_at_one_rate,
)
