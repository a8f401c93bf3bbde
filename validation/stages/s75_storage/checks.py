"""Stage 75: the mounts of the storage plane under 1, 2, 4 ... and all nodes, both directions.

The work is run by `deploy/loads/s75_storage_run.py`: files in a folder of each node's own, removed
after. Where the site declares no mount, nothing is asked, and nothing counts as passed.
"""

from __future__ import annotations

from testinfra.host import Host

from validation.locating.view import View
from validation.stage import Check, Faults

from . import judge
from .expect import DirectExpected, FairExpected, PartExpected, TotalExpected


class VerifyEachNodeGetsItsPart(Check):
    """A node reads and writes at its part: its NICs' rate, or its share of the mount's.

    Success: enough of that, near the others' median, all of the step at once.
    Failure: it is slower; where most are, the storage is the suspect.
    """

    expects = PartExpected
    each = True

    def test(
        self, host: Host, expect: tuple[PartExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge.part(host, expectation, faults, view)


class VerifyAllGetTheRateTogether(Check):
    """What the nodes of a step get at once is what the mount promises, or their NICs carry.

    Success: the sum is at least the asked share of it.
    Failure: it is less.
    """

    expects = TotalExpected
    each = True

    def test(
        self, host: Host, expect: tuple[TotalExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge.total(host, expectation, faults, view)


class VerifyNodesAreServedAlike(Check):
    """The slowest node of a step gets nearly what the fastest gets.

    Success: at least the asked share of it.
    Failure: it starves beside the others.
    """

    expects = FairExpected
    each = True

    def test(
        self, host: Host, expect: tuple[FairExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge.fair(host, expectation, faults, view)


class VerifyGpusReadDirectly(Check):
    """A GPU reads from the mount by GPUDirect Storage, not through the CPU's memory.

    Success: gdsio says GPUD, at the node's part of the rate.
    Failure: it went another way, or is slower.
    """

    expects = DirectExpected
    each = True

    def test(
        self, host: Host, expect: tuple[DirectExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge.direct(host, expectation, faults, view)
