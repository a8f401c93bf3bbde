"""What came of one launch: the reader for its tool, and whether it ran as it was asked."""

from __future__ import annotations

import re
from functools import lru_cache

from inventory.reading.fields import Unreadable
from validation.parse.loads import mpi_collective, nccl_tests
from validation.parse.loads.collective_rows import Table
from validation.parse.loads.launched import failure, lines

from .runs import Run

# Open MPI 4.1: help-errmgr-base.txt, a daemon that it has lost; help-orterun.txt, a rank that died.
_LOST = re.compile(
    r"(?:Remote daemon:\s+\[\[[^\]]*\],\d+\]|process rank \d+ with PID \d+) on node (\S+)"
)


@lru_cache(maxsize=4096)
def read(one: Run, status: int, text: str, errors: str) -> Table:
    """The table that the launch printed. Raises Unreadable, or WrongResult for wrong data."""
    reader = nccl_tests.table if one.terms.tool == "nccl" else mpi_collective.table
    try:
        found = reader(text, one.collective)
    except Unreadable as wrong:
        lost = lost_nodes(one, f"{text}\n{errors}")
        if lost:
            raise Unreadable(f"{', '.join(lost)} was lost in the middle of the run") from wrong
        if status:
            said = failure(lines(f"{text}\n{errors}")) or " ".join(errors.split())[:160]
            why = f"the launch ended with status {status}: {said or wrong}"
            raise type(wrong)(why) from wrong
        raise
    if status:
        raise Unreadable(f"the launch ended with status {status}")
    _check(one, found)
    return found


def lost_nodes(one: Run, text: str) -> tuple[str, ...]:
    """The nodes whose daemon the launcher says it lost."""
    known = {str(at): node for at, node in zip(one.launch.meet_at, one.nodes, strict=True)}
    said = {known.get(name, name) for name in _LOST.findall(text)}
    return tuple(sorted(said & set(one.nodes)))


def _check(one: Run, found: Table) -> None:
    """The planned nodes took part, and the data went over the planned network."""
    if len(found.ranks) != one.launch.ranks or set(found.hosts) != set(one.nodes):
        raise Unreadable(f"{len(found.ranks)} ranks on {len(found.hosts)} nodes ran: others")
    by_host = [sum(rank.host == node for rank in found.ranks) for node in one.nodes]
    if set(by_host) != {one.launch.ranks_per_node}:
        raise Unreadable("its ranks are not spread over the nodes as asked")
    if found.iterations != one.terms.iterations:
        raise Unreadable(f"{found.iterations} iterations ran, {one.terms.iterations} were asked")
    asked = sorted(one.terms.bytes_of(name) for name in one.sizes)
    if sorted(row.asked_bytes for row in found.rows) != asked:
        raise Unreadable("its sizes are not those that were asked")
    if len(one.nodes) > 1:
        _check_network(one, found)


def _check_network(one: Run, found: Table) -> None:
    """The rails' RDMA devices of each node, whatever NCCL calls its network, or what was asked."""
    ran = ", ".join(sorted(found.networks)) or "a network that it does not name"
    devices = dict(one.launch.env).get("NCCL_IB_HCA", "").removeprefix("=")
    if not devices:
        wanted = "rails" if one.terms.tool == "mpi" else "Socket"
        if found.networks != {wanted}:
            raise Unreadable(f"it ran over {ran}, not over {wanted}")
        return
    planned = set(devices.split(","))
    for node in one.nodes:
        used = {hca for host, hca in found.hcas if host == node}
        if used != planned:
            over = ", ".join(sorted(used)) or "no HCA that it names"
            raise Unreadable(f"it ran over {ran}, {over} of {node}, not over {devices}")
