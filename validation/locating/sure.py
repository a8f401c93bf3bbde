"""How sure: a log-likelihood ratio, as a number and as words. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

_WORDS = ((0.99, "nearly certain"), (0.9, "likely"), (0.6, "rather than another"))


@dataclass(frozen=True, slots=True, order=True)
class Sure:
    """How much better one explanation fits than the best other one, in nats.

    Two explanations that fit equally well have 0: each is as likely as the other.
    """

    nats: float

    @property
    def probability(self) -> float:
        """Of the two explanations, how likely this one is; both were as likely before."""
        return 1 / (1 + exp(-max(-50.0, min(50.0, self.nats))))

    def __str__(self) -> str:
        word = next((word for least, word in _WORDS if self.probability >= least), "a guess")
        return f"{word} ({min(self.probability, 0.9999):.2%})"


NOT_SURE = Sure(0)


def nats(if_so: float, if_not: float, times: int = 1) -> float:
    """What `times` sightings say, that have probability `if_so` or else `if_not`."""
    return times * (log(if_so) - log(if_not))
