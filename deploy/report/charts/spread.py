"""Whether figures of one kind form two groups: what a mean, and a limit, do not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import median

from .inline import amount

# So few are a group; a lone one is an outlier, and its stage says so.
_GROUP = 3
_LEAST_BINS, _MOST_BINS = 8, 32
# A valley between two heaps of counts is none by chance beyond so many standard deviations of
# counting (Poisson).
_SIGMAS = 4.0


@dataclass(frozen=True, slots=True)
class Groups:
    """Two groups of figures with nothing, or next to nothing, between them."""

    low: int
    low_middle: float
    high: int
    high_middle: float

    def said(self, unit: str) -> str:
        """In words."""
        low, high = amount(self.low_middle), amount(self.high_middle)
        return f"two groups: {self.low:,} around {low}, {self.high:,} around {high} {unit}"


def groups(values: Sequence[float]) -> Groups | None:
    """The two groups, or None where figures form one, or are too few to tell."""
    ordered = sorted(values)
    if len(ordered) < 2 * _GROUP or ordered[0] == ordered[-1]:
        return None
    at = _gap(ordered) or _valley(ordered)
    if not at or min(at, len(ordered) - at) < _GROUP:
        return None
    low, high = ordered[:at], ordered[at:]
    return Groups(len(low), median(low), len(high), median(high))


def _gap(ordered: Sequence[float]) -> int:
    """Where an empty stretch is wider than both groups together; 0 where none is."""
    width, at = max((b - a, at) for at, (a, b) in enumerate(pairwise(ordered), 1))
    return at if width > (ordered[-1] - ordered[0]) / 2 else 0


def _valley(ordered: Sequence[float]) -> int:
    """Where counts fall and rise again, by more than counting explains; 0 where they do not."""
    bins = min(_MOST_BINS, max(_LEAST_BINS, round(2 * sqrt(len(ordered)))))
    low, width = ordered[0], (ordered[-1] - ordered[0]) / bins
    counts = [0] * bins
    for one in ordered:
        counts[min(int((one - low) / width), bins - 1)] += 1
    best, at = 0.0, 0
    for floor in range(1, bins - 1):
        left, right = max(counts[:floor]), max(counts[floor + 1 :])
        heap, bottom = min(left, right), counts[floor]
        depth = (heap - bottom) / sqrt(heap + bottom or 1)
        if bottom <= heap / 2 and depth > max(best, _SIGMAS):
            best, at = depth, sum(counts[: floor + 1])
    return at
