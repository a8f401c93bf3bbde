"""What to think of a run: its share of the line, its time, its peers, its slowest iterations.

A run is only compared with runs of the same collective, size and number of nodes; more nodes
only with two, by the same collective and size. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from validation.judging.limits import Limit, Opinion, judge
from validation.locating.bisection import Group, Ran, Result
from validation.parse.loads.collective_rows import CollectiveRow, Table

from .planned import least_share, most_us, planned_gbs
from .runs import Run
from .terms import CollectiveTerms

LARGE = "large"
PAIR = 2


@dataclass(frozen=True, slots=True)
class Done:
    """A run with its table."""

    run: Run
    table: Table

    def row(self, size: str) -> CollectiveRow:
        """The row of a named size. Raises Unreadable."""
        return self.table.row(self.run.terms.bytes_of(size))


@dataclass(frozen=True, slots=True)
class Judged:
    """What is wrong with one size of a run: bad is a failure, unknown proves nothing.

    `lost` is that one of the reasons that tells of earlier runs. `is_too_fast` is that the unknown
    is a figure that no path has.
    """

    bad: tuple[str, ...] = ()
    unknown: str = ""
    lost: str = ""
    is_too_fast: bool = False


def judged(one: Done, size: str, done: Iterable[Done], history: Sequence[float] = ()) -> Judged:
    """One size of a run, against its plan, what else was measured, and earlier runs of it."""
    row, some = one.row(size), list(done)
    terms = one.run.terms.of(one.run.collective)
    most = most_us(one.run, size)
    if most is None:
        where = "stages/s70_collectives/terms.yml"
        why = f"no figure for {one.run.profile} on one node: add it to {where}"
        return Judged(unknown=why)
    says = judge(
        row.busbw_gbs,
        _limit(one.run, terms, size),
        planned_gbs(one.run) if size == LARGE else None,
        [other.row(size).busbw_gbs for other in some if is_peer(one.run, other.run)],
        history,
    )
    if says.impossible:
        why = f"{says.impossible}: another path or unit was measured"
        return Judged(unknown=why, is_too_fast=True)
    if size == LARGE:
        found = _grown(one, row, terms, some, says)
    else:
        found = Judged((*_late(row, most), *says.bad))
    return replace(found, lost=says.lost)


def _late(row: CollectiveRow, most: float) -> tuple[str, ...]:
    """A size with no planned busbw is asked for its time: alone, without peers."""
    if row.time_us <= most:
        return ()
    return (f"a call takes {row.time_us:.5g} us, and may take {most:.5g}",)


def is_peer(one: Run, other: Run) -> bool:
    """Whether the two ran the same on as many nodes of a kind."""
    return (one.collective, one.kind, one.profile, len(one.nodes)) == (
        other.collective,
        other.kind,
        other.profile,
        len(other.nodes),
    )


def _limit(run: Run, terms: CollectiveTerms, size: str) -> Limit:
    ours, alone = run.terms, len(run.nodes) == 1
    return Limit(
        source=ours.one_node.source if alone else terms.source,
        least=least_share(run),
        most=None if alone else terms.most,
        gap=ours.gap,
        mads=ours.mads,
        trend=ours.trend_of(size),
    )


def _grown(
    one: Done, row: CollectiveRow, terms: CollectiveTerms, done: Sequence[Done], says: Opinion
) -> Judged:
    """With its linearity and its P99, which only the large size is asked for."""
    bad = list(says.bad)
    if terms.linear is not None and len(one.run.nodes) > PAIR and one.run.kind == "group":
        base = pair_gbs(one.run, done)
        if base is None:
            return Judged(tuple(bad), "" if bad else "no result of two nodes to compare it with")
        if (share := row.busbw_gbs / base) < terms.linear:
            bad.append(f"{share:.0%} of what two nodes reach, asked is {terms.linear:.0%}")
    if row.p99_us is None:
        return Judged(tuple(bad), "" if bad else "single iterations were not timed: no P99")
    mean = row.out_of_place.time_us.value
    if row.p99_us > one.run.terms.p99 * max(mean, row.time_us):
        bad.append(f"P99 is {row.p99_us / row.time_us:.1f} times the average iteration")
    return Judged(tuple(bad))


def pair_gbs(run: Run, done: Iterable[Done]) -> float | None:
    """The median busbw of two nodes of this kind, large size; None without any."""
    found = [
        one.row(LARGE).busbw_gbs
        for one in done
        if len(one.run.nodes) == PAIR
        and (one.run.collective, one.run.profile, one.run.kind)
        == (run.collective, run.profile, "group")
    ]
    return median(found) if found else None


def slow(one: Done, done: Iterable[Done]) -> bool:
    """Whether a group of any size is slow: below the line, or far below what two nodes reach."""
    terms, busbw = one.run.terms.of(one.run.collective), one.row(LARGE).busbw_gbs
    planned, base = planned_gbs(one.run), pair_gbs(one.run, done)
    if planned is not None and busbw < terms.least * planned:
        return True
    return base is not None and busbw < base * (1 - one.run.terms.gap)


def ran(
    found: Sequence[Done], norm: Sequence[Done], failed: Mapping[Group, int]
) -> tuple[Ran, ...]:
    """What bisection is told: groups that were slow or good, and those without a result.

    `norm` are the runs that say what is usual; what the search adds is chosen for being odd.
    """
    told = [Ran(one.run.nodes, Result.SLOW if slow(one, norm) else Result.GOOD) for one in found]
    lost = [Ran(group, Result.UNKNOWN) for group, times in failed.items() for _ in range(times)]
    return tuple(sorted([*told, *lost]))
