"""Finds and ends all processes below this one, and no other."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_LIMIT_S = 20.0
# apt and dpkg are never cut off half-way: the shell that runs them says so (lab/host.py).
_SPARED = b"# railbed: until apt has ended"


def end_descendants() -> list[int]:
    """Kill all that descends from this process, which adopts orphans; what does not end."""
    give_up = time.monotonic() + _LIMIT_S
    while alive := descendants(os.getpid()):
        if time.monotonic() > give_up:
            return sorted(alive)
        for pid, started in alive.items():
            _kill(pid, started)
        reap(0)
        time.sleep(0.02)
    reap(0)
    return []


def reap(wanted: int) -> int | None:
    """Reap every child that has ended; the status of `wanted` if it was among them."""
    found = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            found = ended[1] if ended[0] == wanted else found
    return found


def descendants(top: int) -> dict[int, str]:
    """The living processes below `top`, each with its start time."""
    children: dict[int, list[int]] = {}
    started: dict[int, str] = {}
    for entry in _PROC.glob("[0-9]*"):
        if stat := _stat(int(entry.name)):
            children.setdefault(int(stat[1]), []).append(int(entry.name))
            if stat[0] != "Z":
                started[int(entry.name)] = stat[19]
    found: dict[int, str] = {}
    todo = [top]
    while todo:
        for pid in children.get(todo.pop(), []):
            if not _is_spared(pid):
                todo.append(pid)
                if pid in started:
                    found[pid] = started[pid]
    return found


def say(text: str) -> None:
    """One line on stderr; the terminal may be gone."""
    with suppress(OSError):
        sys.stderr.write(f"railbed: {text}\n")
        sys.stderr.flush()


def _kill(pid: int, started: str) -> None:
    """Kill the process that had this pid when it was seen, and not one that has it since."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        stat = _stat(pid)
        if stat and stat[19] == started:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(handle)


def _stat(pid: int) -> list[str] | None:
    """State, parent and so on (proc(5), stat, from field 3); None if it is gone."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None


def _is_spared(pid: int) -> bool:
    try:
        return _SPARED in (_PROC / str(pid) / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
