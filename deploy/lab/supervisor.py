"""One process per lab that starts its machines and, after a reboot, starts them again.

`python -m deploy.lab NAME`. A machine that ends with exit status 133 rebooted;
one with a file in requests/ had its power cut and is to come back; any other stays off.
Whoever starts again does so in a namespace that is new, as a power cycle leaves it.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from deploy.errors import RailbedError

from . import wires
from .machines import cgroups
from .machines.kinds import kind_of
from .paths import CLONE, LabPaths
from .spec import LabSpec, load

GROUP = ".supervisor"
_REBOOTED = 133


@dataclass(frozen=True, slots=True)
class Run:
    """The latest start of a machine; `exit_status` is None while it runs."""

    starts: int
    since: float
    exit_status: int | None


class Supervisor:
    """The machines of one lab, and the latest start of each."""

    def __init__(self, spec: LabSpec) -> None:
        self._spec = spec
        self._paths = LabPaths(spec.name)
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._runs: dict[str, Run] = {}

    def start_all(self) -> None:
        """Start every machine of the lab."""
        for machine in self._spec.machines:
            self._start(machine.name)
        self._save()

    def attend(self) -> None:
        """Note who ended, and start again who rebooted or is asked for."""
        for machine, process in self._processes.items():
            if (status := process.poll()) is not None:
                self._ended(machine, status)
        self._save()

    def _ended(self, machine: str, status: int) -> None:
        request = requests(self._paths) / machine
        if status != _REBOOTED and not request.exists():
            run = self._runs[machine]
            self._runs[machine] = Run(run.starts, run.since, status)
            return
        request.unlink(missing_ok=True)
        try:
            cgroups.kill(self._spec.name, machine)
            wires.replug(self._spec, machine)
            self._start(machine)
        except RailbedError as error:
            sys.stderr.write(f"{machine} does not start again: {error}\n")
            sys.stderr.flush()

    def _start(self, machine: str) -> None:
        argv = cgroups.join_command(self._spec.name, machine)
        argv += kind_of(self._spec.kind).command(self._spec, machine)
        with (self._paths.runtime / "console" / machine).open("ab") as console:
            self._processes[machine] = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=console, stderr=console
            )
        starts = self._runs[machine].starts + 1 if machine in self._runs else 1
        self._runs[machine] = Run(starts, time.time(), None)

    def _save(self) -> None:
        half = _state(self._paths).with_suffix(".half")
        half.write_text(json.dumps({name: asdict(run) for name, run in self._runs.items()}))
        half.replace(_state(self._paths))


def launch(name: str) -> None:
    """Start the supervisor of a lab; it outlives its caller."""
    argv = [*cgroups.join_command(name, GROUP), sys.executable, "-m", str(__package__), name]
    with (LabPaths(name).runtime / "console" / GROUP).open("ab") as console:
        subprocess.run(
            ["setsid", "--fork", *argv],
            cwd=CLONE,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=console,
            check=True,
        )


def runs(name: str) -> dict[str, Run]:
    """The latest start of each machine; empty before the first."""
    try:
        raw = json.loads(_state(LabPaths(name)).read_text())
    except FileNotFoundError:
        return {}
    return {machine: Run(**run) for machine, run in raw.items()}


def requests(paths: LabPaths) -> Path:
    """The folder where a file named as a machine asks for its start."""
    return paths.runtime / "requests"


def nudge(name: str) -> bool:
    """Make the supervisor look at the requests; False if there is none."""
    try:
        pid = int(_pid_file(LabPaths(name)).read_text())
    except FileNotFoundError:
        return False
    if pid not in cgroups.members(name, GROUP):
        return False
    os.kill(pid, signal.SIGUSR1)
    return True


def _pid_file(paths: LabPaths) -> Path:
    return paths.runtime / "supervisor.pid"


def _state(paths: LabPaths) -> Path:
    return paths.runtime / "machines.json"


def main(name: str) -> None:
    """Attend the lab until killed; a signal wakes the loop through a socket."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    _pid_file(LabPaths(name)).write_text(str(os.getpid()))
    supervisor = Supervisor(load(LabPaths(name).spec))
    supervisor.start_all()
    while True:
        supervisor.attend()
        select.select([ours], [], [])
        ours.recv(4096)
