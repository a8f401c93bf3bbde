"""gdsio's one line (docs.nvidia.com/gpudirect-storage, gdsio): what went straight to a GPU.

`XferType` says over which way: `GPUD` is storage to GPU; others went through the CPU's memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole, count

_LINE = re.compile(
    r"^IoType: (READ|WRITE|RANDREAD|RANDWRITE) XferType: (\w+) Threads: (\d+) "
    r"DataSetSize: (\d+)/(\d+)\(KiB\) IOSize: (\S+)\(KiB\) "
    r"Throughput: (\d+\.\d+) GiB/sec, Avg_Latency: (\d+\.\d+) usecs "
    r"ops: (\d+) total_time (\d+\.\d+) secs\s*$"
)
_THREADS = Whole("threads", "1", 1, 1 << 16)
_MOVED_KIB = count("data moved", "KiB")
_RATE_GIB = Real("throughput", "GiB/s", 0, 1e5)
_SECONDS = Real("total time", "s", 0, 1e8)
_KIB_IN_GIB = 2**20
_SAME = 0.05


@dataclass(frozen=True, slots=True)
class Direct:
    """One run: its way, its rate in bytes/s, and its seconds."""

    io: str
    way: str
    threads: int
    bytes_per_s: float
    seconds: float


def run(text: str) -> Direct:
    """Read the one result. Raises Unreadable for none, two, or one that contradicts itself."""
    found = [match for line in text.splitlines() if (match := _LINE.match(line.strip()))]
    if len(found) != 1:
        said = " ".join(text.split())[:160] or "nothing"
        raise Unreadable(f"gdsio printed {len(found)} results: {said}")
    one = found[0]
    moved_gib = _MOVED_KIB.read(one[4]) / _KIB_IN_GIB
    rate, seconds = _RATE_GIB.read(one[7]), _SECONDS.read(one[10])
    if seconds <= 0 or abs(moved_gib / seconds - rate) > _SAME * max(rate, moved_gib / seconds):
        raise Unreadable("gdsio's rate is not its data over its time")
    return Direct(one[1], one[2], _THREADS.read(one[3]), rate * 2**30, seconds)
