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
import time
from dataclasses import dataclass, field

from ..box import Box, Faults, Store


@dataclass
class EosFaults(Faults):
    """And `no_pfc`: no hardware for priority flow control, as vEOS says."""

    no_pfc: bool = False


@dataclass
class Session:
    """A configuration session: its state in EOS's words, and the candidate."""

    state: str
    text: str


@dataclass
class EosStore(Store):
    """And sessions; `timed` names the one whose timer runs."""

    flash: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    timed: str = ""
    saves_on_commit: bool = False


class EosBox(Box):
    """A switch behind its command line."""

    store: EosStore
    faults: EosFaults

    def __init__(self, startup: str, mac: str) -> None:
        super().__init__(startup, mac)
        self.store, self.faults = EosStore(startup, startup), EosFaults()

    def forgets(self) -> None:
        """Sessions, and the timer of one."""
        self.store.timed = ""
        self.store.sessions.clear()

    def saves(self, path: str, text: str) -> None:
        """From now on this lies on its flash."""
        if path == "startup-config":
            self.store.startup = text
        else:
            self.store.flash[path] = text

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
            self._arm(timer_s)
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
