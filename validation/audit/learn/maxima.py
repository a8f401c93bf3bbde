"""What a fabric may grow to, as far as addresses and limits of today show it.

Positions are counted within the maxima, so the gaps between loopbacks, links, management
addresses and the limit of routes are sums of them: the smallest maxima that most of these fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeVar

from inventory.topology.addressing import OOB_DEVICE_OFFSET, bits_for

_POWERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_NEAR, _ENOUGH = 80, 40
Place = TypeVar("Place", int, tuple[int, int, int])


@dataclass(frozen=True, slots=True)
class Maxima:
    """The most pods (or blocks), spines of each, and superspines of a group."""

    pods: int
    spines: int
    superspines: int


@dataclass(frozen=True)
class Evidence:
    """What a fabric shows of its maxima. Indexes count from 0, by position.

    `own` are prefixes that a leaf may announce, `users` VLANs of a table of users;
    `unit_bits` tell units apart in a pool; `management` is the number of a management address;
    `links` the number of a link's address by leaf, spine and parallel link; None is not known.
    """

    slots: int
    units: int
    nic_planes: int
    three_tier: bool
    built: Maxima
    uplinks: int
    top_uplinks: int
    limit: int | None
    own: int
    users: int
    unit_bits: int | None
    spine: Mapping[tuple[int, int, int], int]
    superspine: Mapping[tuple[int, int, int], int]
    management: tuple[Mapping[int, int], Mapping[tuple[int, int, int], int]]
    links: Mapping[tuple[int, int, int], int]

    def max_leaves(self, most: Maxima) -> int:
        """All leaves that can exist."""
        return most.pods * self.units * self.slots

    def max_spines(self, most: Maxima) -> int:
        """All spines that can exist."""
        return (most.pods if self.three_tier else 1) * self.nic_planes * most.spines

    def max_tops(self, most: Maxima) -> int:
        """All superspines that can exist."""
        return self.nic_planes * most.spines * most.superspines if self.three_tier else 0


def management_number(offset: int) -> int:
    """The number of a management address in its zone, from 0."""
    return offset - OOB_DEVICE_OFFSET - 1


def maxima(facts: Evidence) -> tuple[Maxima, tuple[str, ...], int]:
    """The maxima that fit best, the witnesses that they fit, and how many there are."""
    facts, built = _sampled(facts), facts.built
    spines = _from(built.spines, 32)
    tops = _from(built.superspines, 32) if facts.three_tier else [0]
    pods = sorted({*range(built.pods, built.pods + _NEAR), *(p for p in _POWERS if p > built.pods)})
    ranked = []
    for spine, top, pod in product(spines, tops, pods):
        most = Maxima(pod, spine, top)
        marks = dict(_marks(facts, most))
        ranked.append((-sum(marks.values()), spine + top, pod, most, marks))
    _, _, _, best, marks = min(ranked, key=lambda one: one[:3])
    return best, tuple(word for word, mark in marks.items() if mark > 0), len(marks)


def _sampled(facts: Evidence) -> Evidence:
    """The same, with as many witnesses as tell the maxima apart, evenly taken."""
    leaves, spines = facts.management
    return replace(
        facts,
        spine=_some(facts.spine),
        superspine=_some(facts.superspine),
        management=(_some(leaves), _some(spines)),
        links=_some(facts.links),
    )


def _some(every: Mapping[Place, int]) -> dict[Place, int]:
    step = -(-len(every) // _ENOUGH)
    return {place: every[place] for place in sorted(every)[:: step or 1]}


def _from(built: int, most: int) -> list[int]:
    near = range(built, built + 8)
    return sorted({*near, *(one for one in _POWERS if built < one <= most)})


def _marks(facts: Evidence, most: Maxima) -> Iterator[tuple[str, float]]:
    """How well each witness fits: 0 not at all, 1 wholly."""
    if facts.limit is not None:
        yield "limits of routes", float(facts.limit == _limit(facts, most))
    if facts.unit_bits is not None:
        yield "prefixes of leaves", float(bits_for(most.pods * facts.units) == facts.unit_bits)
    if facts.spine:
        said = ((_spine_index(facts, most, at), index) for at, index in facts.spine.items())
        yield "loopbacks of spines", _share(a == b for a, b in said)
    if facts.superspine:
        said = (
            ((plane * most.spines + group - 1) * most.superspines + number - 1, index)
            for (plane, group, number), index in facts.superspine.items()
        )
        yield "loopbacks of superspines", _share(a == b for a, b in said)
    leaves, spines = facts.management
    if leaves and spines:
        bases = {number - index for index, number in leaves.items()}
        base = min(bases) + facts.max_leaves(most)
        said = ((base + _spine_index(facts, most, at), number) for at, number in spines.items())
        yield "management addresses", _share(a == b for a, b in said)
    if facts.links:
        bases = {
            number - (leaf * most.spines * facts.uplinks + (spine - 1) * facts.uplinks + link)
            for (leaf, spine, link), number in facts.links.items()
        }
        yield "addresses of links", 1.0 / len(bases)


def _share(fits: Iterable[bool]) -> float:
    every = list(fits)
    return sum(every) / len(every)


def _spine_index(facts: Evidence, most: Maxima, at: tuple[int, int, int]) -> int:
    pod, plane, number = at
    return ((max(pod, 1) - 1) * facts.nic_planes + plane) * most.spines + number - 1


def _limit(facts: Evidence, most: Maxima) -> int:
    """As `inventory.topology.routing.maximum_prefix`, of these maxima."""
    leaves = facts.max_leaves(most)
    default = (facts.own + 1) * leaves + facts.max_spines(most) + facts.max_tops(most)
    users = facts.users * leaves + 1 if facts.users else 0
    return -(-max(default, users) * 5 // 4)
