"""The arithmetic of an estimate: ranges, and waves as the rollout schedules them. Pure."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal, get_args

Basis = Literal["recorded", "twin", "plan", "published", "reported", "assumed", "nobody knows"]
"""From the best: runs on record, the twin, the plan's own timers, then what others say."""

_BASES: tuple[Basis, ...] = get_args(Basis)

# So many devices are asked at once (`gather`), and by so many forks of Ansible.
ASKED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Range:
    """Seconds, from the least to the most."""

    least_s: float
    most_s: float

    def __add__(self, other: Range) -> Range:
        """One after the other."""
        return Range(self.least_s + other.least_s, self.most_s + other.most_s)


NOTHING = Range(0.0, 0.0)


def total(ranges: Iterable[Range]) -> Range:
    """All, one after the other."""
    return sum(ranges, NOTHING)


def longest(ranges: Iterable[Range]) -> Range:
    """All at once: as long as the one that takes longest."""
    some = [*ranges] or [NOTHING]
    return Range(max(one.least_s for one in some), max(one.most_s for one in some))


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is done to one device, or once; `takes` is None where nobody knows.

    `basis` says how it is known, and `source` who says it.
    """

    name: str
    takes: Range | None
    basis: Basis
    source: str = ""

    @property
    def key(self) -> tuple[str, bool]:
        """Figures with the same one are told as one: never what is known with what is not."""
        return self.name, self.takes is None


@dataclass(frozen=True, slots=True)
class Wave:
    """One wave: who is changed, at most how many at once, the work and the gate after it.

    `again` is what a gate costs that holds until nodes have booted anew: looking until it says
    so, and another run.
    """

    name: str
    step: str
    devices: int
    at_once: int
    work: Range
    gate: Range
    again: Range = NOTHING

    @property
    def takes(self) -> Range:
        """From its beginning to that of the next, without restarts."""
        return self.work + self.gate + self.again


@dataclass(frozen=True, slots=True)
class Later:
    """What people do, and no sum has: so many devices, how long each.

    After the rollout, or between its waves where so many `gates` wait for it.
    """

    what: str
    devices: int
    part: Part
    gates: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A rollout: what is around its waves, the waves, what comes after, on what it stands.

    `parts` are all figures that count in it, each once.
    """

    title: str
    around: Range
    waves: tuple[Wave, ...]
    loads: Range
    parts: tuple[Part, ...]
    later: tuple[Later, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def takes(self) -> Range:
        """The whole, without what nobody knows."""
        return total((self.around, *(one.takes for one in self.waves), self.loads))

    @property
    def unknown(self) -> tuple[str, ...]:
        """Acts that happen and whose time nobody knows: they are in no sum."""
        every = (*self.parts, *(one.part for one in self.later))
        return tuple(sorted({one.name for one in every if one.takes is None}))


def wider(before: Part | None, now: Part) -> Part:
    """One figure that was scaled otherwise elsewhere: both ranges in one, by the weaker basis.

    What is known once stays known: what nobody knows is another figure (`Part.key`).
    """
    if before is None or before.takes is None:
        return now
    if now.takes is None:
        return before
    least = min(before.takes.least_s, now.takes.least_s)
    weaker = max(before, now, key=lambda one: _BASES.index(one.basis))
    return replace(weaker, takes=Range(least, max(before.takes.most_s, now.takes.most_s)))


def side_by_side(jobs: Sequence[float], at_once: int) -> float:
    """When the last of some jobs ends, begun in order, so many at once."""
    free = [0.0] * max(1, min(at_once, len(jobs)))
    ends = [0.0]
    for seconds in jobs:
        end = heapq.heappop(free) + seconds
        heapq.heappush(free, end)
        ends.append(end)
    return max(ends)


def in_groups(groups: Sequence[Sequence[Range]], at_once: int) -> Range:
    """Groups one after the other; of each, so many at once."""

    def takes(of: Callable[[Range], float]) -> float:
        return sum(side_by_side([of(one) for one in group], at_once) for group in groups)

    return Range(takes(lambda one: one.least_s), takes(lambda one: one.most_s))


def rounds(devices: int) -> int:
    """How often `ASKED_AT_ONCE` devices are asked until all are; at least once."""
    return max(1, ceil(devices / ASKED_AT_ONCE))


def scaled(samples: Iterable[tuple[int, float]], count: int) -> Range | None:
    """What (so many, seconds) measured say of `count`; None without any.

    The least: as long as the quickest, however many; the most: as the slowest did, each time anew.
    """
    some = [*samples]
    if not some:
        return None
    most = max(seconds * max(1, ceil(count / max(1, number))) for number, seconds in some)
    return Range(min(seconds for _, seconds in some), most)
