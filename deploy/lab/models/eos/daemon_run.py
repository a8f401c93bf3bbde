"""The switch itself: it boots from its flash, and answers terminals at a socket.

Its state is one for all who are logged in, and its commit timer runs whoever is. A restart of the
machine loses what is in memory, and loads the startup file.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from .box import Box
from .terminal import Terminal
from .under_run import Under, mac, restart

FLASH = Path("/mnt/flash")
SOCKET = Path("/run/modelled/terminal")
_STARTUP = "startup-config"


class Switch(Box):
    """A box with a disk, and Linux under it."""

    def __init__(self) -> None:
        super().__init__((FLASH / _STARTUP).read_text(), mac())
        self.under = Under()
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

    def saves(self, path: str, text: str) -> None:
        """And a restart finds it, whole."""
        super().saves(path, text)
        half = FLASH / f".{path}.half"
        half.write_text(text)
        half.replace(FLASH / path)

    def told(self, line: str) -> str | None:
        """What Linux, FRR and lldpd do."""
        return self.under.told(line, time.time())


def main() -> None:
    """Boot, say so, and answer until the machine ends."""
    switch = Switch()
    SOCKET.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(SOCKET))
        SOCKET.chmod(0o666)  # whoever has a login
        listener.listen()
        _ready()
        while True:
            channel, _ = listener.accept()
            threading.Thread(target=_attend, args=(switch, channel), daemon=True).start()


def _attend(switch: Switch, channel: socket.socket) -> None:
    """Who is logged in sees the end, whatever ends it."""
    try:
        Terminal(switch, channel).run()
    finally:
        channel.close()


def _ready() -> None:
    """Tell systemd (sd_notify(3))."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.connect(os.environ["NOTIFY_SOCKET"])
        told.sendall(b"READY=1")


if __name__ == "__main__":
    main()
