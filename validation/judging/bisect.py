"""From a run that was good to one that is slow: which run is the first bad one, and what changed.

Pure. Changes are ranked by how much of what got slow they touch, and how little of what did not:
a device of a slow flow, its leaf, a switch on its way. That is no proof: the answer also says which
measurement would settle it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from inventory.plan import Node, Plan
from validation.verdict import Finding, Verdict

from .history import Change, Move, RunFound, compare

# What a change of a device explains of a slow flow: its end, its leaf, a switch between leaves.
# A switch above carries the flow only in one of several cases, so it explains half.
_END, _LEAF, _ABOVE, _ALL, _NONE = 1.0, 0.9, 0.5, 0.5, 0.0
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_RAIL = re.compile(r"rail(\d+)")
# Parts of a plan that reach every flow.
_EVERYWHERE = frozenset({"lossless", "cables", "engine", "versions", "bios", "packages"})
_OPEN = Verdict.INCONCLUSIVE
_MOST_SLOW = 2000  # of a fleet's: enough to rank by


class RunQuality(StrEnum):
    """How the run of a series was, as far as it measured what got slow."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """Something that was different from `run` on. `device` is empty where it reaches all."""

    run: int
    kind: str
    device: str
    what: str


@dataclass(frozen=True, slots=True)
class Cause:
    """An event with what speaks for it: the share of slow and of good expectations it touches."""

    event: Event
    slow: float
    good: float

    @property
    def score(self) -> float:
        """1: it touches all that got slow and nothing else; 0 or less: it explains nothing."""
        return self.slow - self.good / 2


@dataclass(frozen=True, slots=True)
class Bisected:
    """The answer. `last_good` and `first_bad` enclose the change; `settle` says what to measure.

    `measured` expectations have an answer in both runs; `unmeasured` had a good one in the first
    and have none in the last, or are open or bad in the last and were not asked in the first.
    """

    slow: tuple[Change, ...]
    told: tuple[tuple[int, RunQuality], ...]
    last_good: int
    first_bad: int
    causes: tuple[Cause, ...]
    elsewhere: int
    settle: tuple[str, ...]
    measured: int
    unmeasured: int


@dataclass
class _Fabric:
    """Where flows go in a plan."""

    plan: Plan
    leaves: dict[str, dict[int, str]] = field(default_factory=dict)

    def weight(self, device: str, one: Finding) -> float:
        """How much a change of a device may do to an expectation."""
        ends = self._ends(one)
        if not device:
            return _ALL
        if device in ends:
            return _END
        found = _RAIL.search(one.expectation)
        rail = int(found[1]) if found else None
        leaves = {leaf for end in ends for leaf in self._leaves(end, rail)}
        if device in leaves:
            return _LEAF
        switch = self.plan.switch.get(device)
        return _ABOVE if switch and switch.tier != "leaf" and len(leaves) > 1 else _NONE

    def _ends(self, one: Finding) -> set[str]:
        named = {name for name in _NAME.findall(one.expectation) if name in self.plan.node}
        return named | {one.device}

    def _leaves(self, name: str, rail: int | None) -> Iterable[str]:
        node = self.plan.node.get(name)
        if node is None:
            return ()
        if name not in self.leaves:
            self.leaves[name] = _leaves_of(node)
        mine = self.leaves[name]
        return mine.values() if rail is None else [leaf for at, leaf in mine.items() if at == rail]


def _leaves_of(node: Node) -> dict[int, str]:
    return {nic.index: nic.leaf.device for nic in node.rails}


def bisect(
    plan: Plan,
    runs: Sequence[RunFound],
    events: Iterable[Event],
    past: Mapping[str, Sequence[float]] | None = None,
) -> Bisected:
    """What lies between the first run, which was good, and the last one, which is not.

    `events` are of the runs after the first, in their order.
    """
    good, bad = runs[0], runs[-1]
    slow = tuple(
        change for change in compare(good.findings, bad.findings, past) if change.move is Move.WORSE
    )
    told = tuple(_told(run, good, bad, slow) for run in runs)
    last_good, first_bad = _window(told)
    every = sorted(events)
    inside = [event for event in every if last_good < event.run <= first_bad]
    causes = _ranked(plan, bad, slow, inside)
    settle = tuple(_settle(told, last_good, first_bad, causes, slow))
    both = _in_both(good, bad)
    beside = len(every) - len(inside)
    return Bisected(slow, told, last_good, first_bad, causes, beside, settle, *both)


def _in_both(good: RunFound, bad: RunFound) -> tuple[int, int]:
    """How many expectations both runs answered, and how many cannot be told from the good run."""
    first = {finding.expectation: finding.verdict for finding in good.findings}
    last = {finding.expectation: finding.verdict for finding in bad.findings}
    answered = {name for name, verdict in first.items() if verdict is not Verdict.INCONCLUSIVE}
    measured = {name for name in answered if last.get(name, _OPEN) is not _OPEN}
    lost = {name for name in answered if first[name] is Verdict.PASS and name not in last}
    new = {name for name in last if name not in first and last[name] is not Verdict.PASS}
    return len(measured), len(lost | new)


def _told(
    run: RunFound, good: RunFound, bad: RunFound, slow: Sequence[Change]
) -> tuple[int, RunQuality]:
    """How a run was: most of what got slow was nearer to the bad run's figures, or to the good."""
    if run.run in (good.run, bad.run):
        return run.run, RunQuality.GOOD if run is good else RunQuality.BAD
    first, last, here = (
        {finding.expectation: finding for finding in some.findings} for some in (good, bad, run)
    )
    votes = [
        _vote(here[change.expectation], first.get(change.expectation), last[change.expectation])
        for change in slow
        if change.expectation in here and change.expectation in last
    ]
    known = [one for one in votes if one is not None]
    if not known:
        return run.run, RunQuality.NOT_MEASURED
    share = sum(known) / len(known)
    return (
        run.run,
        RunQuality.BAD if share > 0.6 else RunQuality.GOOD if share < 0.4 else RunQuality.MIXED,
    )


