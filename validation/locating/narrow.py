"""Hops that carry less than they should, by counters alone: full at the same low mark. Pure.

A link that came up at a lower rate makes no flow slow while it has few streams. Where its group
was given many, a good hop has more in some round than in another; a narrow one is full at its
mark again and again. A hop that hashing starves is low too, but not at one mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import exp, log
from statistics import median

from inventory.plan import PortRef

from .ground import Ground
from .seen import Seen

MARK_SHARE = 0.35  # of its rate: a hop that ever sent more is not narrow
NOISE_SHARE = 0.025  # of its rate: what other traffic adds
LEAST_MARKS = 3
AT_MARK = 0.7  # of the rounds in which its group was given much
ABOVE_MARK = 1.5  # times the mark, and it was no mark


@dataclass(frozen=True, slots=True)
class Narrow:
    """Cables of which one is narrow, in nats against chance; all carried the same streams.

    `behind` are cables that carried no more than these let through, and are not to blame.
    """

    units: tuple[str, ...]
    nats: float
    behind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Full:
    """A hop that is full at a low mark: what it sent, and in which rounds it was given much."""

    hop: PortRef
    unit: str
    nats: float
    sent: tuple[float, ...]
    pressed: tuple[int, ...]
    noise: float


def narrow(ground: Ground, seen: Sequence[Seen]) -> tuple[Narrow, ...]:
    """Cables that are narrow: both directions count. What nothing tells apart is one set."""
    counted = [one for one in seen if one.sent_gbit and one.stream_gbit]
    if len(counted) < LEAST_MARKS:
        return ()
    rounds = [_in_time(ground, one) for one in counted]
    full = list[_Full]()
    for hops in ground.hops.values():
        means = [sum(round_.get(hop, 0.0) for hop in hops) / len(hops) for round_ in rounds]
        for hop in hops:
            sent = tuple(round_.get(hop, 0.0) for round_ in rounds)
            if found := _full(ground, counted, hop, sent, means):
                full.append(found)
    return tuple(_told_apart(ground, full))


def _in_time(ground: Ground, one: Seen) -> dict[PortRef, float]:
    """What hops sent in the time that was asked: a round that took longer brings all of them more.

    No hop sends more than its rate, so the fullest one says how long it took at least.
    """
    shares = (gbit / ground.cable(hop).rate_gbps for hop, gbit in one.sent_gbit.items())
    longer = max(1.0, max(shares) / one.seconds)
    return {hop: gbit / longer for hop, gbit in one.sent_gbit.items()}


def _told_apart(ground: Ground, full: Sequence[_Full]) -> Iterator[Narrow]:
    """Of cables one behind the other the one that was narrow without the other, else both."""
    nats, by, alike = dict[str, float](), dict[str, set[str]](), dict[str, set[str]]()
    for one in full:
        nats[one.unit] = nats.get(one.unit, 0.0) + one.nats
        alike.setdefault(one.unit, {one.unit})
    for one, other in permutations(full, 2):
        if _in_a_row(ground, one, other) and _lets_through(other, one):
            by.setdefault(one.unit, set()).add(other.unit)
    for unit, some in by.items():
        for before in some:
            if unit in by.get(before, ()):
                joined = alike[unit] | alike[before]
                alike |= dict.fromkeys(joined, joined)
    for units in sorted({tuple(sorted(some)) for some in alike.values()}):
        if any(by.get(unit, set()) - set(units) for unit in units):
            continue
        behind = (unit for unit, some in by.items() if unit not in units and some & set(units))
        yield Narrow(units, max(nats[unit] for unit in units), tuple(sorted(behind)))


def _in_a_row(ground: Ground, one: _Full, other: _Full) -> bool:
    ends = (one.hop.device, ground.far(one.hop).device)
    return ends[1] == other.hop.device or ground.far(other.hop).device == ends[0]


def _lets_through(first: _Full, one: _Full) -> bool:
    """Whether, each time it was given much, `one` sent just what `first` did."""
    return all(abs(one.sent[at] - first.sent[at]) <= one.noise for at in one.pressed)


def _full(
    ground: Ground,
    counted: Sequence[Seen],
    hop: PortRef,
    sent: tuple[float, ...],
    means: Sequence[float],
) -> _Full | None:
    """None where it was not full at one mark whenever its group was given much."""
    whole = ground.cable(hop).rate_gbps * counted[0].seconds
    most, noise = max(sent), NOISE_SHARE * whole
    if not 2 * noise < most <= MARK_SHARE * whole:
        return None
    pressed = tuple(at for at, mean in enumerate(means) if mean > ABOVE_MARK * most)
    if len(pressed) < LEAST_MARKS:
        return None
    mark = median(sent[at] for at in pressed)
    marks = sum(abs(sent[at] - mark) <= noise for at in pressed)
    if most > ABOVE_MARK * mark or marks < max(LEAST_MARKS, AT_MARK * len(pressed)):
        return None
    nats = sum(
        -log(max(1e-12, _at_most(int(most / one.stream_gbit), round(mean / one.stream_gbit, 1))))
        for one, mean in zip(counted, means, strict=True)
    )
    return _Full(hop, f"cable {ground.cable(hop)}", nats, sent, pressed, noise)


@cache
def _at_most(count: int, mean: float) -> float:
    """Poisson: the probability of no more than `count`."""
    term = total = exp(-mean)
    for n in range(1, count + 1):
        term *= mean / n
        total += term
    return min(1.0, total)
