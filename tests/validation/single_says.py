"""What a node of eight H100 says of itself to stage 45, in the words of each tool.

Forms: gpu_burn (github.com/wilicc/gpu-burn, issues 12 and 96), `nvidia-smi nvlink -s` and
`--query-gpu` (public captures), DCGM 4's schema, perftest 4.5 and fio 3.33 as recorded.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from inventory import open_site
from inventory.plan import Acceptance, Node, Plan
from validation.evidence.store import EvidenceStore
from validation.probes.disk_io import Files
from validation.stages.s45_single_node import nics, work

EVIDENCE = Path(__file__).parents[1] / "evidence"
MODEL = "NVIDIA H100 80GB HBM3"
REDUCE = "/opt/nccl-tests/all_reduce_perf"
ASKED = Acceptance("/scratch", None, 3, "/opt/gpu-burn/gpu_burn", REDUCE)
STREAM = (EVIDENCE / "stream/one_socket.txt").read_text()
NODES = 5  # as many as make a fleet
Says = dict[str, str]


@cache
def plan() -> Plan:
    """The pod of 256 GPUs, its GPU nodes asked for everything and seen in the as-built list."""
    site = open_site("pod-256")
    return replace(site, nodes=tuple(_seen(one) for one in site.nodes))


def _seen(node: Node) -> Node:
    if not node.gpus:
        return node
    mac = f"02:00:00:00:01:{node.position:02x}"
    management = replace(node.management, mac=mac)
    few = replace(node, rails=node.rails[:2], nics=node.nics[:1])  # quick, and two of a kind
    return replace(few, acceptance=ASKED, management=management)


def configured() -> frozenset[str]:
    """A few nodes of it."""
    return frozenset([one.name for one in plan().nodes if one.gpus][:NODES])


def uuid(node: Node, at: int) -> str:
    return f"GPU-{node.position:04x}{at:04x}-1111-2222-3333-444455556666"


def serial(node: Node, at: int) -> str:
    return f"1653{node.position:05d}{at:04d}"


def who(node: Node) -> str:
    rows = [
        f"{one.index}, 0000{one.pci}, {uuid(node, one.index)}, {serial(node, one.index)}, {MODEL}"
        for one in node.gpus
    ]
    return "\n".join([*rows, f"end {len(rows)}"]) + "\n"


def nvlink(node: Node, slow: tuple[int, int] | None = None) -> str:
    lines: list[str] = []
    for one in node.gpus:
        lines.append(f"GPU {one.index}: {MODEL} (UUID: {uuid(node, one.index)})")
        for link in range(18):
            rate = "13.281" if (one.index, link) == slow else "26.562"
            lines.append(f"\t Link {link}: {rate} GB/s")
    return "\n".join([*lines, f"end {len(lines)}"]) + "\n"


def burn(
    node: Node, slow: int | None = None, faulty: int | None = None, hot: int | None = 60
) -> str:
    """`hot` None: nvidia-smi did not answer, and gpu_burn prints `--` for each heat."""
    count = len(node.gpus)
    names = [f"GPU {at}: {MODEL} (UUID: {uuid(node, at)})" for at in range(count)]
    rates = [400000 + 900 * at - (60000 if at == slow else 0) for at in range(count)]
    text = (
        "Using compare file: compare.fatbin\nBurning for 120 seconds.\n" + "\n".join(names) + "\n"
    )
    for share in ("25.0", "60.8", "100.0"):
        done = " - ".join(f"562 ({rate} Gflop/s)" for rate in rates)
        bad = "- ".join("17  (WARNING!)" if at == faulty else "0 " for at in range(count))
        heat = " - ".join("--" if hot is None else f"{hot + at} C" for at in range(count))
        text += f"{share}%  proc'd: {done}   errors: {bad}  temps: {heat} \n"
    text += f"Killing processes with SIGTERM (soft kill)\ndone\n\nTested {count} GPUs:\n"
    return text + "".join(
        f"\tGPU {at}: {'FAULTY' if at == faulty else 'OK'}\n" for at in range(count)
    )


def dcgm(node: Node, bad: tuple[str, int, str] | None = None) -> str:
    """`bad`: a test, a GPU, and the status it gets."""
    document: dict[str, Any] = json.loads((EVIDENCE / "dcgm/v4_level3.json").read_text())
    gpus = document["entity_groups"][0]["entities"]
    for one in gpus:
        one["serial_num"] = serial(node, one["entity_id"])
    tests = document["DCGM Diagnostic"]["test_categories"]
    for test in (test for category in tests for test in category["tests"]):
        if bad and test["name"] == bad[0]:
            test["results"][bad[1]]["status"] = test["test_summary"]["status"] = bad[2]
    return json.dumps(document)


def fio(asked: Files, read_bps: float = 6.8e9, write_bps: float = 4.1e9, ended_s: float = 0) -> str:
    """The recorded run, with other options and rates; and what its files lie on."""
    document: dict[str, Any] = json.loads((EVIDENCE / "fio/write_read_v3_33.json").read_text())
    options = {"bs": asked.block, "iodepth": asked.depth, "size": f"{asked.mib}M"}
    options |= {"runtime": asked.seconds, "numjobs": asked.files}
    document["global options"] |= {key: str(value) for key, value in options.items()}
    document["timestamp_ms"] = int(ended_s * 1000) or document["timestamp_ms"]
    for job, rate in zip(document["jobs"], (write_bps, read_bps), strict=True):
        said = job[job["jobname"]]
        said |= {"runtime": asked.seconds * 1000, "io_bytes": int(rate * asked.seconds)}
        said |= {"bw_bytes": int(rate), "bw": int(rate / 1024)}
    return f"on /dev/md0 xfs 29000000000\n{json.dumps(document)}\n"


def memory(node: Node, gbytes_per_s: float = 240.0) -> str:
    """The copy loop on each NUMA node."""
    nodes = [
        {"numa": at, "cpus": 112, "bytes": int(gbytes_per_s * 2e9), "seconds": 2.0, "right": True}
        for at in node.numa or (0,)
    ]
    return json.dumps({"memory_copy": 1, "asked_s": 2.0, "nodes": nodes}) + "\n"


def nic(path: nics.NicPath, gbps: float) -> str:
    """What perftest's client prints; the row is made to agree with itself."""
    text = (EVIDENCE / "perftest/ib_write_bw_client.txt").read_text()
    lines = text.splitlines(keepends=True)
    row = next(at for at, line in enumerate(lines) if line.split()[:1] == ["65536"])
    rate = gbps * 1e9 / 8 / nics.MESSAGE_BYTES / 1e6
    lines[row] = (
        f" {nics.MESSAGE_BYTES}    29000          0.00               {gbps:.2f}  \t   {rate:.6f}\n"
    )
    out = "".join(lines).replace("rxe0", path.device)
    head = next(line for line in lines if "Number of qps" in line)
    count = head.split(":")[1].split()[0]
    return out.replace(head, head.replace(f": {count}", f": {nics.QPS}", 1))


