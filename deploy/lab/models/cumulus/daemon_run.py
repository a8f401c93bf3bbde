"""nvued of a Cumulus Linux switch as a machine, from its boot on; `nv` asks it over a socket.

Logins have a shell of Linux, and all else that they find there is Debian's, FRR's and lldpd's own.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

from ..daemon_run import ready, write_whole
from ..under_run import System, Under, did
from .nv import SOCKET
from .nvue import Nvue, answer, new, restart, told
from .routing import routing
from .tree import Tree, read
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
        said = b"".join(iter(lambda: channel.recv(65536), b""))
        self.held["startup"] = self.startup()
        status, text = answer(self.held, json.loads(said), self.does)
        self.keeps()
        channel.sendall(json.dumps([status, text]).encode())

    def attend(self) -> None:
        """Answer until the machine ends; a timer ends whoever is logged in."""
        SOCKET.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(SOCKET))
            SOCKET.chmod(0o666)  # whoever has a login
            listener.listen()
            ready()
            while True:
                listener.settimeout(self.wait_s())
                try:
                    channel, _ = listener.accept()
                except TimeoutError:
                    Nvue(self.held, self.does)
                    self.keeps()
                    continue
                with channel:
                    channel.settimeout(None)
                    try:
                        self.tells(channel)
                    except (OSError, ValueError) as error:
                        sys.stderr.write(f"an nv that ended: {error}\n")


if __name__ == "__main__":
    os.umask(0o022)
    Nvued().attend()
