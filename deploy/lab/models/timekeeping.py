"""The time: what chronyd is told of servers, and what it knows of them, in every system's words.

It runs with `-x`, as the clock is the host's: it asks, selects and measures as ever, and sets
nothing (chronyd(8)).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .under import Run
from .wanted import Wanted

_TRACKING, _SOURCE = 14, 10  # fields of a row (chronyc(1), -c)


@dataclass(frozen=True, slots=True)
class Server:
    """A time server; `ahead_s` is the clock against it, `reach` eight questions, a bit each."""

    address: str
    is_followed: bool
    stratum: int
    poll_s: int
    reach: int
    ahead_s: float


def conf(asked: Wanted) -> str:
    """What chronyd reads; nothing where nobody is to be asked.

    In a table beside the default one it asks from the address of a port there.
    """
    lines = []
    for vrf, servers in sorted(asked.time.items()):
        if not servers:
            continue
        ports = [one for one in asked.ports.values() if vrf and one.vrf == vrf and one.address]
        lines += [f"bindacqaddress {one.address.partition('/')[0]}" for one in ports]
        lines += [f"server {one} iburst" for one in servers]
    return "".join(f"{one}\n" for one in [*lines, "cmdport 0"]) if lines else ""


def servers(run: Run) -> Iterator[Server]:
    """Every server that chronyd asks; none where it does not run."""
    clock = [row for row in run("chronyc", "-n", "-c", "tracking") if len(row) == _TRACKING]
    for row in run("chronyc", "-n", "-c", "sources"):
        if len(row) == _SOURCE and clock:
            _, state, address, stratum, poll, reach, _, near, *_ = row
            is_followed = state == "*"
            off = -float(clock[0][4]) if is_followed else float(near)
            yield Server(address, is_followed, int(stratum), 1 << int(poll), int(reach, 8), off)
