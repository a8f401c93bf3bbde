"""What the rates of one incast say, and where to go when they are too low. Pure but for reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from validation.counters.rules import Counted
from validation.evidence.trust import MissingEvidence
from validation.judging.limits import WHAT_CHANGED, Limit, judge
from validation.locating.locate import Blame
from validation.pairing.load_result import Measured

from . import again
from .locate import leaking, slow_alone
from .phases import ALONE, INCAST, fair_gbps, shares
from .results import HostOf, Observed, Ran, counting, observed, tried
from .terms import Shares

PastOf = Callable[[str], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Judged:
    """A fault, or why nothing is known (with where to look), or neither; `figure` is in Gb/s.

    `terms` say how the figure was measured.
    """

    figure: float | None = None
    blame: Blame | None = None
    suspect: str = ""
    unknown: str = ""
    terms: str = ""


def incast(plan: Plan, it: Ran, name: str, host_of: HostOf, past_of: PastOf) -> Judged:
    """All senders together against the receiver's line rate, and the slowest against the rest.

    What is enough may still be less than it was: `past_of` knows the sums of earlier runs.
    """
    found, limits = observed(it.phases[name], it.case, host_of), shares(plan, it.case.receiver)
    here = PortRef(it.case.receiver.node, it.case.receiver.port)
    rate, total = plan.cable_at[here].rate_gbps, sum(one.gbps for one in found.sent)
    said = f"{here} got {total:.3g} Gb/s, {total / rate:.0%} of {rate:g}, from {len(found.sent)}"
    if total > rate * limits.sum_most:
        return Judged(total, None, f"port {here}", f"{said}: more than its link carries")
    starved, terms = again.starved(plan, it.case, found.sent), _terms(found, limits, rate)
    full = total >= rate * limits.sum_least
    lost = judge(total, Limit(limits.source, trend=limits.sum_trend), None, (), past_of(terms)).lost
    if full and not starved and not lost:
        return Judged(total, terms=terms)
    if starved:
        named = ", ".join(f"{one.flow.sender} {one.gbps:.3g}" for one in starved)
        said = f"{said}; starved: {named}"
    blame = _incast_blame(plan, it, found, starved, host_of, full=full)
    if lost:
        said, hint = f"{said}; {lost}", f"{blame.hint}; {WHAT_CHANGED}" if blame.hint else ""
        blame = replace(blame, hint=hint or WHAT_CHANGED)
    return Judged(total, _explained(blame, said), terms=terms)


def _terms(found: Observed, limits: Shares, rate: float) -> str:
    """Which receiver it was is not said: those of a leaf take turns, and are alike."""
    how = f"{limits.loading.tool} {found.phase.name} of {len(found.sent)}"
    return f"{how} seconds={limits.seconds} streams={limits.streams} into {rate:g} Gb/s"


def _explained(blame: Blame, said: str) -> Blame:
    return replace(blame, found=f"{said}; {blame.found}" if blame.found else said)


def _incast_blame(
    plan: Plan, it: Ran, found: Observed, starved: list[Measured], host_of: HostOf, *, full: bool
) -> Blame:
    """A device that swallows packets; else what trials leave; else a way, or the receiver's cable.

    Where one sender's way is bad, the others fill the receiver in its stead: a receiver that is
    not `full` is what all of them share.
    """
    counted = _counted(plan, found, host_of)
    slow = starved or list(found.sent)
    for one in slow if counted else ():
        if counted and (leak := leaking(plan, one.flow, counted)):
            return leak
    slowest = again.starving(plan, it.case, found.sent) if found.phase.name == INCAST else None
    if slowest is not None:
        sender = slowest.flow.sender
        if left := again.blame(plan, it.case, sender, tried(plan, it, sender, host_of)):
            return left
    if len(starved) == 1 and full:
        one = starved[0]
        hint = f"load {one.flow.sender} alone: stage 50 tells its NIC from the way"
        return Blame(f"path {one.flow.sender} > {one.flow.receiver}", "", hint)
    here = PortRef(it.case.receiver.node, it.case.receiver.port)
    hint = "stage 50 tells whether a single sender fills it; if so, see the leaf's queue and DCQCN"
    return Blame(f"cable {plan.cable_at[here]}", "", hint)


def victim(plan: Plan, it: Ran, name: str, host_of: HostOf) -> Judged:
    """The victim alone against its links, then beside the incast against its fair share."""
    limits = shares(plan, it.case.receiver)
    before = observed(it.phases[ALONE], it.case, host_of)
    beside = observed(it.phases[name], it.case, host_of).victim
    fair, alone = fair_gbps(plan, it.case), before.victim
    if alone.impossible:
        why = f"{alone.gbps:.3g} Gb/s alone: more than its links carry"
        return Judged(beside.gbps, None, f"path {alone.flow.sender} > {alone.flow.receiver}", why)
    if alone.slow:
        said = f"{alone.gbps:.3g} Gb/s already alone, {alone.share:.0%} of {alone.flow.rate_gbps:g}"
        blame = slow_alone(plan, alone.flow, _counted(plan, before, host_of))
        return Judged(beside.gbps, _explained(blame, said))
    if beside.gbps >= fair * limits.victim_least:
        return Judged(beside.gbps)
    return Judged(beside.gbps, _suffers(it, alone, beside, limits, fair))


def _suffers(it: Ran, alone: Measured, beside: Measured, limits: Shares, fair: float) -> Blame:
    leaf = it.case.victim[0].leaf
    said = (
        f"{beside.gbps:.3g} Gb/s beside an incast into {it.case.receiver.node}, "
        f"{alone.gbps:.3g} alone; its share of {leaf}'s uplinks is {fair:g}, "
        f"asked is {limits.victim_least:.0%} of that"
    )
    hint = f"pauses of {leaf}'s uplinks and queues shared by both flows hold it back"
    return Blame(f"device {leaf}", said, hint)


def _counted(plan: Plan, found: Observed, host_of: HostOf) -> Counted | None:
    """What was counted, for a better word on a fault; None where that cannot be read."""
    try:
        return counting(plan, found.phase, found.flows, host_of).counted
    except (MissingEvidence, Unreadable):
        return None
