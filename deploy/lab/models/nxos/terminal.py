"""A terminal of an NX-OS switch's command line: what is typed, and what comes back.

Prompts, `configure terminal`, `end`, and lines below a block's head: Cisco Nexus 9000 NX-OS
Fundamentals guide, "Understanding the Command-Line Interface", and the prompts in the examples of
the other guides; a read-only role: "% Permission denied for the role" (Security guide, RBAC);
`reload` asks "(y/n)" (Fundamentals guide). What other shows answer: `shows.py`, or who holds it.
"""

from __future__ import annotations

import hashlib
import re

from ..blocks import Reader, changed, is_block
from ..terminal import Terminal
from .box import NxosBox, without
from .qos import PFC, pfc
from .text import INVALID, WORDS, features, mode, needs

_HEAD = "!Time: Thu Nov 26 2026\n\n"
_MODES = {
    "interface": "if",
    "bgp": "router",
    "bgp-af": "router-af",
    "bgp-peer": "router-neighbor",
    "bgp-peer-af": "router-neighbor-af",
    "route-map": "route-map",
    "vrf": "vrf",
}


class NxosTerminal(Terminal):
    """One terminal of one login."""

    switch: NxosBox

    @property
    def configures(self) -> str:
        """What the prompt says of the configuration mode; "" out of it."""
        if not self.mode:
            return "" if self.mode is None else "(config)"
        return f"(config-{_MODES.get(mode(self.mode), self.mode[-1].split()[0])})"

    @property
    def prompt(self) -> str:
        """What it shows when it waits for a line."""
        return f"\r{self.switch.hostname}{self.configures}{'#' if self.enabled else '>'} "

    def _do(self, line: str) -> str:
        switch = self.switch
        words = line.split()
        if not words:
            return ""
        if words[0] == "terminal":
            self.length = int(words[2]) if words[1] == "length" else self.length
            return ""
        if words[0] == "echo":
            return line.removeprefix("echo ")
        if line == "show hostname":
            return f"{switch.hostname} "
        if line == "show interface mgmt0 | json":
            return switch.management()
        if line in ("show system uptime | json", "show clock"):
            return switch.time_of(line)
        if line == "show checkpoint summary":
            return switch.summary()
        if not self.enabled:
            return "% Permission denied for the role"
        if (found := switch.told(line)) is not None:
            return found
        if line == "configure terminal":
            self.mode = []
            return "Enter configuration commands, one per line. End with CNTL/Z."
        if line == "end" and self.mode is not None:
            self.mode = None
            return ""
        return self._done(line) if self.mode is None else self._configured(line)

    def _done(self, line: str) -> str:
        """A line outside of any configuration mode."""
        switch, store = self.switch, self.switch.store
        for name, text in (("running", store.running), ("startup", store.startup)):
            if line == f"show {name}-config":
                return f"\n!Command: {line}\n{_HEAD}{text}"
        if line == PFC:
            return pfc(store.running)
        if line == "copy running-config startup-config":
            return switch.save()
        if line == "reload":
            return self._reload()
        if line == "configure replace commit":
            return switch.commit_replace()
        if match := re.fullmatch(r"configure replace (\S+) (.*)", line):
            return switch.replace(match[1], match[2])
        if match := re.fullmatch(r"checkpoint ([\w-]+)", line):
            return switch.checkpoint(match[1])
        if match := re.fullmatch(r"no checkpoint (\S+)", line):
            return switch.forget(match[1])
        if match := re.fullmatch(r"rollback running-config checkpoint (\S+) atomic", line):
            return switch.rollback(match[1])
        if match := re.fullmatch(r"dir (\S+)", line):
            return switch.folder(match[1])
        if match := re.fullmatch(r"(?:delete (\S+) no-prompt|show file (\S+) md5sum)", line):
            return self._of_file(match[1], match[2])
        return INVALID

    def _of_file(self, gone: str | None, asked: str | None) -> str:
        """Delete a file, or tell its digest."""
        content = self.switch.store.flash.get(gone or asked or "")
        if content is None:
            return "No such file or directory"
        if gone is None:
            return hashlib.md5(content, usedforsecurity=False).hexdigest()
        self.switch.file(gone, None)
        return ""

    def _reload(self) -> str:
        self._write("This command will reboot the system. (y/n)?  [n] ")
        if self._asked(echo=True) == "y":
            self.switch.restart()
            self.cut()
        return ""

    def _configured(self, line: str) -> str:
        """A line that holds at once."""
        inside, store = self.mode or [], self.switch.store
        if line == "exit":
            self.mode = inside[:-1] if inside else None
            return ""
        reader = Reader(WORDS, inside)
        why = reader.refusal(line)
        asked = needs(line) if not reader.blocks or reader.blocks == (line,) else ""
        if why or (asked and asked not in features(store.running)):
            return why or INVALID
        self.mode = list(reader.blocks)
        if not is_block(self.mode, line):
            text = changed(store.running, self.mode, line, WORDS)
            off = line.removeprefix("no feature ")
            self.switch.runs(text if off == line else without(text, off))
        return ""
