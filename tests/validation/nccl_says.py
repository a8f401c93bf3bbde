"""What nccl-tests 2.19 prints of a launch on healthy nodes, in the form of the committed capture.

Form: `evidence/nccl_tests/all_reduce_2_nodes_per_iteration.txt`.
"""

from __future__ import annotations

from inventory.plan import Plan
from validation.stages.s70_collectives.planned import planned_gbs
from validation.stages.s70_collectives.runs import Run

_KINDS = {"all_reduce": "sum", "reduce_scatter": "sum", "all_gather": "none", "alltoall": "none"}


def said(plan: Plan, run: Run, share: float = 0.94) -> str:
    """The large size at this share of its line; where none is planned, at 300 GB/s."""
    gpus = run.launch.ranks_per_node
    ranks = [
        f"#  Rank {at * gpus + gpu:2d} Group  0 Pid  {48000 + 100 * at + gpu} on {node} device "
        f"{gpu:2d} [0000:1b:00] NVIDIA H100 80GB HBM3"
        for at, node in enumerate(run.nodes)
        for gpu in range(gpus)
    ]
    sizes = [run.terms.bytes_of(one) for one in run.sizes]
    factor = sizes[1] // sizes[0] if sizes[1:] else 2
    asked = (
        f"# nThread 1 nGpus 1 minBytes {sizes[0]} maxBytes {sizes[-1]} step: {factor}(factor) "
        f"warmup iters: 1 iters: {run.terms.iterations} agg iters: 1 validation: 1 graph: 0"
    )
    head = [
        "# nccl-tests version 2.19.6 nccl-headers=22907 nccl-library=22907",
        f"# Collective test starting: {run.collective}_perf",
        asked,
        "# Per-Iteration Report: CUDA event timing; i_* uses max over process rows ",
        "#",
        "# Using devices",
    ]
    network = [line for node in run.nodes for line in _network(plan, node)] if run.nodes[1:] else []
    count = len(run.nodes) * gpus
    rows = [_row(run, size, count, share) for size in sizes]
    end = ["# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 192.527 ", "#"]
    end += [f"# Collective test concluded: {run.collective}_perf", "", "#", ""]
    return "\n".join([*head, *ranks, *network, *_COLUMNS, *rows, *end])


_SIDE = "     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%"
_UNITS = "     (us)  (GB/s)  (GB/s)             (us)     (us)     (us)      (%)"
_COLUMNS = (
    "#",
    f"#       size         count      type   redop    root{_SIDE}{_SIDE} ",
    f"#        (B)    (elements)                          {_UNITS}{_UNITS} ",
)


def _network(plan: Plan, node: str) -> list[str]:
    devices = [str(one.rdma_device) for one in plan.node[node].rails]
    start = f"{node}:48000:48101 [0] NCCL INFO"
    using = " ".join(f"[{at}]{one}:1/RoCE" for at, one in enumerate(devices))
    direct = [
        f"{start} NET/IB : GPU Direct RDMA Enabled for HCA {at} '{one}'"
        for at, one in enumerate(devices)
    ]
    return [f"{start} NET/IB : Using {using} [RO]; OOB eno3", f"{start} Using network IB", *direct]


def _row(run: Run, size: int, ranks: int, share: float) -> str:
    """Both sides alike. busbw is algbw times the collective's factor (doc/PERFORMANCE.md)."""
    factor = (ranks - 1) / ranks * (2 if run.collective == "all_reduce" else 1)
    busbw = (planned_gbs(run) or 300.0) * share
    us = max(size * factor / busbw / 1e3, 80.0)
    algbw = size / us / 1e3
    kind = _KINDS[run.collective]
    word = "float"
    side = (
        f"{us:.2f} {algbw:.2f} {algbw * factor:.2f} 0 {us * 0.98:.2f} {us * 1.05:.2f} "
        f"{us * 1.03:.2f} 1.87"
    )
    return f"  {size}  {size // 4}  {word}  {kind}  -1  {side}  {side}"
