"""What the plan gives each size of a run: a busbw for the large one, a longest time for others.

A call takes some time for each step of its algorithm, and its bytes over the line (R. Thakur et
al., Optimization of Collective Communication Operations in MPICH, 2005; NCCL chooses algorithms by
the same: github.com/NVIDIA/nccl, src/graph/tuning.cc). The steps decide about a small message, the
line about a large one, so a share of the line says nothing of a small one. Pure.
"""

from __future__ import annotations

from validation.parse.loads.collective_rows import factor

from .runs import Run

_GBS = 1e3  # bytes in a us


def planned_gbs(run: Run) -> float | None:
    """The busbw that the plan gives the large size; None where nobody published one."""
    if len(run.nodes) == 1:
        return dict(run.terms.one_node.figures).get(run.profile)
    return run.rank_gbs if run.terms.of(run.collective).line == "rank" else run.node_gbs


def least_share(run: Run) -> float:
    """The least part of it that passes."""
    if len(run.nodes) > 1:
        return run.terms.of(run.collective).least
    alone = run.terms.one_node
    return alone.least if run.collective == "all_reduce" else alone.others


def most_us(run: Run, size: str) -> float | None:
    """The longest that a call of this size may take on average; None without a planned busbw."""
    planned, ranks = planned_gbs(run), run.launch.ranks
    if planned is None:
        return None
    times = factor(run.collective, ranks)
    moved = run.terms.bytes_of(size) * times / (least_share(run) * planned * _GBS)
    # The factor is the steps of the ring, or of pairs in turn, over the ranks.
    return run.terms.call_us + run.terms.step_us * times * ranks + moved
