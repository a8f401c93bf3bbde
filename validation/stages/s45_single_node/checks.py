"""Stage 45: each node by itself: memory, disk, GPUs at rest and under load, NICs to every memory.

The work is run by `deploy/loads/s45_single_node_run.py`. What draws full power runs in waves, so
that no PDU, rack or row sees a large step (`validation/stages/s45_single_node/ramp.py`).
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.plan import Plan
from validation.locating.view import View
from validation.stage import Check, Faults

from . import judge, judge_dcgm, judge_gpu
from .expect import (
    AllReduceExpected,
    BurnExpected,
    DcgmExpected,
    DiskExpected,
    MemoryExpected,
    NicExpected,
    NvlinkExpected,
)


class VerifyMemoryIsAsFastAsPlanned(Check):
    """Each NUMA node reads and writes at its share of the planned rate, and as the fleet does.

    Success: the rate is planned or a fleet's, and near enough to it.
    Failure: it is slower; a DIMM is missing, or the BIOS interleaves otherwise.
    """

    expects = MemoryExpected
    each = True

    def test(
        self, host: Host, expect: tuple[MemoryExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge.memory(host, expectation, faults, view)


class VerifyDiskIsAsFastAsPlanned(Check):
    """Files in the scratch folder are written and read, past the page cache, fast enough.

    Success: every byte was moved, at the planned share or as the fleet's disks do.
    Failure: it is slower, or slower than the fleet's.
    """

    expects = DiskExpected
    each = True

    def test(
        self, host: Host, expect: tuple[DiskExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge.disk(host, expectation, faults, view)


class VerifyEveryLinkHasItsRate(Check):
    """Every NVLink of each GPU is on, at the rate of the GPU's model, as numbers.

    Success: as many links as the model has, each at its rate.
    Failure: one is off or slower: it has lost lanes.
    """

    expects = NvlinkExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[NvlinkExpected, ...], faults: Faults
    ) -> None:
        judge_gpu.links(host, plan, expect, faults)


class VerifyTheDiagnosticPasses(Check):
    """DCGM's diagnostic ran all tests of its level, and each passed without a warning.

    Success: every due test passed on the GPU, status 0.
    Failure: one failed. One that was skipped, warned, or did not run proves nothing.
    """

    expects = DcgmExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[DcgmExpected, ...], faults: Faults
    ) -> None:
        judge_dcgm.diagnostic(host, plan, expect, faults)


class VerifyABurnFindsNoFault(Check):
    """Each GPU multiplies matrices for minutes: right, not too hot, as fast as its model's others.

    Success: no error, below the heat at which it slows down, near the median.
    Failure: a wrong value, too hot, or slower than the others. Without its heat, or a limit of it,
    nothing is known.
    """

    expects = BurnExpected

    def test(
        self, host: Host, plan: Plan, expect: tuple[BurnExpected, ...], faults: Faults, view: View
    ) -> None:
        judge_gpu.burn(host, plan, expect, faults, view)


class VerifyEachNicReachesEachMemory(Check):
    """Each RDMA NIC moves its rate with each NUMA node and each GPU of its node.

    Success: the share of its rate that this distance allows, and as the fleet's do.
    Failure: it is slower: the slot's width, the IOMMU, or the link between sockets.
    """

    expects = NicExpected
    each = True

    def test(self, host: Host, expect: tuple[NicExpected, ...], faults: Faults, view: View) -> None:
        for expectation in expect:
            judge.nic(host, expectation, faults, view)


class VerifyGpusReduceOverNvlink(Check):
    """The node's GPUs together reduce one large size at the rate of their model.

    Success: checked values, at the published share and as the fleet does.
    Failure: it is slower.
    """

    expects = AllReduceExpected
    each = True

    def test(
        self, host: Host, expect: tuple[AllReduceExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            judge_gpu.reduce(host, expectation, faults, view)
