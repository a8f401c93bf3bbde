"""From all rounds to suspects: rail links first, then hops between leaves, then common causes.

Pure, and the same for the same rounds: what is planned next follows from it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log

from inventory.plan import PortRef, SwitchPort

from ..pairing.load_result import Measured
from ..pairing.loads import LoadProbe
from ..pairing.pairs import Way, ways, ways_back
from .batches import by_batch, ports_of
from .causes import common, link_suspects
from .ground import Ground, Key
from .narrow import narrow
from .seen import Seen
from .sure import Sure
from .suspect import Kind, Suspect
from .switches import by_switch
from .tomography import TOLD_APART, Counts, Fit, counts, fits, without
from .ways import Tally, bad_ways

FALSE_ALARM = 0.001  # of a site, that some hop is named although none is bad
MOST_FABRIC = 12
SURE_CLEAR = log(100)  # so sure a group is clear when its doubt is laid aside


@dataclass(frozen=True)
class Located:
    """What is known so far.

    `doubted` are groups of hops that had a slow flow, and are neither cleared nor named to one
    unit. `by_link` and `by_key` lead from a flow to its suspect.
    """

    suspects: tuple[Suspect, ...]
    doubted: tuple[Key, ...]
    bad: Mapping[Way, Tally]
    by_unit: Mapping[str, Suspect]
    by_key: Mapping[Key, Suspect]
    ground: Ground

    def suspect_of(self, flow: LoadProbe) -> Suspect | None:
        """The suspect that explains why this flow was slow; None where there is none.

        Acknowledgements take the ways back, which are to blame where the ways there are good.
        """
        for some in (ways(flow), ways_back(flow)):
            for way in some:
                if way in self.bad:
                    return self.by_unit[f"cable {self._cable(flow, way)}"]
        if flow.leaves[0] != flow.leaves[1]:
            for key in self.ground.keys(*flow.leaves):
                if key in self.by_key:
                    return self.by_key[key]
        return None

    def is_sure_of(self, flow: LoadProbe) -> bool:
        """Whether it has a suspect, and more than one slow flow speaks against that."""
        own = [self.bad[way] for way in (*ways(flow), *ways_back(flow)) if way in self.bad]
        return self.suspect_of(flow) is not None and not (own and sum(t.slow for t in own) < 2)

    def clears(self, flow: LoadProbe) -> bool:
        """Whether all between the flow's leaves has since been good, so that it was chance."""
        crosses = flow.leaves[0] != flow.leaves[1]
        keys = self.ground.keys(*flow.leaves) if crosses else ()
        return not set(keys) & set(self.doubted) and self.suspect_of(flow) is None

    def _cable(self, flow: LoadProbe, way: Way) -> str:
        port = flow.sender_port if way[1] == flow.sender else flow.receiver_port
        return str(self.ground.plan.cable_at[PortRef(way[1], port)])


def locate(ground: Ground, seen: Sequence[Seen]) -> Located:
    """The suspects that all these rounds leave."""
    bad = bad_ways(seen)
    links = link_suspects(ground, bad)
    rounds = [one for one in seen if one.crossing]
    blamed = _explained((flow for round_ in rounds for flow in round_.slow), bad)
    thin = _narrow(ground, seen)
    thin_keys = {
        key: suspect
        for suspect in thin
        for unit in (*suspect.covers, *suspect.units)
        for key in _keys(ground, unit)
    }
    blamed |= _slow_over(ground, rounds, set(thin_keys))
    named, doubted, by_key = _between(ground, rounds, blamed)
    named = by_switch(ground, named, thin)
    by_key = {**thin_keys, **by_key}
    at = [(_nic_port(ground, suspect), suspect) for suspect in links]
    at += [(_cable_port(suspect), suspect) for suspect in named if _is_one_cable(suspect)]
    suspects = _in_common(ground, at)
    suspects += [suspect for suspect in named if not _is_one_cable(suspect)]
    by_unit = {unit: suspect for suspect in suspects for unit in (*suspect.units, *suspect.covers)}
    for one in suspects:  # a rack covers nodes, and these cover links
        by_unit |= {f"cable {ground.cable(port)}": one for port in _ports(ground, one, at)}
    by_key = {key: by_unit.get(one.units[0], one) for key, one in by_key.items()}
    return Located(tuple(sorted(suspects)), tuple(doubted), bad, by_unit, by_key, ground)


def _in_common(ground: Ground, at: Sequence[tuple[PortRef, Suspect]]) -> list[Suspect]:
    """Links with one cause taken together: what a batch explains best, devices, other batches."""
    first = by_batch(ground, at, [one for _, one in at], before_devices=True)
    batches = [suspect for suspect in first if suspect.kind is Kind.BATCH]
    rest = [(port, one) for port, one in at if one in first]
    return by_batch(ground, at, [*batches, *common(ground, rest)])


