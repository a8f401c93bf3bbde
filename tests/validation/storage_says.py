"""What nodes say of a mount to stage 75: fio 3.33 as recorded, other rates; gdsio's line."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from inventory.plan import Mount, Plan
from validation.probes.disk_io import Files
from validation.stages.s75_storage.groups import Group, groups

from . import single_says

MOUNT = Mount("/mnt/data", ("gpu",), 600.0, 400.0, gds=True)
NODES = 5
_GOOD = 0.95 * 1e9 / 8
Rates = dict[str, tuple[float, float]]


@cache
def plan() -> Plan:
    """The pod, with one mount; each of its nodes has 200 Gb/s of it here."""
    return replace(single_says.plan(), mounts=(MOUNT,))


def configured() -> frozenset[str]:
    return frozenset([one.name for one in plan().nodes if one.gpus][:NODES])


def steps() -> tuple[Group, ...]:
    return groups(plan(), configured())


def fio(group: Group, node: str, slow: Rates | None = None, ended_s: float = 1795318512.0) -> str:
    """A node of a group: nearly its part in both directions, or shares of it (read, write)."""
    read, write = (slow or {}).get(node, (1.0, 1.0))
    got = group.part_gbps(node, "read") * read, group.part_gbps(node, "write") * write
    return said(group.files, got[0] * _GOOD, got[1] * _GOOD, ended_s)


def said(files: Files, read: float, write: float, ended_s: float) -> str:
    text = single_says.fio(files, read, write, ended_s)
    return text.replace("on /dev/md0 xfs", "on 10.32.0.1:/data nfs4", 1)


def gdsio(gbps: float, way: str = "GPUD", seconds: float = 20.0) -> str:
    gib = gbps * 1e9 / 8 / 2**30
    return (
        f"IoType: READ XferType: {way} Threads: 8 DataSetSize: {int(gib * 2**20 * seconds)}/8388608"
        f"(KiB) IOSize: 1024(KiB) Throughput: {gib:.6f} GiB/sec, Avg_Latency: 1138.933194 usecs "
        f"ops: 139708 total_time {seconds:.6f} secs\n"
    )
