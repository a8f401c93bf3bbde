"""A flow that was slow runs again: was it chance, is it a fault, or is it not known yet? Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..pairing.load_result import Measured
from ..pairing.loads import LoadProbe
from .seen import Seen

REPEATS = 2  # good ones for each slow one: chance is not slow again and again


@dataclass(frozen=True, slots=True)
class Again:
    """How often the same two NICs were good and not good this way in the extra rounds.

    `allowed` of the latter may still be chance, where enough good ones stand against them.
    """

    good: int
    bad: int
    allowed: int

    @property
    def was_chance(self) -> bool:
        """Whether the flow was slow by chance."""
        return self.bad <= self.allowed and self.good >= REPEATS * (1 + self.bad)

    @property
    def is_open(self) -> bool:
        """Whether the pair has to run once more."""
        return self.bad <= self.allowed and not self.was_chance


def again(flow: LoadProbe, extra: Iterable[Seen], is_good: Callable[[Measured], bool]) -> Again:
    """What the extra rounds showed of this flow."""
    same = (flow.rail, flow.sender, flow.receiver)
    found = [
        is_good(one)
        for each in extra
        for one in each.flows
        if (one.flow.rail, one.flow.sender, one.flow.receiver) == same
    ]
    return Again(found.count(True), found.count(False), flow.terms.slow_again)
