"""What every model of a switch holds: what runs, what a restart loads, a timer, faults on demand.

Who holds a box says by what it is reached and by whom, and what happens when something runs or is
written: a test holds it in memory, a machine of the lab makes Linux do it and has a disk.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol


class Channel(Protocol):
    """What carries bytes both ways: a socket, or a channel of SSH."""

    def recv(self, size: int, /) -> bytes:
        """What came; nothing when nobody sends any more."""

    def sendall(self, data: bytes, /) -> object:
        """Send it."""

    def close(self) -> object:
        """End it."""


@dataclass
class Faults:
    """What goes wrong; everything is off at first. A command is named by how it begins.

    `drop_on`: the transport is cut when it has done its work. `hang_on`: it never answers.
    `restart_on`: the switch restarts after it. `flash_full`: nothing more can be written.
    `echoes_twice`: it falls behind and repeats a line behind the prompt (netmiko, arista.py).
    `loses`: these characters of a text never arrive.
    """

    drop_on: str = ""
    hang_on: str = ""
    restart_on: str = ""
    flash_full: bool = False
    echoes_twice: bool = False
    loses: str = ""
    refuse_login: bool = False


@dataclass
class Store:
    """What runs, what is kept, and what a timer brings back."""

    startup: str
    running: str = ""
    before: str = ""


class Box:
    """A switch behind its command line."""

    nameless = "localhost"

    def __init__(self, startup: str, mac: str) -> None:
        self.mac = mac
        self.enable = ""
        self.privilege = 15
        self.second_s = 1.0  # how long a second of its timers is
        self.booted = time.time()
        # What else it shows, by line, asked anew each time.
        self.shows: Callable[[], Mapping[str, str]] = dict
        self.store, self.faults = Store(startup, startup), Faults()
        self.commands: list[str] = []
        self.lock = threading.RLock()
        self.over = threading.Event()
        self._timer: threading.Timer | None = None

    @property
    def hostname(self) -> str:
        """Its name, as its prompt has it."""
        found = re.search(r"(?m)^hostname (\S+)$", self.store.running)
        return found[1] if found else self.nameless

    @property
    def reachable(self) -> bool:
        """Whether those that are logged in stay so."""
        return True

    def drop(self) -> None:
        """Cut all who are logged in."""

    def restart(self) -> None:
        """Power off and on: what is in memory goes, and the startup file is loaded."""
        self._disarm()
        with self.lock:
            self.store.running = self.store.startup
            self.forgets()
            self.booted = time.time()
        self.drop()

    def forgets(self) -> None:
        """What else a restart takes."""

    def runs(self, text: str) -> None:
        """From now on this runs."""
        self.store.running = text

    def told(self, line: str) -> str | None:
        """What it shows beside its configuration; None for a line that it does not know."""
        return self.shows().get(line)

    def takes(self, command: str) -> bool:
        """Whether a login without a terminal may do this."""
        del command
        return False

    def attend(self, command: str, channel: Channel) -> None:
        """Do what it takes."""
        raise NotImplementedError(f"{command}: {channel}")

    def go_back(self) -> None:
        """What the timer does."""
        raise NotImplementedError

    def _arm(self, seconds: int) -> None:
        self._timer = threading.Timer(seconds * self.second_s, self.go_back)
        self._timer.start()

    def _disarm(self) -> None:
        if self._timer:
            self._timer.cancel()
