"""A switch that is a machine: it boots from its disk, and answers those who log in.

Its state is one for all who are logged in, and its timer runs whoever is. A restart of the machine
loses what is in memory, and loads the startup file.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar

from .box import Box
from .terminal import Terminal
from .under_run import System, Under, mac, restart

SOCKET = Path("/run/modelled/terminal")


class Machine(Box):
    """A box with Linux under it; a class of a system is this and the system's own box."""

    system: ClassVar[System]
    under: Under

    def begins(self) -> None:
        """Make Linux do what the startup file says."""
        self.mac = mac(self.system.management)
        self.under = Under(self.system)
        self.runs(self.store.startup)

    def runs(self, text: str) -> None:
        """And Linux does it."""
        super().runs(text)
        try:
            self.under.becomes(text)
        except (LookupError, OSError, ValueError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"Linux does not do it: {error}\n")  # systemd keeps it

    def restart(self) -> None:
        """The machine, and all that runs on it."""
        restart()

    def told(self, line: str) -> str | None:
        """What Linux, FRR and lldpd do."""
        return self.under.told(line, time.time())


def write_whole(path: Path, content: bytes) -> None:
    """A restart finds it whole, or as it was; nobody else reads it."""
    half = path.parent / f".{path.name}.half"
    half.touch(mode=0o600)
    half.write_bytes(content)
    half.replace(path)


def attend(switch: Machine, terminal: type[Terminal]) -> None:
    """Say that it has booted, and answer until the machine ends."""
    switch.begins()
    listen(SOCKET, partial(_login, switch, terminal))


def listen(path: Path, attends: Callable[[socket.socket], object]) -> None:
    """Say that it has booted; whoever comes, until the machine ends, has a thread of his own.

    So one who comes and says nothing keeps nobody waiting. `attends` closes what it is given.
    """
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o666)  # whoever has a login
        listener.listen()
        ready()
        while True:
            channel, _ = listener.accept()
            threading.Thread(target=attends, args=(channel,), daemon=True).start()


def _login(switch: Box, terminal: type[Terminal], channel: socket.socket) -> None:
    """Its first line is the command that it came with, if any; all see the end, whatever ends it.

    A login whose command is not taken is ended before anything was said.
    """
    try:
        asked = b""
        while not asked.endswith(b"\n"):
            if not (more := channel.recv(1)):
                return
            asked += more
        command = asked.decode(errors="replace").strip()
        if not command:
            terminal(switch, channel).run()
        elif switch.takes(command):
            switch.attend(command, channel)
    finally:
        channel.close()


def ready() -> None:
    """Tell systemd (sd_notify(3))."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.connect(os.environ["NOTIFY_SOCKET"])
        told.sendall(b"READY=1")