def _narrow(ground: Ground, seen: Sequence[Seen]) -> list[Suspect]:
    """Cables that counters alone show to carry less than planned."""
    least = log(max(2, sum(map(len, ground.hops.values())))) - log(FALSE_ALARM)
    found = "full at the same low mark, round after round, where its neighbours carried more"
    hint = "see speed, lanes and errors of both ends: it runs below its planned rate"
    return [
        Suspect(Kind.FABRIC_LINK, one.units, Sure(one.nats - least), found, hint, one.behind)
        for one in narrow(ground, seen)
        if one.nats > least
    ]


def _keys(ground: Ground, unit: str) -> list[Key]:
    """The groups that a cable's two directions belong to."""
    found = []
    for hop in ports_of(unit):
        up = any(p.direction == "up" and p.name == hop.port for p in _ports_of(ground, hop))
        found.append((up, ground.below[hop.device if up else ground.far(hop).device]))
    return found


def _ports_of(ground: Ground, hop: PortRef) -> tuple[SwitchPort, ...]:
    return ground.plan.switch[hop.device].ports


def _explained(slow: Iterable[Measured], bad: Mapping[Way, Tally]) -> frozenset[int]:
    return frozenset(
        id(one)
        for one in slow
        if any(way in bad for way in (*ways(one.flow), *ways_back(one.flow)))
    )


def _between(
    ground: Ground, rounds: list[Seen], blamed: frozenset[int]
) -> tuple[list[Suspect], list[Key], dict[Key, Suspect]]:
    """Suspects between leaves, the best explanation first, each time of what is left."""
    known = counts(ground, rounds, blamed)
    least = log(max(2, sum(map(len, ground.hops.values())))) - log(FALSE_ALARM) / 2
    named: list[Suspect] = []
    by_key: dict[Key, Suspect] = {}
    unsettled = set[Key]()
    for _ in range(MOST_FABRIC):
        found = fits(known, least)
        if not found or found[0].nats < least:
            break
        alike = [one for one in found if one.nats > found[0].nats - TOLD_APART]
        suspect = _suspect(found[0], alike)
        touched = {key for key, nats in found[0].by_key.items() if nats > 0}
        if len(alike) > 1:
            unsettled |= touched
        if not any(set(suspect.units) & set(other.units) for other in named):
            named.append(suspect)
        by_key = {**dict.fromkeys(touched, suspect), **by_key}
        blamed |= _slow_over(ground, rounds, touched)
        known = without(known, found[0], counts(ground, rounds, blamed))
    open_keys = [key for key in known.doubted if not _is_cleared(known, key)]
    return named, sorted(unsettled.union(open_keys), key=str), by_key


def _slow_over(ground: Ground, rounds: Iterable[Seen], keys: set[Key]) -> frozenset[int]:
    return frozenset(
        id(got)
        for round_ in rounds
        for got in round_.slow
        if keys.intersection(ground.keys(*got.flow.leaves))
    )


def _is_cleared(known: Counts, key: Key) -> bool:
    """Whether, since a flow was last slow, so many streams were good that no hop can be bad."""
    some = sorted(known.by_key[key], key=lambda one: one.round)
    last = max(count.round for count in some if count.slow >= 0.5)
    streams = sum(count.streams for count in some if count.round > last)
    return streams >= ceil(SURE_CLEAR * len(known.ground.hops[key]))


def _suspect(best: Fit, alike: Sequence[Fit]) -> Suspect:
    units = tuple(sorted(one.part.unit for one in alike))
    kind = Kind.SPINE if all(one.part.is_switch for one in alike) else Kind.FABRIC_LINK
    second = best.nats if len(alike) < 2 else best.nats - alike[1].nats
    found = "flows across leaves are slow as often as they can have taken it"
    hint = "see errors, speed and optics of both ends; take it out of ECMP and run again"
    if len(units) > 1:
        hint = "read the switches' port counters around each round: they tell these apart"
    return Suspect(kind, units, Sure(second), found, hint)


def _is_one_cable(one: Suspect) -> bool:
    return one.kind is Kind.FABRIC_LINK and len(one.units) == 1


def _nic_port(ground: Ground, one: Suspect) -> PortRef:
    a, b = ports_of(one.units[0])
    return a if a.device in ground.plan.node else b


def _cable_port(one: Suspect) -> PortRef:
    return ports_of(one.units[0])[0]


def _ports(ground: Ground, one: Suspect, links: Sequence[tuple[PortRef, Suspect]]) -> list[PortRef]:
    nodes = {name.removeprefix("device ") for name in (*one.units, *one.covers)}
    covers = {*one.units, *one.covers}
    return [
        port
        for port, link in links
        if link.units[0] in covers or {port.device, ground.far(port).device} & nodes
    ]