_REDUCE_HEAD = """\
# nThread 1 nGpus {gpus} minBytes {size} maxBytes {size} step: 1048576(bytes) warmup iters: 5 \
iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
{ranks}
#
#                                                              out-of-place            in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   \
algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  \
(GB/s)  (GB/s)
  {size}    {count}     float     sum      -1    {side}    {side}
# Out of bounds values : {wrong} {word}
# Avg bus bandwidth    : {busbw:.3f}
#
"""


def all_reduce(node: Node, busbw: float = 478.0, wrong: int = 0) -> str:
    """nccl-tests 2.13 and later, one process for all GPUs, one size (its src/common.cu)."""
    size, gpus = 8 * 2**30, len(node.gpus)
    algbw = busbw / (2 * (gpus - 1) / gpus)
    ranks = [
        f"#  Rank {at:2d} Group  0 Pid  41234 on {node.name} device {at:2d} "
        f"[{node.gpus[at].pci or f'0000:{at:02x}:00.0'}] {MODEL}"
        for at in range(gpus)
    ]
    return _REDUCE_HEAD.format(
        gpus=gpus,
        size=size,
        count=size // 4,
        ranks="\n".join(ranks),
        side=f"{size / algbw / 1e3:.0f}  {algbw:.2f}  {busbw:.2f}      {wrong}",
        busbw=busbw,
        wrong=wrong,
        word="FAILED" if wrong else "OK",
    )


def parts(node: Node) -> Says:
    """What a healthy node answers to all of stage 45 that its profile asks."""
    asked, files = node.acceptance, work.scratch(node)
    said = {work.WHO: who(node), work.NVLINK: nvlink(node)} if node.gpus else {}
    said |= {work.memory_command(node, None): memory(node)}
    said |= {work.disk_command(files): fio(files)} if files else {}
    said |= {work.burn_command(asked.burn): burn(node)} if asked.burn else {}
    said |= {work.dcgm_command(asked.dcgm_level): dcgm(node)} if asked.dcgm_level else {}
    said |= {work.all_reduce_command(node): all_reduce(node)} if work.reducer(node) else {}
    for path in nics.paths(node):
        said[work.nic_command(path)] = nic(path, path.rate_gbps * (0.98 if path.near else 0.7))
    return said


def node_says(site: Plan, name: str) -> Says:
    """A healthy node's answers to all of stage 45."""
    return parts(site.node[name])


def frame_less(store: EvidenceStore, device: str, command: str) -> EvidenceStore:
    """The same store without one frame."""
    other = EvidenceStore()
    other.add(one for one in store if (one.device, one.command) != (device, command))
    return other
