"""Who holds a lock, and whether that process still lives.

A pid alone is reused and a file alone outlives its writer, so an owner is a pid, the
start time of that pid (proc(5), stat field 22) and the boot it belongs to.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """A process, named so that no other process can be taken for it."""

    host: str
    boot_id: str
    pid: int
    start_ticks: int
    command: str


def this_process() -> Owner:
    """The owner that this process is."""
    pid = os.getpid()
    command = " ".join(["railbed", *sys.argv[1:]])
    return Owner(os.uname().nodename, _boot_id(), pid, _start_ticks(pid) or 0, command)


def alive(owner: Owner) -> bool:
    """Whether the owner still runs; a process on another host counts as alive."""
    if owner.host != os.uname().nodename:
        return True
    return owner.boot_id == _boot_id() and owner.start_ticks == _start_ticks(owner.pid)


def _boot_id() -> str:
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()


def _start_ticks(pid: int) -> int | None:
    """Field 22 of proc(5) stat; the name in field 2 may hold spaces and parentheses."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[19])
