"""Stage 50: every NIC of every rail carries its rate, inside its leaf and across leaves.

The planned schedule is run by `deploy/load_run.py`, NIC pairs both ways at once; where a flow
is slow, a second pass loads the suspects against NICs that are known to be good.
"""

from __future__ import annotations

from testinfra.host import Host

from validation import ask
from validation.expect import BandwidthExpected
from validation.load_result import Measured
from validation.locate_slow import blame as blame_slow
from validation.stage import Faults, Stage, check
from validation.trust import MissingEvidence
from validation.view import View

STAGE = Stage(
    number=50,
    title="Pairs",
    needs=(20, 40),
    blocks="congestion and collectives: one slow NIC slows them all",
    budget_s=30,
)


@check("bw", each=True)
def test_each_flow_gets_its_rate(
    host: Host, expect: tuple[BandwidthExpected, ...], faults: Faults, view: View
) -> None:
    """The receiver gets at least its share of the planned rate, and no more than exists.

    Success: the rate lies between the tool's two limits, over the planned addresses.
    Failure: it is slower; what is good with others is not the suspect. A rate above that of
    the links was measured somewhere else: inconclusive.
    """
    for one in expect:
        found = _measured(host, one, faults, view)
        if found is None or found.good:
            continue
        said = f"{found.gbps:.3g} Gb/s, {found.share:.0%} of {one.probe.rate_gbps:g}"
        if found.impossible:
            why = f"{said}: more than the links carry, so another path or unit was measured"
            faults.unknown(one, f"path {one.probe.sender} > {one.probe.receiver}", why)
            continue
        blame = blame_slow(view.plan, one.probe, view.measured)
        told = f"{said}; {blame.found}" if blame.found else said
        faults.add(one, blame.suspect, told, hint=blame.hint)


def _measured(host: Host, one: BandwidthExpected, faults: Faults, view: View) -> Measured | None:
    """The flow's result; without one, a receiver that is silent is the reason."""
    try:
        return ask.load(host, one.probe)
    except MissingEvidence:
        receiver = one.probe.receiver
        if not (why := view.silent(receiver)):
            raise
        faults.unknown(one, f"device {receiver}", f"{receiver} could not be loaded: {why}")
        return None
