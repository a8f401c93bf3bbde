"""Rail NICs that are slow whoever they meet: counts of each way, out of a NIC and into it. Pure.

A slow flow counts against a way only where its other way is known to be good (group testing,
COMP decoder), and a few slow ones among many good ones are chance: a shared uplink, a busy core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..pairing.load_result import Measured
from ..pairing.pairs import PARTNERS, Way, ways
from .seen import Seen
from .sure import Sure, nats

SLOW_IF_BAD = 0.95
SLOW_BY_CHANCE = 0.02
BAD_SHARE = 0.6  # of the flows that count: a way that is slow in more of them is bad
CLEARING_SHARE = 0.1  # of all flows: a way that is good in so few is not cleared by them
UNSTEADY_LEAST = 5
UNSTEADY_NATS = 16.0  # 20,480 ways of 10,240 NICs, and one false alarm in 400 sites


@dataclass(frozen=True, slots=True)
class Tally:
    """What a way showed: slow and good flows that count, and the good partners of slow ones."""

    slow: int
    good: int
    partners: tuple[str, ...]

    @property
    def sure(self) -> Sure:
        """Against the explanation that these flows were slow by chance."""
        return Sure(self._nats(SLOW_IF_BAD))

    @property
    def nats_unsteady(self) -> float:
        """The same for a way that is slow now and then, as often as it was."""
        return self._nats(min(SLOW_IF_BAD, self.slow / max(1, self.slow + self.good)))

    def _nats(self, share: float) -> float:
        if not self.slow:
            return 0.0
        missed = nats(1 - share, 1 - SLOW_BY_CHANCE, self.good)
        return nats(share, SLOW_BY_CHANCE, self.slow) + missed


def bad_ways(seen: Sequence[Seen]) -> dict[Way, Tally]:
    """The ways to blame, with what speaks against them."""
    slow = [one for each in seen for one in each.slow]
    lost = Counter(way for one in slow for way in ways(one.flow))
    good = {way: sum(each.good_ways[way] for each in seen) for way in lost}
    clear = {way for way in lost if good[way] > CLEARING_SHARE * lost[way]}
    against: dict[Way, list[Measured]] = {}
    for one in slow:
        out, into = ways(one.flow)
        if into in clear:
            against.setdefault(out, []).append(one)
        if out in clear:
            against.setdefault(into, []).append(one)
    tallies = {way: _tally(way, some, good[way]) for way, some in against.items()}
    return {way: tally for way, tally in sorted(tallies.items()) if tally}


def _tally(way: Way, slow: list[Measured], good: int) -> Tally | None:
    """None where the way is not to blame.

    Inside a leaf there is nothing between two NICs. Across leaves there is, so what was slow
    only there needs good partners in the plural.
    """
    inside = [one for one in slow if one.flow.leaves[0] == one.flow.leaves[1]]
    counted = inside or slow
    partners = sorted({next(w for w in ways(one.flow) if w != way)[1] for one in counted})
    tally = Tally(len(counted), good, tuple(partners))
    steady = tally.slow >= BAD_SHARE * (tally.slow + good)
    if steady and len(partners) >= (1 if inside else PARTNERS):
        return tally
    often = len(inside) >= UNSTEADY_LEAST and tally.nats_unsteady > UNSTEADY_NATS
    return tally if often else None
