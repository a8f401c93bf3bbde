"""Toy work under guard, for tests that cut it off: who is who, and what is left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
# Beside a child of its own: one in another session, whose parent ends at once, and one that
# ignores every signal that it can.
WORK = """
import os, signal, subprocess, sys, time
from pathlib import Path
from deploy.guard import guard_run
signal.signal(signal.SIGHUP, signal.{hang_up})
guard_run.ASK_LIMIT_S = float(sys.argv[2])
{before}
guard_run.enter(guard_run.CutOffNotice(lambda: "3 of 7 were done", keep_labs={keep}))
subprocess.Popen(["setsid", "--fork", "sleep", "1000"])
subprocess.Popen(["sh", "-c", "trap '' INT TERM HUP; while :; do sleep 1000; done"])
{more}
Path(sys.argv[1]).touch()
{then}
"""


@dataclass(frozen=True)
class Guarded:
    """A running toy. `mark` is in the environment of all its processes."""

    caller: subprocess.Popen[str]
    mark: str

    def pids(self, who: str) -> list[int]:
        """The caller, the heir or the guard."""
        if who == "caller":
            return [self.caller.pid]
        return [pid for pid in marked(self.mark) if comm(pid) == f"railbed-{who}"]

    def send(self, number: signal.Signals, *to: str) -> None:
        """A signal to several of them, at one moment."""
        pids = [pid for who in to for pid in self.pids(who)]
        assert len(pids) == len(to)
        for pid in pids:
            os.kill(pid, number)

    def end(self) -> tuple[int, str]:
        """Exit status and stderr, once nothing of it is left."""
        said = self.caller.communicate(timeout=LIMIT_S)[1]
        until(lambda: not marked(self.mark))
        return self.caller.returncode, said

    def close(self) -> None:
        """Hear no more of it; what is left of it may still hold its stderr."""
        assert self.caller.stderr is not None
        self.caller.stderr.close()


def start(
    folder: Path, more: str = "", *, before: str = "", patience_s: float = 5,
    then: str = "time.sleep(1000)", keep: bool = False,
    hang_up: Literal["SIG_DFL", "SIG_IGN"] = "SIG_DFL",
) -> Guarded:  # fmt: skip
    """Start the toy, and wait until it has started all that it starts.

    `hang_up` is what its caller does on SIGHUP: it would have it from who runs the tests.
    """
    mark = f"RAILBED_TOY={folder}"
    program = WORK.format(before=before, more=more, then=then, keep=keep, hang_up=hang_up)
    ready = folder / "ready"
    caller = subprocess.Popen(
        [sys.executable, "-c", program, str(ready), str(patience_s)],
        cwd=ROOT,
        env={**os.environ, "RAILBED_TOY": str(folder)},
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: ready.exists() or caller.poll() is not None)
    return Guarded(caller, mark)


def until(true: Callable[[], object]) -> None:
    """Wait for something to be so."""
    give_up = time.monotonic() + LIMIT_S
    while not true():
        assert time.monotonic() < give_up, "it never came to be"
        time.sleep(0.02)


def marked(mark: str) -> list[int]:
    """The living processes that were started with this in their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = mark.encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if is_ours:
            found.append(int(process.name))
    return found


def comm(pid: int) -> str:
    """A process's own name."""
    try:
        return (Path("/proc") / str(pid) / "comm").read_text().strip()
    except OSError:
        return ""
