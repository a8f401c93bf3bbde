"""Stage 50: every NIC of every rail carries its rate, inside its leaf and across leaves.

The planned schedule is run by `deploy/loads/load_run.py`, NIC pairs both ways at once; where a flow
is slow, a second pass loads the suspects against NICs that are known to be good. After the loads,
RDMA NICs time small messages over rails that are idle then (`deploy/loads/latency_run.py`).
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from validation.evidence import ask
from validation.evidence.trust import MissingEvidence
from validation.judging.limits import WHAT_CHANGED
from validation.locating.suspect import Suspect
from validation.locating.view import View
from validation.pairing.coverage import CoverageExpected, Lane, is_counted, lanes, not_seen
from validation.pairing.late import blame as blame_late
from validation.pairing.late import opinion
from validation.pairing.load_result import Measured
from validation.pairing.locate_slow import blame as blame_slow
from validation.pairing.own_past import lost
from validation.pairing.unmeasured import reason
from validation.stage import Check, Faults

from .expect import BandwidthExpected, LatencyExpected

_NAMED = 6  # uplinks in one sentence


class VerifyEachFlowGetsItsRate(Check):
    """The receiver gets at least its share of the planned rate, and no more than exists.

    Success: the rate lies between the tool's two limits, over the planned addresses, and has not
    become less than the trend allows; or it was slower by chance, because it shared an uplink with
    too many or a core was busy: the same pair and all between them were good when it ran again.
    Failure: it is slower, or became slower by more than the trend allows; what is good with
    others is not the suspect. A rate above that of the links was measured somewhere else:
    inconclusive.
    """

    expects = BandwidthExpected
    each = True

    def test(
        self, host: Host, expect: tuple[BandwidthExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            found = _measured(host, expectation, faults, view)
            if found is not None:
                faults.figure(expectation, found.gbps, "Gb/s", expectation.probe.measured_as)
            if found is None:
                continue
            if found.good:
                _trend(expectation, found, faults, view)
                continue
            said = f"{found.gbps:.3g} Gb/s, {found.share:.0%} of {expectation.probe.rate_gbps:g}"
            if found.impossible:
                why = f"{said}: more than the links carry, so another path or unit was measured"
                faults.unknown(
                    expectation,
                    f"path {expectation.probe.sender} > {expectation.probe.receiver}",
                    why,
                )
                continue
            suspect = view.loads.located.suspect_of(expectation.probe)
            if suspect is not None:
                faults.add(expectation, suspect.name, f"{said}; {suspect.told}", hint=suspect.hint)
            elif not view.loads.was_chance(expectation.probe):
                blame = blame_slow(view.plan, expectation.probe, view.measured)
                told = f"{said}; {blame.found}" if blame.found else said
                faults.add(expectation, blame.suspect, told, hint=blame.hint)


class VerifyEachUplinkWasLoaded(Check):
    """The switch's counters say that each uplink carried its share in some round, each way.

    Success: every uplink that rail traffic may take was loaded, both ways.
    Failure: one was full at the same low mark round after round. An uplink that nobody saw loaded
    otherwise is not proved, and so inconclusive.
    """

    expects = CoverageExpected
    each = True

    def test(
        self, host: Host, expect: tuple[CoverageExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            if not is_counted(view.plan, expectation.device):
                why = "its port counters cannot be read: no reader for this dialect"
                faults.unknown(expectation, f"uplinks of {expectation.device}", why)
                continue
            count = len(expectation.uplinks)
            loaded = ask.uplinks_loaded(
                host, expectation, view.plan.switch[expectation.device].dialect
            )
            left = not_seen(expectation, loaded)
            faults.figure(expectation, 100 * (1 - len(left) / count), "%")
            if left:
                said = f"{len(left)} of {count} not seen loaded: {', '.join(left[:_NAMED])}"
                more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
                narrow = _narrow(expectation, loaded, view)
                if narrow is not None:
                    faults.add(
                        expectation, narrow.name, f"{said}{more}; {narrow.told}", hint=narrow.hint
                    )
                else:
                    faults.unknown(expectation, f"uplinks of {expectation.device}", said + more)


def _narrow(one: CoverageExpected, seen: frozenset[Lane], view: View) -> Suspect | None:
    """The suspect, if there is one, that holds a cable which was not seen loaded."""
    by_unit = view.loads.located.by_unit
    cables = (f"cable {view.plan.cable_at[ref]}" for ref, _ in sorted(lanes([one]) - seen))
    return next((by_unit[cable] for cable in cables if cable in by_unit), None)


def _trend(one: BandwidthExpected, found: Measured, faults: Faults, view: View) -> None:
    """Good enough for the plan, and less than this very flow has shown before."""
    told = lost(found, view.past)
    if told and not view.loads.was_chance(one.probe):
        suspect = view.loads.located.suspect_of(one.probe)
        part = suspect.name if suspect else f"path {one.probe.sender} > {one.probe.receiver}"
        faults.add(one, part, f"{found.gbps:.3g} Gb/s; {told}", hint=WHAT_CHANGED)


def _measured(host: Host, one: BandwidthExpected, faults: Faults, view: View) -> Measured | None:
    """The flow's result; without one, why there is none, and at which end to look."""
    try:
        return ask.load(host, one.probe)
    except (MissingEvidence, Unreadable) as why:
        _unmeasured(one, why, faults, view)
        return None


def _unmeasured(
    one: BandwidthExpected | LatencyExpected, why: Exception, faults: Faults, view: View
) -> None:
    told = reason(one.probe, str(why), view.silent(one.probe.receiver))
    if told is None:
        raise why
    faults.unknown(one, told.suspect, told.found)


class VerifyEachPairAnswersInTime(Check):
    """Half of a small message's round trip is within its bounds, and as in pairs alike.

    Success: median and 99th percentile are within what NICs, switches and fibre may take, and
    no outlier among the pairs with as many switches between.
    Failure: one is later. Less than light needs for the cables was measured somewhere else:
    inconclusive.
    """

    expects = LatencyExpected
    each = True

    def test(
        self, host: Host, expect: tuple[LatencyExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            try:
                found = ask.latency(host, expectation.probe)
            except (MissingEvidence, Unreadable) as why:
                _unmeasured(expectation, why, faults, view)
                continue
            faults.figure(expectation, found.median_us, "us")
            said = f"median {found.median_us:.2f} us, 99 of 100 in {found.p99_us:.2f} us"
            if found.impossible:
                least = f"{expectation.probe.fibre_us:.2f} us"
                light = f"light alone needs {least}: another way was measured"
                faults.unknown(
                    expectation,
                    f"path {expectation.probe.sender} > {expectation.probe.receiver}",
                    f"{said}; {light}",
                )
                continue
            late = opinion(found, view.waited)
            if late.why:
                blamed = blame_late(view.plan, expectation.probe, view.waited)
                told = "; ".join(filter(None, (said, *late.why, blamed.found)))
                faults.add(expectation, blamed.suspect, told, hint=blamed.hint)
