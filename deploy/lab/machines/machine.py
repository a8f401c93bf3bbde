"""What the lab asks of a sort of machine, and what holds for all sorts alike.

A machine is a process tree in its own control group, network and PID namespace; when its
boot has ended, the file /run/booted lies in its root.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from deploy.errors import RailbedError
from deploy.lab.command import last_words
from deploy.lab.paths import LabPaths
from deploy.lab.spec import LabSpec

from . import cgroups

_ENVIRONMENT = {
    "HOME": "/root",
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
}


class Kind(Protocol):
    """A sort of machine."""

    name: str
    boots_systemd: bool
    """Whether its PID 1 is systemd, with sshd and units; else it has a shell only."""

    def command(self, spec: LabSpec, machine: str) -> list[str]:
        """The argv that is the machine: it ends when the machine does.

        Exit status 133 is a reboot, 0 a power-off (systemd-nspawn(1), EXIT STATUS).
        """


def leader(lab: str, machine: str) -> int | None:
    """The machine's PID 1, as this host numbers it; None if it is off."""
    for pid in cgroups.members(lab, machine):
        numbers = _pids_in_namespaces(pid)
        if len(numbers) == 2 and numbers[1] == "1":
            return pid
    return None


def booted(pid: int | None) -> bool:
    """Whether the boot of the machine with this leader has ended."""
    return pid is not None and Path(f"/proc/{pid}/root/run/booted").exists()


def wait_booted(lab: str, machines: Iterable[str], limit_s: float) -> None:
    """Wait for the boots to end; RailbedError names the machines that did not."""
    waiting = set(machines)
    give_up = time.monotonic() + limit_s
    while waiting := {one for one in waiting if not booted(leader(lab, one))}:
        if time.monotonic() > give_up:
            raise RailbedError(
                f"not booted after {limit_s:g} s: {' '.join(sorted(waiting))}",
                hint=f"the first one's console ends with: {_console(lab, min(waiting))}",
                exit_code=1,
            )
        time.sleep(0.1)


def entering(pid: int, argv: Sequence[str], environment: dict[str, str] | None = None) -> list[str]:
    """The argv that runs `argv` inside the machine with this leader, as its root."""
    clean = {**_ENVIRONMENT, **(environment or {})}
    into = ["nsenter", "--target", str(pid), "--mount", "--uts", "--ipc", "--net", "--pid"]
    return [*into, "--root", "--wd", "env", "-i", *(f"{k}={v}" for k, v in clean.items()), *argv]


def inside(
    lab: str, machine: str, argv: Sequence[str], text: bytes = b"", timeout_s: float = 30
) -> subprocess.CompletedProcess[bytes]:
    """Run `argv` in a machine, past its network; RailbedError if the machine is off."""
    pid = leader(lab, machine)
    if pid is None:
        raise RailbedError(
            f"{machine} of lab {lab} is off", f"`railbed lab restart {machine} --name {lab}`"
        )
    return subprocess.run(
        entering(pid, argv), input=text, capture_output=True, timeout=timeout_s, check=False
    )


def _console(lab: str, machine: str) -> str:
    try:
        text = (LabPaths(lab).runtime / "console" / machine).read_text(errors="replace")
    except FileNotFoundError:
        return "it never started"
    return last_words(text)


def _pids_in_namespaces(pid: int) -> list[str]:
    """A process's number in each PID namespace from here down (proc(5), NSpid)."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return status.partition("\nNSpid:")[2].partition("\n")[0].split()
