"""What runs have in common and what became of it: verdicts and figures over time. Pure.

A run here is what one run of `validate` or one last gate found. Figures are compared only where
unit and terms are the same; a difference counts where it is beyond what is noise for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from validation.verdict import Figure, Finding, Verdict

# Less than this is noise where too few runs are there to know it: two healthy flows of a lab on
# busy cores lie 4.5 % apart at most (pairing/loads.yml, iperf3).
FLOOR = 0.05
# Beyond so many robust standard deviations of its own past, a figure has moved.
SIGMAS = 3.5
_TO_SIGMA = 1.4826
_NEEDS = 5  # of fewer, the spread is not known
# Of times and counts less is better; all rates are the other way round.
LESS_IS_BETTER = frozenset(
    {
        "BER",
        "us",
        "ms",
        "s",
        "bytes",
        "drops",
        "errors",
        "events",
        "flaps",
        "frames",
        "marks",
        "packets",
    }
)
_RANK = {Verdict.PASS: 0, Verdict.INCONCLUSIVE: 1, Verdict.FAIL: 2}


class Move(StrEnum):
    """Which way something went between two runs."""

    WORSE = "worse"
    BETTER = "better"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class RunFound:
    """One run: its number, the plan it was judged against, what it found."""

    run: int
    plan_digest: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One expectation whose answer moved. `share` is how far its figure did, of the earlier one."""

    move: Move
    stage: int
    expectation: str
    device: str
    before: str
    after: str
    share: float
    suspect: str


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """The figures of one expectation over runs, in its newest terms.

    `trend` is the newest one's distance from the usual of those before, as a share; None where
    there is no earlier one. Where it was measured otherwise before, or of another part (`before`),
    its `terms` are those of all runs from `since` on; 0 where they never changed.
    """

    stage: int
    check: str
    expectation: str
    unit: str
    runs: int
    last: float
    usual: float
    least: float
    most: float
    trend: float | None
    terms: str = ""
    since: int = 0
    before: str = ""


def lines(runs: Iterable[RunFound], check: str = "") -> tuple[Line, ...]:
    """One line an expectation with figures, over all runs in their order."""
    seen: dict[str, list[tuple[int, Finding, Figure]]] = {}
    for run in runs:
        for finding in run.findings:
            if finding.figure and check in ("", finding.check):
                seen.setdefault(finding.expectation, []).append((run.run, finding, finding.figure))
    return tuple(sorted(_line(found) for found in seen.values()))


def _line(found: Sequence[tuple[int, Finding, Figure]]) -> Line:
    _, one, newest = found[-1]
    values = [figure.value for _, _, figure in found if _alike(figure, newest)]
    usual, before = median(values), values[:-1]
    middle = median(before) if before else 0.0
    trend = (values[-1] - middle) / abs(middle) if middle else None
    return Line(
        one.stage,
        one.check,
        one.expectation,
        newest.unit,
        len(values),
        values[-1],
        usual,
        min(values),
        max(values),
        trend,
        newest.terms,
        *_changed(found),
    )


def _changed(found: Sequence[tuple[int, Finding, Figure]]) -> tuple[int, str]:
    """The run from which on the newest terms hold, and the terms before it.

    A figure without terms does not say of what it is, so it is no change.
    """
    newest = found[-1][2].terms
    known = [(run, one.terms) for run, _, one in found if one.terms]
    other = [at for at, (_, terms) in enumerate(known) if terms != newest]
    return (known[other[-1] + 1][0], known[other[-1]][1]) if other and newest else (0, "")


def compare(
    before: Iterable[Finding],
    after: Iterable[Finding],
    past: Mapping[str, Sequence[float]] | None = None,
) -> tuple[Change, ...]:
    """What moved from one run to the next, worst first.

    `past` has earlier figures by expectation; they say what is noise.
    """
    old, new = ({finding.expectation: finding for finding in some} for some in (before, after))
    known = past or {}
    made = [_change(old.get(name), new.get(name), known.get(name, ())) for name in {*old, *new}]
    order = list(Move)
    return tuple(
        sorted(
            (change for change in made if change is not None),
            key=lambda one: (order.index(one.move), -abs(one.share), one.stage, one.expectation),
        )
    )


def _change(old: Finding | None, new: Finding | None, past: Sequence[float]) -> Change | None:
    one = new or old
    if one is None:
        return None
    if old is None or new is None:
        move = Move.NEW if old is None else Move.GONE
        # What one run was not asked is no news, unless it is bad.
        return None if one.verdict is Verdict.PASS else _made(move, one, old, new, 0.0)
    share = moved(old.figure, new.figure, past)
    ranks = _RANK[new.verdict] - _RANK[old.verdict]
    if ranks:
        return _made(Move.WORSE if ranks > 0 else Move.BETTER, one, old, new, share)
    if not share:
        return None
    return _made(Move.WORSE if share < 0 else Move.BETTER, one, old, new, share)


def moved(old: Figure | None, new: Figure | None, past: Sequence[float] = ()) -> float:
    """How far a figure moved, as a share of the earlier one; below 0 is worse; 0 within noise."""
    if old is None or new is None or not _alike(old, new) or old.value == new.value:
        return 0.0
    if not old.value:
        return -1.0 if new.unit in LESS_IS_BETTER else 1.0
    share = (new.value - old.value) / abs(old.value)
    if abs(share) <= noise(past):
        return 0.0
    return -share if new.unit in LESS_IS_BETTER else share


def noise(past: Sequence[float]) -> float:
    """What a figure may move by itself, as a share: its own spread, or the floor."""
    if len(past) < _NEEDS or not median(past):
        return FLOOR
    middle = median(past)
    spread = _TO_SIGMA * median(abs(one - middle) for one in past) / abs(middle)
    return max(FLOOR, SIGMAS * spread)


def _alike(a: Figure, b: Figure) -> bool:
    return (a.unit, a.terms) == (b.unit, b.terms)


def _made(
    move: Move, one: Finding, old: Finding | None, new: Finding | None, share: float
) -> Change:
    suspect = new.suspect if new else ""
    return Change(
        move, one.stage, one.expectation, one.device, _said(old), _said(new), share, suspect
    )


def _said(one: Finding | None) -> str:
    if one is None:
        return "not asked"
    return f"{one.verdict}, {one.figure.value:.4g} {one.figure.unit}" if one.figure else one.verdict
