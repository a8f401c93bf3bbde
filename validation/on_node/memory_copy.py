"""Copies memory on each NUMA node for a while, with all its CPUs at once, and prints the rates.

For servers without STREAM: Python 3 alone, nothing is installed. Each CPU has a process of its own,
whose pages the kernel takes from its own NUMA node (first touch); the copying is libc's memmove.
Bytes count twice, read and written, as STREAM's Copy does. One JSON object on standard output.

    python3 memory_copy.py SECONDS
"""

from __future__ import annotations

import ctypes
import json
import mmap
import multiprocessing
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier

Answer = tuple[int, float, bool]
BYTES = 64 * 2**20  # of one copy: more than a core's share of any cache
NODES = Path("/sys/devices/system/node")


def cpus_of(text: str) -> set[int]:
    """`0-3,8` as numbers."""
    out: set[int] = set()
    for part in text.strip().split(","):
        if part:
            first, _, last = part.partition("-")
            out |= set(range(int(first), int(last or first) + 1))
    return out


def nodes() -> dict[int, list[int]]:
    """The NUMA nodes with CPUs that this process may use; one, numbered 0, where none is told."""
    mine = os.sched_getaffinity(0)
    found: dict[int, list[int]] = {}
    for path in sorted(NODES.glob("node[0-9]*")):
        cpus = cpus_of((path / "cpulist").read_text()) & mine
        if cpus:
            found[int(path.name[4:])] = sorted(cpus)
    return found or {0: sorted(mine)}


def copy(cpu: int, seconds: float, start: Barrier, answers: Queue[Answer]) -> None:
    """One CPU's part: how much it copied, in how long, and whether the copy is right."""
    os.sched_setaffinity(0, {cpu})
    size = BYTES // 2
    one, two = mmap.mmap(-1, size), mmap.mmap(-1, size)
    pattern = os.urandom(4096)
    for at in range(0, size, len(pattern)):
        one[at : at + len(pattern)] = pattern
        two[at : at + 1] = b"\0"
    source, target = (ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in (one, two))
    start.wait()
    began, done = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        ctypes.memmove(target, source, size)
        done += 2 * size
    took = time.monotonic() - began
    answers.put((done, took, two[-4096:] == pattern and two[:4096] == pattern))


def measure(cpus: list[int], seconds: float) -> dict[str, object]:
    """All CPUs of a node at once."""
    start = multiprocessing.Barrier(len(cpus))
    answers: Queue[Answer] = multiprocessing.Queue()
    parts = [
        multiprocessing.Process(target=copy, args=(cpu, seconds, start, answers)) for cpu in cpus
    ]
    for process in parts:
        process.start()
    found = [answers.get(timeout=seconds + 60) for _ in parts]
    for one in parts:
        one.join()
    return {
        "cpus": len(cpus),
        "bytes": sum(done for done, _, _ in found),
        "seconds": max(took for _, took, _ in found),
        "right": all(right for _, _, right in found),
    }


def main() -> None:
    """Every node after the other."""
    seconds = float(sys.argv[1])
    each = [{"numa": number, **measure(cpus, seconds)} for number, cpus in nodes().items()]
    sys.stdout.write(json.dumps({"memory_copy": 1, "asked_s": seconds, "nodes": each}) + "\n")


if __name__ == "__main__":
    main()
