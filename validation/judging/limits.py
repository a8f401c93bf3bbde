"""Judging one number: against its plan, its fleet, and this cluster's own history. Pure.

A fleet is what was measured of the same thing at the same time: same size, same algorithm,
same number of ranks. Numbers of different kinds never meet in one average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import median

_TO_SIGMA = 1.4826  # a normal distribution's MAD is 0.6745 of its standard deviation


@dataclass(frozen=True, slots=True, order=True)
class Limit:
    """How far a number may be off; None is not asked. Shares and gaps are fractions.

    `least` and `most` are shares of the planned figure. `gap` is the distance from the fleet's
    median that is never an outlier, however close the others lie together; beyond it, `mads`
    robust standard deviations are. `trend` is the most that may be lost against the median of
    this cluster's earlier runs. `higher_is_better` is False for times.
    """

    source: str
    least: float | None = None
    most: float | None = None
    gap: float | None = None
    mads: float = 3.5
    trend: float | None = None
    higher_is_better: bool = True


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a limit says of a number: why it is bad, or why it proves nothing; empty: it is good.

    `lost` is that one of the reasons that tells of earlier runs.
    """

    bad: tuple[str, ...] = ()
    impossible: str = ""
    lost: str = ""

    @property
    def good(self) -> bool:
        """Neither."""
        return not self.bad and not self.impossible


@dataclass(frozen=True, slots=True)
class Middle:
    """A fleet in three numbers: its median, its robust standard deviation, how many it has."""

    median: float
    spread: float
    count: int


def middle(fleet: Sequence[float]) -> Middle:
    """Worked out once where many are held against one fleet."""
    if not fleet:
        return Middle(0.0, 0.0, 0)
    at = median(fleet)
    return Middle(at, _TO_SIGMA * median(abs(one - at) for one in fleet), len(fleet))


# What to do about a number that only its own past calls bad.
WHAT_CHANGED = "`railbed bisect GOOD_RUN THIS_RUN`: what changed since"
MEDIAN_NEEDS = 5  # of fewer, the median is no norm: one bad one moves it
HISTORY_NEEDS = 3


def judge(
    value: float,
    limit: Limit,
    planned: float | None = None,
    fleet: Sequence[float] | Middle = (),
    history: Sequence[float] = (),
) -> Opinion:
    """What to think of `value`. `fleet` holds it and its peers, `history` earlier runs of it."""
    if not isfinite(value):
        return Opinion(impossible=f"{value} is no measurement")
    share = value / planned if planned else None
    if share is not None and limit.most is not None and share > limit.most:
        return Opinion(impossible=f"{share:.0%} of {planned:g}: more than there is")
    lost = _trend(value, history, limit)
    bad = (
        _absolute(share, planned, limit),
        _fleet(value, fleet if isinstance(fleet, Middle) else middle(fleet), limit),
        lost,
    )
    return Opinion(tuple(one for one in bad if one), lost=lost)


def _absolute(share: float | None, planned: float | None, limit: Limit) -> str:
    if share is None or limit.least is None or not _worse(share, limit.least, limit):
        return ""
    return f"{share:.0%} of {planned:g}, asked is {limit.least:.0%}"


def _fleet(value: float, fleet: Middle, limit: Limit) -> str:
    if limit.gap is None or fleet.count < MEDIAN_NEEDS:
        return ""
    allowed = max(limit.mads * fleet.spread, limit.gap * fleet.median)
    off = value - fleet.median if not limit.higher_is_better else fleet.median - value
    if off <= allowed:
        return ""
    return f"{off / fleet.median:.1%} worse than the fleet's median {fleet.median:.4g}"


def _trend(value: float, history: Sequence[float], limit: Limit) -> str:
    if limit.trend is None or len(history) < HISTORY_NEEDS:
        return ""
    usual = median(history)
    bound = usual * (1 - limit.trend if limit.higher_is_better else 1 + limit.trend)
    said = f"was {usual:.4g} in {len(history)} earlier runs, and may lose {limit.trend:.0%}"
    return said if _worse(value, bound, limit) else ""


def _worse(value: float, bound: float, limit: Limit) -> bool:
    return value < bound if limit.higher_is_better else value > bound
