"""Runs under MPI on nodes without GPUs: one collective, its sizes, its times, its results checked.

    mpi_collective.py COLLECTIVE ITERATIONS PORT,PORT SIZE...

Needs python3 and mpi4py. Rank 0 prints one line for the run, one for each rank, one for each
size, and an end. An iteration is as long as its slowest rank; every rank checks its result. What
PORTs sent meanwhile is counted on each host, so that a run over another network shows.
"""

from __future__ import annotations

import os
import socket
import sys
from array import array
from pathlib import Path

from mpi4py import MPI  # type: ignore[import-not-found, unused-ignore]

PERIOD = 251
ELEMENT_BYTES = 4
WARM_UP = 2


def fill(slope: int, start: int, count: int) -> array[int]:
    """Elements that tell one place of a buffer from its neighbours."""
    piece = array("i", (start + slope * at for at in range(PERIOD)))
    return (piece * (count // PERIOD + 1))[:count]


def joined(parts: list[array[int]]) -> array[int]:
    """The parts one after the other."""
    whole = array("i")
    for part in parts:
        whole.extend(part)
    return whole


def buffers(name: str, me: int, ranks: int, elements: int) -> tuple[array[int], array[int]]:
    """What this rank sends, and what it must find in the end."""
    part = elements // ranks
    total = sum(range(ranks))
    if name == "all_reduce":
        return fill(1, me, elements), fill(ranks, total, elements)
    if name == "all_gather":
        return fill(1, me, part), joined([fill(1, one, part) for one in range(ranks)])
    if name == "reduce_scatter":
        sent = joined([fill(1, 7 * me + one, part) for one in range(ranks)])
        return sent, fill(ranks, 7 * total + ranks * me, part)
    if name == "alltoall":
        sent = joined([fill(1, 1000 * me + one, part) for one in range(ranks)])
        return sent, joined([fill(1, 1000 * one + me, part) for one in range(ranks)])
    raise SystemExit(f"no collective {name!r}")


def once(comm: MPI.Comm, name: str, sent: array[int], found: array[int]) -> float:
    """One iteration; how long it took here, in seconds."""
    comm.Barrier()
    began = MPI.Wtime()
    if name == "all_reduce":
        comm.Allreduce(sent, found, op=MPI.SUM)
    elif name == "all_gather":
        comm.Allgather(sent, found)
    elif name == "reduce_scatter":
        comm.Reduce_scatter(sent, found, [len(found)] * comm.Get_size(), op=MPI.SUM)
    else:
        comm.Alltoall(sent, found)
    return float(MPI.Wtime() - began)


def wrong(found: array[int], expected: array[int]) -> int:
    """How many elements are not what they must be."""
    if found == expected:
        return 0
    return sum(one != other for one, other in zip(found, expected, strict=True))


def sent_bytes(ports: list[str]) -> int:
    """What the ports of this host have sent since they exist."""
    return sum(
        int(Path(f"/sys/class/net/{port}/statistics/tx_bytes").read_text()) for port in ports
    )


def nearest_rank(times: list[float], percent: int) -> float:
    """The percentile by nearest rank: the slowest of fewer than 100."""
    return sorted(times)[min(len(times), -(-len(times) * percent // 100)) - 1]


def measure(comm: MPI.Comm, name: str, size: int, iterations: int, ports: list[str]) -> str:
    """The line of one size."""
    me, ranks = comm.Get_rank(), comm.Get_size()
    first = comm.Split_type(MPI.COMM_TYPE_SHARED).Get_rank() == 0
    elements = size // ELEMENT_BYTES // ranks * ranks
    sent, expected = buffers(name, me, ranks, elements)
    found = array("i", bytes(len(expected) * ELEMENT_BYTES))
    for _ in range(WARM_UP):
        once(comm, name, sent, found)
    bad = wrong(found, expected)
    before = sent_bytes(ports) if first else 0
    mine = array("d", bytes(8 * iterations))
    for turn in range(iterations):
        if turn == iterations - 1:
            found = array("i", bytes(len(expected) * ELEMENT_BYTES))
        mine[turn] = once(comm, name, sent, found)
    comm.Barrier()
    carried = comm.reduce(sent_bytes(ports) - before if first else 0)
    bad = comm.reduce(bad + wrong(found, expected))
    slowest = array("d", bytes(8 * iterations))
    comm.Reduce(mine, slowest, op=MPI.MAX)
    if me:
        return ""
    return _line(name, elements * ELEMENT_BYTES, ranks, list(slowest), (size, bad, carried))


def _line(name: str, size: int, ranks: int, times: list[float], more: tuple[int, int, int]) -> str:
    average = sum(times) / len(times)
    factor = (2 if name == "all_reduce" else 1) * (ranks - 1) / ranks
    rate = size / average / 1e9
    asked, bad, carried = more
    spread = (min(times), average, nearest_rank(times, 99), max(times))
    shown = " ".join(f"{1e6 * one:.3f}" for one in spread)
    return (
        f"row asked {asked} size {size} us {shown} algbw {rate:.6f} busbw {rate * factor:.6f} "
        f"wrong {bad} sent {carried}"
    )


def main(words: list[str]) -> None:
    """Run what was asked; rank 0 prints."""
    name, iterations, ports, *sizes = words
    comm = MPI.COMM_WORLD
    told = comm.gather((socket.gethostname(), os.getpid()))
    library = MPI.Get_library_version().split(",")[0].strip()
    head = f"railbed-collective 1 {name} ranks {comm.Get_size()} iterations {iterations}"
    lines = [f"{head} sizes {len(sizes)} type int32 library {library}"]
    lines += [f"rank {n} host {host} pid {pid}" for n, (host, pid) in enumerate(told or ())]
    for size in sizes:
        lines.append(measure(comm, name, int(size), int(iterations), ports.split(",")))
    if comm.Get_rank() == 0:
        lines.append(f"end {len(sizes)}")
        sys.stdout.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    main(sys.argv[1:])