def _vote(here: Finding, first: Finding | None, last: Finding) -> bool | None:
    """True: as bad as the last run. None where it was not measured."""
    if here.verdict is Verdict.INCONCLUSIVE and not here.figure:
        return None
    if first and first.figure and last.figure and here.figure:
        middle = (first.figure.value + last.figure.value) / 2
        return (here.figure.value < middle) == (last.figure.value < middle)
    return here.verdict is last.verdict


def _window(told: Sequence[tuple[int, RunQuality]]) -> tuple[int, int]:
    """The last run before which all is good, and the first from which all is bad."""
    known = [(run, how) for run, how in told if how is not RunQuality.NOT_MEASURED]
    at = len(known) - 1
    while at and known[at - 1][1] is RunQuality.BAD:
        at -= 1
    return known[at - 1][0] if at else known[0][0], known[at][0]


def _ranked(
    plan: Plan, bad: RunFound, slow: Sequence[Change], events: Sequence[Event]
) -> tuple[Cause, ...]:
    names = {change.expectation for change in slow}
    checks = {(change.stage, change.expectation.partition(":")[0]) for change in slow}
    peers = [finding for finding in bad.findings if (finding.stage, finding.check) in checks]
    hit = [finding for finding in peers if finding.expectation in names][:_MOST_SLOW]
    rest = [
        finding
        for finding in peers
        if finding.expectation not in names and finding.verdict is Verdict.PASS
    ]
    fabric, rest = _Fabric(plan), rest[:: max(1, len(rest) // _MOST_SLOW)]
    weights: dict[str, tuple[float, float]] = {}
    causes = []
    for event in events:
        if event.device not in weights:
            weights[event.device] = (
                _mean(fabric, event.device, hit),
                _mean(fabric, event.device, rest),
            )
        causes.append(Cause(event, *weights[event.device]))
    return tuple(sorted(causes, key=lambda one: (-one.score, one.event)))


def _mean(fabric: _Fabric, device: str, some: Sequence[Finding]) -> float:
    return sum(fabric.weight(device, finding) for finding in some) / len(some) if some else 0.0


def _settle(
    told: Sequence[tuple[int, RunQuality]],
    last_good: int,
    first_bad: int,
    causes: Sequence[Cause],
    slow: Sequence[Change],
) -> Iterator[str]:
    """The measurements that would settle it, the cheapest first."""
    if not slow:
        return
    stage = max(change.stage for change in slow)
    again = f"`railbed validate --through {stage} --only {stage}`"
    if sum(how is RunQuality.BAD for _, how in told) == 1:
        yield f"{again} once more: run {first_bad} alone is slow, and one run may be chance"
    likely = [cause for cause in causes if cause.score > 0]
    if not likely:
        said = "nothing on record touches what got slow: look at hardware (optics, cables, GPUs)"
        yield f"{again}, and compare counters before and after; {said}"
    elif len(likely) > 1 and likely[0].score - likely[1].score < 0.1:
        first, second = likely[0].event, likely[1].event
        yield f"take back one of run {first.run}: {first.what}, or run {second.run}: {second.what}"
        yield f"then {again}: still slow clears the one that was taken back"
    else:
        yield f"take back run {likely[0].event.run}: {likely[0].event.what}; then {again}"
    blind = [
        run for run, how in told if last_good < run < first_bad and how is RunQuality.NOT_MEASURED
    ]
    if blind:
        runs = ", ".join(map(str, blind))
        yield f"runs {runs} measured none of it, so their changes cannot be told apart by figures"


def plan_events(run: int, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Event]:
    """What differs between two plans, part by part; nothing where one's parts are not known."""
    if not old or not new:
        return
    for part in sorted({*old, *new}):
        if old.get(part) == new.get(part):
            continue
        word, _, device = part.rpartition(" ")
        verb = "changed" if part in old and part in new else "new" if part in new else "gone"
        # Waves, assumptions and the like follow from the rest and move no packet.
        if word or part in _EVERYWHERE:
            yield Event(run, "plan", device if word else "", f"plan: {part} {verb}")


def version_events(
    run: int,
    old: Mapping[str, Mapping[str, str]],
    new: Mapping[str, Mapping[str, str]],
) -> Iterator[Event]:
    """Versions that evidence of two runs shows differently, restarts, and who was not there."""
    for device in sorted({*old, *new}):
        before, after = old.get(device, {}), new.get(device, {})
        if not before or not after:
            verb = "answers again" if after else "does not answer"
            yield Event(run, "absent", device, f"{device} {verb}")
            continue
        for what in sorted({*before, *after}):
            if what not in before or what not in after or before[what] == after[what]:
                continue
            said = "has restarted" if what == "boot" else f"{what}: {before[what]} -> {after[what]}"
            yield Event(run, "version", device, f"{device} {said}")
