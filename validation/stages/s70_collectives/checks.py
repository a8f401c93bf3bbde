"""Stage 70: collectives on 1, 2, 4 ... all nodes are right and as fast as the rails let them be.

Every named size is judged alone, by its own group of peers. `deploy/loads/s70_collectives_run.py`
runs them; where a group is slow, it halves the nodes until the one that holds it back is named.
"""

from __future__ import annotations

from testinfra.host import Host

from inventory.reading.fields import Unreadable
from validation.evidence.trust import MissingEvidence
from validation.judging.limits import WHAT_CHANGED
from validation.locating.view import View
from validation.parse.loads.collective_rows import Table, WrongResult
from validation.stage import Check, Faults

from .blame import blame, damage
from .expect import CollectiveExpected
from .judge import Done, judged
from .seen import answer, seen

# docs.nvidia.com/deeplearning/nccl, troubleshooting, "GPU Direct"; github.com/NVIDIA/nccl,
# src/graph/paths.cc, ncclTopoCheckGdr: the driver, the distance, the settings.
_DIRECT = (
    "see whether the open kernel modules (DMA-BUF) or nvidia_peermem are loaded, ACS and the IOMMU "
    "are off, `nvidia-smi topo -m` has PIX or PXB, and nothing sets NCCL_NET_GDR_LEVEL"
)


class VerifyCollectivesReachTheirShare(Check):
    """Each size of each group is right, reaches its share, and no peer is much faster.

    Success: results are checked and right; at the large size busbw is within its share of the
    line, keeps up with two nodes, and P99 stays near the average; other sizes take no longer than
    their steps and bytes may, and keep up with their peers; what does not is run once more, and
    that counts. Where the plan has GPUDirect RDMA, no HCA and no GPU does without.
    Failure: it is slower, or slower than in earlier runs, or a result is wrong, or data goes
    through the host's memory. What did not run
    whole, ran elsewhere, or has nothing to be judged by is inconclusive.
    """

    expects = CollectiveExpected
    each = True

    def test(
        self, host: Host, expect: tuple[CollectiveExpected, ...], faults: Faults, view: View
    ) -> None:
        for expectation in expect:
            found = _table(host, expectation, faults, view)
            if found is None:
                continue
            done = Done(expectation.run, found)
            row = done.row(expectation.size)
            faults.figure(expectation, row.busbw_gbs, "GB/s", expectation.run.launch.command)
            past = view.history(expectation.id, expectation.run.launch.command)
            says = judged(done, expectation.size, seen(view).done, past)
            if expectation.run.direct and found.staged:
                _add_staged(expectation, found, faults)
            elif says.bad:
                to = blame(expectation.run, seen(view))
                said = f"{row.busbw_gbs:.4g} GB/s: {'; '.join(says.bad)}"
                hint = "; ".join(filter(None, (to.hint, WHAT_CHANGED))) if says.lost else to.hint
                faults.add(expectation, to.suspect, f"{said}{to.found}", hint=hint)
            elif says.unknown:
                faults.unknown(
                    expectation,
                    f"nodes {expectation.run.nodes[0]} to {expectation.run.nodes[-1]}",
                    says.unknown,
                )


def _add_staged(one: CollectiveExpected, found: Table, faults: Faults) -> None:
    """Data goes through the host's memory: the cause of what is slow, and wrong where it is not."""
    nodes = sorted({host for host, _ in found.staged})
    what = ", ".join(f"{what} of {host}" for host, what in sorted(found.staged)[:4])
    said = f"no GPUDirect RDMA for {what} ({len(found.staged)} in all)"
    faults.add(one, f"GPUDirect RDMA of {' and '.join(nodes)}", said, hint=_DIRECT)


def _table(host: Host, one: CollectiveExpected, faults: Faults, view: View) -> Table | None:
    """What was printed; without it, the node that took no part is the reason."""
    try:
        first = answer(host, one.run)
        later = seen(view).again.get(one.run.id)
        return answer(host, later) if later else first
    except WrongResult as wrong:
        to = damage(one.run, seen(view))
        faults.add(one, to.suspect, f"{wrong}{to.found}", hint=to.hint)
    except (MissingEvidence, Unreadable) as why:
        for node in one.run.nodes:
            if silent := view.silent(node):
                faults.unknown(one, f"device {node}", f"{node} took no part: {silent}")
                return None
        lost = [node for node in one.run.nodes if f"{node} was lost" in str(why)]
        if not lost:
            raise
        faults.unknown(one, f"device {lost[0]}", f"{why}")
    return None
