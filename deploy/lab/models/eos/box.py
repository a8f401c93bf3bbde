"""What an EOS switch holds: what runs, what a restart loads, sessions, and a commit timer.

It imports nothing of ours, and what it says has a source:

- "Configure Session" of the Arista EOS User Manual: a session is a copy of what runs; `rollback
  clean-config` empties it; `commit timer` brings back what ran unless a second `commit` comes;
  sessions that are not committed are lost at a restart; `abort` discards.
- cEOS 4.35.0F as others saw it: a timer's session is "committed".
- napalm, "EOS 4.32+ Pending Commit Syntax Change": `commitTimerSessionName` in the JSON while a
  timer runs (4.32 and later).
- Syslog of real switches (CONFIG_SESSION_ABORTED after CONFIG_REPLACE_SUCCESS): aborting a timed
  session restores first. Entering it again, or committing another, is refused while it waits.
- napalm's recorded running configurations, in which keys are stored as type 7.
- goeapi's `show version` (`bootupTimestamp`, `uptime`).
- Not read anywhere, and made up here: the words of a full flash and of an unknown session.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass
class Faults:
    """What goes wrong; everything is off at first. A command is named by how it begins.

    `drop_on`: the transport is cut when it has done its work. `hang_on`: it never answers.
    `restart_on`: the switch restarts after it. `no_pfc`: no hardware for priority flow control, as
    vEOS says. `flash_full`: nothing more can be written. `echoes_twice`: it falls behind and
    repeats a line behind the prompt (netmiko, arista.py). `loses`: these characters of a text never
    arrive.
    """

    drop_on: str = ""
    hang_on: str = ""
    restart_on: str = ""
    no_pfc: bool = False
    flash_full: bool = False
    echoes_twice: bool = False
    loses: str = ""
    refuse_login: bool = False


@dataclass
class Session:
    """A configuration session: its state in EOS's words, and the candidate."""

    state: str
    text: str


@dataclass
class Store:
    """What runs and what is kept; `timed` names the session whose timer runs."""

    startup: str
    running: str = ""
    flash: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    timed: str = ""
    before: str = ""
    saves_on_commit: bool = False


class Box:
    """A switch behind its command line. Who holds one says by what it is reached, and by whom."""

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
        return found[1] if found else "localhost"

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
            self.store.running, self.store.timed = self.store.startup, ""
            self.store.sessions.clear()
            self.booted = time.time()
        self.drop()

    def runs(self, text: str) -> None:
        """From now on this runs."""
        self.store.running = text

    def saves(self, path: str, text: str) -> None:
        """From now on this lies on its flash."""
        if path == "startup-config":
            self.store.startup = text
        else:
            self.store.flash[path] = text

    def told(self, line: str) -> str | None:
        """What it shows beside its configuration; None for a line that it does not know."""
        return self.shows().get(line)

    # -- sessions -----------------------------------------------------------------------------

    def commit(self, name: str, timer_s: int | None) -> str:
        """Make a session run, for good or for so long; the second commit of a timed one."""
        store = self.store
        if store.timed and (store.timed != name or timer_s is not None):
            return f"% Cannot commit: session {store.timed} is pending commit timer"
        if store.timed == name:
            self._disarm()
            store.timed = ""
            return ""
        one = store.sessions.get(name)
        if one is None or one.state != "pending":
            return f"% Session {name} cannot be committed"
        store.before = store.running
        self.runs(stored(one.text))
        one.state = "committed"
        if timer_s is not None:
            store.timed = name
            self._timer = threading.Timer(timer_s * self.second_s, self.go_back)
            self._timer.start()
        if not self.reachable:
            self.drop()
        return ""

    def go_back(self) -> None:
        """What the timer does, and an abort."""
        with self.lock:
            if self.store.timed:
                self.runs(self.store.before)
                self.store.sessions[self.store.timed].state = "aborted"
                self.store.timed = ""

    def abort(self, name: str) -> str:
        """Discard a session; what a timer would bring back is back at once."""
        if name not in self.store.sessions:
            return f"% Session {name} does not exist"
        if self.store.timed == name:
            self._disarm()
            self.go_back()
        self.store.sessions[name].state = "aborted"
        return ""

    def _disarm(self) -> None:
        if self._timer:
            self._timer.cancel()

    def listed(self) -> str:
        """Its sessions, as JSON."""
        store = self.store
        told: dict[str, object] = {
            "sessions": {
                name: {"state": one.state, "commitUser": "", "description": "", "instances": {}}
                for name, one in store.sessions.items()
            },
            "maxSavedSessions": 1,
            "maxOpenSessions": 5,
            "mergeOnCommit": False,
            "saveToStartupConfigOnCommit": store.saves_on_commit,
        }
        if store.timed:
            told |= {"commitTimerSessionName": store.timed, "commitTimerExpireTime": 1.5}
        return json.dumps(told, indent=4)

    def written(self, path: str, text: str) -> str:
        """What it says when something is written to its flash."""
        if self.faults.flash_full:
            return f"% Error copying to {path} (No space left on device)"
        self.saves(path, text)
        return "Copy completed successfully."

    def shown(self, more: str = "") -> str:
        """What runs, from its first line to its last."""
        head = f"! Command: show running-config{more}\n! device: {self.hostname} (EOS-4.36.0F)"
        lines = self.store.running.splitlines()
        body = [one for one in lines if not one.startswith("! device:") and one != "end"]
        return "\n".join([head, *body, "end"])

    def version(self) -> str:
        """Since when it runs, as JSON."""
        up = time.time() - self.booted
        told = {"modelName": "DCS-7060X6", "bootupTimestamp": self.booted, "uptime": up}
        return json.dumps(told, indent=4)


def stored(text: str) -> str:
    """As the switch keeps it: secrets in its own form, no remarks."""
    text = re.sub(r"\bkey 0 (\S+)", lambda one: f"key 7 {one[1][::-1].encode().hex()}", text)
    return re.sub(r"v3 auth sha \S+ priv aes \S+", "v3 localized f5 auth sha ab priv aes cd", text)
