"""A terminal of an EOS switch's command line: what is typed, and what comes back.

There is no shell and no file transfer: only a terminal, as a login of EOS has (Arista EOS User
Manual, "Command-Line Interface": prompts `name>` and `name#`, `% ` before what is refused,
`--More--` until `terminal length 0`; "Administering the Switch": users and `enable`). cEOS 4.35.0F
as others saw it: the prompt has six letters of the session's name; `copy terminal: session-config`
reads to Ctrl-D, quotes a refused line after `> `, says `% Invalid input at line N` and still
completes; `end` inside such a text ends nothing. napalm's recorded `show hostname` and `show
interfaces` (`physicalAddress`), and its running configurations, which `sanitized` shows with
`<removed>`. "Configuring EOS" of the manual: `configure` and `end`, and lines below a block's head.
"""

from __future__ import annotations

import difflib
import json
import re

from ..blocks import Reader, changed, is_block
from ..box import Channel
from ..terminal import Terminal
from .box import EosBox, Session
from .text import INVALID, WORDS


class EosTerminal(Terminal):
    """One terminal of one login."""

    switch: EosBox

    def __init__(self, switch: EosBox, channel: Channel) -> None:
        super().__init__(switch, channel)
        self.session = ""

    @property
    def configures(self) -> str:
        """What the prompt says of the configuration mode; "" out of it."""
        depth = "-block" * len(self.mode or ())
        if self.session:
            return f"(config-s-{self.session[:6]}{depth})"
        return f"(config{depth})" if self.mode is not None else ""

    def _do(self, line: str) -> str:
        switch, store = self.switch, self.switch.store
        words = line.split()
        if not words:
            return ""
        if words[0] == "terminal":
            return self._terminal(words)
        if line == "enable" and not self.enabled:
            return self._enable()
        if words[0] == "show" and (found := self._shown(line)) is not None:
            return found
        if not self.enabled:
            return f"{INVALID} (privileged mode required)"
        if self.mode is not None and not self.session and line != "end":
            return self._configured(line)
        if line == "configure":
            self.mode = []
            return ""
        if line == "end":
            was = self.configures
            self.session, self.mode = "", None
            return "" if was else INVALID
        if line == "reload now":
            switch.restart()
            self.cut()
            return ""
        if line == "write memory":
            return switch.written("startup-config", store.running)
        if match := re.fullmatch(r"copy running-config flash:(\S+)", line):
            return switch.written(match[1], store.running)
        if match := re.fullmatch(r"configure session (\S+)(?: (.*))?", line):
            return self._session(match[1], match[2] or "")
        return self._in_session(line) if self.session else _unknown(line)

    def _shown(self, line: str) -> str | None:
        """What a line shows; None for one that shows nothing to this login."""
        switch, store = self.switch, self.switch.store
        if line.startswith("show hostname"):
            return json.dumps({"hostname": switch.hostname, "fqdn": switch.hostname})
        if line == "show interfaces Management1 | json":
            port = {"name": "Management1", "physicalAddress": switch.mac}
            return json.dumps({"interfaces": {"Management1": port}})
        if not self.enabled:
            return None
        if line == "show running-config":
            return switch.shown()
        if line == "show running-config sanitized":
            secret = r"(?m)^(.*(?: key 7| sha512| ssh-key| auth sha| priv aes)) \S+.*$"
            return re.sub(secret, r"\1 <removed>", switch.shown(" sanitized"))
        if line == "show version | json":
            return switch.version()
        if (found := switch.told(line)) is not None:
            return found
        if line == "show running-config diffs":
            names = ("flash:/startup-config", "system:/running-config")
            return _difference(store.startup, store.running, *names)
        if line == "show configuration sessions detail | json":
            return switch.listed()
        match = re.fullmatch(r"show session-config named (\S+) diffs", line)
        if match and match[1] in store.sessions:
            names = ("system:/running-config", f"session:/{match[1]}-session-config")
            return _difference(store.running, store.sessions[match[1]].text, *names)
        return _unknown(line)

    def _in_session(self, line: str) -> str:
        """A line for the candidate that this terminal is in."""
        if line == "rollback clean-config":
            self.switch.store.sessions[self.session].text = ""
            return ""
        if line == "copy terminal: session-config":
            return self._copied()
        if line.split(maxsplit=1)[0] in ("commit", "abort"):
            name, self.session, self.mode = self.session, "", None
            return self._session(name, line)
        return self._configured(line)

    def _configured(self, line: str) -> str:
        """A line that holds at once, or in the session that this terminal is in."""
        mode, store = self.mode or [], self.switch.store
        if line == "exit":
            self.mode, self.session = (mode[:-1], self.session) if mode else (None, "")
            return ""
        reader = Reader(WORDS, mode)
        if why := reader.refusal(line):
            return why
        self.mode = list(reader.blocks)
        if is_block(self.mode, line):
            return ""
        if self.session:
            candidate = store.sessions[self.session]
            candidate.text = changed(candidate.text, self.mode, line, WORDS)
        else:
            self.switch.runs(changed(store.running, self.mode, line, WORDS))
        return ""

    def _terminal(self, words: list[str]) -> str:
        if words[1] == "length":
            self.length = int(words[2])
            return "Pagination disabled." if self.length == 0 else ""
        return f"Width set to {words[2]} columns."

    def _enable(self) -> str:
        if self.switch.enable:
            self._write("Password: ")
            if self._asked() != self.switch.enable:
                return "% Bad secret"
        self.enabled = True
        return ""

    def _session(self, name: str, what: str) -> str:
        store = self.switch.store
        if what == "abort":
            return self.switch.abort(name)
        if what == "commit":
            return self.switch.commit(name, None)
        if timer := re.fullmatch(r"commit timer (\d+):(\d\d):(\d\d)", what):
            hours, minutes, seconds = map(int, timer.groups())
            return self.switch.commit(name, hours * 3600 + minutes * 60 + seconds)
        if what:
            return INVALID
        if name in store.sessions and store.sessions[name].state != "pending":
            return f"% Cannot enter session {name} ({store.sessions[name].state})"
        open_ones = [one for one in store.sessions.values() if one.state == "pending"]
        if name not in store.sessions and len(open_ones) == 5:
            return "% Maximum number of pending sessions has been reached"
        store.sessions.setdefault(name, Session("pending", store.running))
        self.session = name
        return ""

    def _copied(self) -> str:
        """Line by line to Ctrl-D, repeated by the terminal; then what was refused."""
        said, number, kept = [], 0, []
        reader = Reader(WORDS)
        while (line := self._asked(echo=True)) is not None:
            number += 1
            line = line.replace(self.switch.faults.loses, "") if self.switch.faults.loses else line
            if why := self._refused(reader, line):
                said += [f"> {line}", f"{why} at line {number}"]
            elif reader.is_banner or (line != "end" and not line.startswith("! ")):
                kept.append(line)
        store = self.switch.store
        store.sessions[self.session].text += "".join(f"{one}\n" for one in kept)
        return "\n".join([*said, "Copy completed successfully."])

    def _refused(self, reader: Reader, line: str) -> str:
        if self.switch.faults.no_pfc and line.strip().startswith("priority-flow-control"):
            return (
                "% The hardware does not support priority flow control, or forwarding agent is "
                "still initializing."
            )
        return reader.refusal(line)


def _unknown(line: str) -> str:
    return f"{INVALID} (at token 0: '{line.split(maxsplit=1)[0]}')"


def _difference(before: str, after: str, old: str, new: str) -> str:
    texts = (before.splitlines(), after.splitlines())
    return "\n".join(difflib.unified_diff(*texts, old, new, lineterm=""))
