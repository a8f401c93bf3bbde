"""nvued of a Cumulus Linux switch as a machine, from its boot on; `nv` asks it over a socket.

Logins have a shell of Linux, and all else that they find there is Debian's, FRR's and lldpd's own.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from ..daemon_run import listen, write_whole
from ..trees import Tree
from ..under_run import System, Under, did
from ..under_run import said as linux_says
from .nv import SOCKET
from .nvue import Nvue, answer, new, restart, told
from .optics import phy
from .routing import routing
from .tree import read
from .wanted import MANAGEMENT, wanted

_STARTUP = Path("/etc/nvue.d/startup.yaml")
_KEPT = Path("/var/lib/nvue/revisions.json")
_LOADS = "nvue-startup.service"
_LONGEST_S = 3600.0
SYSTEM = System(
    management=MANAGEMENT,
    description="Cumulus Linux version 5.14.0 (a model of it)",
    wanted=wanted,
    routing=routing,
    ports="swp",
    logins_get="/bin/bash",
)


class Nvued:
    """What NVUE holds, on the disk, and Linux under it."""

    def __init__(self) -> None:
        self.under = Under(SYSTEM)
        self.changed = threading.Condition()  # holds what is held
        startup = self.startup()
        if _KEPT.exists():
            self.held: Tree = json.loads(_KEPT.read_text())
            self.held["startup"] = startup
            restart(self.held, loads=did("systemctl", "--quiet", "is-enabled", _LOADS))
        else:
            _KEPT.parent.mkdir(exist_ok=True, mode=0o700)
            did("systemctl", "--quiet", "enable", _LOADS)
            self.held = new(startup)
        self.keeps()
        self.does(Nvue(self.held).tree("applied"))

    def startup(self) -> Tree:
        """What the startup file says, by whomever."""
        found = read(_STARTUP.read_text()).get("set", {})
        return found if isinstance(found, dict) else {}

    def keeps(self) -> None:
        """A restart finds the revisions, and the startup file where somebody saved."""
        self.held["calls"].clear()
        write_whole(_KEPT, json.dumps(self.held).encode())
        if self.held["startup"] != self.startup():
            write_whole(_STARTUP, f"{told(self.held['startup'])}\n".encode())

    def does(self, tree: Tree) -> None:
        """Make it work."""
        try:
            self.under.becomes(told(tree))
        except (LookupError, OSError, ValueError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"Linux does not do it: {error}\n")  # systemd keeps it

    def wait_s(self) -> float:
        """How long until the timer of what waits to be confirmed ends."""
        until = float(self.held["until"])
        return min(max(0.01, until - time.time()), _LONGEST_S) if until else _LONGEST_S

    def tells(self, channel: socket.socket) -> None:
        """Answer one `nv`: its words end with its half of the connection."""
        with channel:
            try:
                said = json.loads(b"".join(iter(lambda: channel.recv(65536), b"")))
                with self.changed:
                    self.held["startup"] = self.startup()
                    told = phy(said, linux_says, time.monotonic())  # Linux: since it booted
                    told = told or answer(self.held, said, self.does)
                    self.keeps()
                    self.changed.notify()
                channel.sendall(json.dumps(told).encode())
            except (OSError, ValueError) as error:
                sys.stderr.write(f"an nv that ended: {error}\n")

    def times(self) -> None:
        """Take back what nobody confirmed in time, whoever is logged in, until the machine ends."""
        with self.changed:
            while True:
                if not self.changed.wait(self.wait_s()):
                    Nvue(self.held, self.does)
                    self.keeps()

    def attend(self) -> None:
        """Answer until the machine ends, which the timer's end is too: systemd begins it anew."""
        threading.Thread(target=listen, args=(SOCKET, self.tells), daemon=True).start()
        self.times()


if __name__ == "__main__":
    os.umask(0o022)
    Nvued().attend()
