"""Stage 60: many NICs fill one, each gets its part, and nobody beside them suffers for it.

`deploy/loads/s60_congestion_run.py` runs the schedule: a victim's flow alone, then the same beside
an incast, with the counters of hosts and switch ports read right before and after. Where the plan
has no PFC and ECN, nothing is asked of them.
"""

from __future__ import annotations

from functools import partial

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from validation.counters import rules
from validation.counters.rules import Opinion
from validation.evidence.backend import host as evidence_host
from validation.expectation import Expectation
from validation.locating.view import View
from validation.stage import Check, Faults

from .expect import (
    AloneExpected,
    IncastExpected,
    LosslessHoldsExpected,
    MarksExpected,
    OfIncast,
    VictimExpected,
)
from .judge import Judged, incast, victim
from .phases import ALONE, INCAST, INTO_GPU, shares
from .results import Counting, Ran, counting, observed, ran

_LOADED = (INCAST, INTO_GPU)


class VerifyManyFillOne(Check):
    """The receiver gets its line rate from all senders together, and none of them starves.

    Success: the sum is at least its share of the line rate, the slowest at least its of a part.
    Failure: they collapse, get less than in earlier runs, or one is starved; counters of a flow
    alone tell where.
    """

    expects = IncastExpected
    each = True

    def test(
        self, plan: Plan, expect: tuple[IncastExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            it = _ran(expectation, plan, view)
            for phase in _names(it):
                past_of = partial(view.history, expectation.id)
                _tell(expectation, incast(plan, it, phase, partial(_host, view), past_of), faults)


class VerifyAFlowBesideAnIncastKeepsItsShare(Check):
    """A flow that shares a sender's leaf, but not the receiver, is slowed by nothing else.

    Success: alone it has its rate, beside the incast its fair share of what it has to share.
    Failure: it is slow already alone, or what pauses the senders stops it too.
    """

    expects = VictimExpected
    each = True

    def test(
        self, plan: Plan, expect: tuple[VictimExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            it = _ran(expectation, plan, view)
            for phase in _names(it):
                _tell(expectation, victim(plan, it, phase, partial(_host, view)), faults)


class VerifyOneFlowLosesNothing(Check):
    """One flow at line rate: no packet lost or late, about no mark and no CNP.

    Success: what NICs and switch ports on its way counted says so.
    Failure: something is lost or congested where nothing else runs.
    """

    expects = AloneExpected
    each = True

    def test(
        self, plan: Plan, expect: tuple[AloneExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            it = _ran(expectation, plan, view)
            found = _counting(it, ALONE, plan, view)
            limits = shares(plan, it.case.receiver)
            most = limits.cnps_per_s_most * limits.seconds
            _say(expectation, rules.alone(found.counted, plan.lossless, most), found, faults)


class VerifyMarksSlowTheSenders(Check):
    """Under an incast switches mark, the receiver sends CNPs, and senders handle them.

    Success: each of these counters moved.
    Failure: one did not: PFC alone would hold the queue, and spread.
    """

    expects = MarksExpected
    each = True

    def test(
        self, plan: Plan, expect: tuple[MarksExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            it = _ran(expectation, plan, view)
            receiver = PortRef(it.case.receiver.node, it.case.receiver.port)
            senders = tuple(PortRef(seat.node, seat.port) for seat in it.case.senders)
            for name in _names(it):
                found = _counting(it, name, plan, view)
                _say(expectation, rules.marks_work(found.counted, receiver, senders), found, faults)


class VerifyNothingLosslessIsDropped(Check):
    """Under an incast no buffer of the lossless class overflows, and only it is paused.

    Success: no discard of its priority, queue or group, no other pause, no storm.
    Failure: headroom is too small, PFC is off somewhere, or global flow control is on. A cable of
    which neither end counts pauses without a priority is inconclusive.
    """

    expects = LosslessHoldsExpected
    each = True

    def test(
        self, plan: Plan, expect: tuple[LosslessHoldsExpected, ...], faults: Faults, view: View
    ) -> None:
        far = {
            end: other
            for cable in plan.cables
            for end, other in ((cable.a, cable.b), (cable.b, cable.a))
        }
        for expectation in expect:
            it = _ran(expectation, plan, view)
            for name in _names(it):
                found = _counting(it, name, plan, view)
                _say(
                    expectation,
                    rules.lossless_holds(found.counted, plan.lossless, far),
                    found,
                    faults,
                )


def _host(view: View, device: str) -> Host:
    return evidence_host(device, view.book)


def _ran(one: OfIncast, plan: Plan, view: View) -> Ran:
    return ran(plan, one, partial(_host, view))


def _names(it: Ran) -> list[str]:
    return [name for name in _LOADED if name in it.phases]


def _counting(it: Ran, name: str, plan: Plan, view: View) -> Counting:
    phase = it.phases[name]
    flows = observed(phase, it.case, partial(_host, view)).flows
    return counting(plan, phase, flows, partial(_host, view))


def _tell(one: Expectation, found: Judged, faults: Faults) -> None:
    if found.figure is not None:
        faults.figure(one, found.figure, "Gb/s", found.terms)
    if found.blame is not None:
        faults.add(one, found.blame.suspect, found.blame.found, hint=found.blame.hint)
    elif found.unknown:
        faults.unknown(one, found.suspect, found.unknown)


def _say(one: Expectation, opinion: Opinion, found: Counting, faults: Faults) -> None:
    """The worst counter is the fault; one that cannot be told leaves the rest unproved."""
    unknown = [*opinion.unknown, *found.unread]
    if opinion.bad:
        place, said = opinion.bad[0]
        more = f", and {len(opinion.bad) - 1} more" if len(opinion.bad) > 1 else ""
        faults.add(one, f"port {place}", f"{said}{more}")
    elif unknown:
        place, said = unknown[0]
        more = f", and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        faults.unknown(one, f"device {place.device}", f"{said}{more}")
