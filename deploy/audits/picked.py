"""The configurations in a text that holds more: `show tech-support`, a terminal's log.

Lines of anything else become empty ones, so a line keeps the number that it has in the file.
Frames: EOS sets 13 dashes on both sides of a command, IOS 18 (as published readers of both look for
them); NX-OS sets a command between backquotes (from memory of such files: none is published).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from switch_configs import dialects
from switch_configs.readback.spoken import spoken

from .limits import TEXT_BYTES
from .places import named_place

_FRAME = re.compile(
    r"-{5,} ?(?P<dashed>(?:sh(?:ow)?|bash) [^\n]*?) ?-{5,}\s*|`(?P<quoted>[^`]+)`\s*"
)
_PROMPT = re.compile(
    r"(?P<host>(?:[\w.-]+@)?[A-Za-z][\w.-]*)(?::[^\s$#>]*)?(?:\([\w.-]+\))?\s?[#>$] ?"
    r"(?P<command>.*)"
)
_COMMAND = re.compile(r"-----|`|[A-Za-z][^\s#>$]*\s?[#>$]")
# Whether it is worth looking at a text line by line.
_HAS_SOME = re.compile(
    r"(?m)^(?:-{5,} ?sh(?:ow)? |`sh(?:ow)? |[A-Za-z][^\s#>$]*\s?[#>$] ?(?:sh|cat |sudo |nv |vtysh))"
)
_SHOWS = re.compile(
    r"sh(?:ow)?\s+(?P<what>runningconfiguration all|run(?:ning-?conf\w*)?|start(?:up-?conf\w*)?)\b"
    r"(?P<rest>.*)"
)
_WHOLE = re.compile(r"(?:\s+(?:sanitized|all|vdc-all))*(?:\s*\|\s*no-more)?\s*")
_CAT = re.compile(r"(?:sudo )?(?:cat|more|less) (\S+)")
_VTYSH = re.compile(r"""(?:sudo )?vtysh -c ["'](?P<command>[^"']+)["']""")
# Said around a configuration by a switch, and no line of one.
_AROUND = re.compile(
    r"Building configuration\.{3}|Current configuration ?:.*|Command: show .*|\.{3,}|\^C|logout"
)


@dataclass
class Section:
    """A configuration in a text: whose, by the prompt, and its lines by their number from 0."""

    host: str
    is_running: bool
    lines: dict[int, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The lines at the places where the file has them."""
        most = max(self.lines, default=-1)
        return "".join(f"{self.lines.get(at, '')}\n" for at in range(most + 1))

    @property
    def said(self) -> tuple[str, ...]:
        """Lines but for comments: two with equal ones say the same."""
        return tuple(one for one in self.lines.values() if one.strip()[:1] not in ("", "!"))


@dataclass
class Picker:
    """Takes a text line by line and keeps the configurations in it."""

    sections: list[Section] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    """Commands that showed a part of a configuration only."""
    is_over: bool = False
    """Whether a configuration was longer than any is."""
    _open: Section | None = None
    _host: str = ""
    _bytes: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the last line was a configuration's."""
        return self._open is not None

    def line(self, number: int, line: str) -> None:
        """The next line, without its end."""
        if _COMMAND.match(line) and self._command(line):
            return
        if self._open is None or not line.strip() or _AROUND.fullmatch(line.strip()):
            return
        self._bytes += len(line)
        self.is_over |= self._bytes > TEXT_BYTES
        if not self.is_over:
            self._open.lines[number] = line

    def _command(self, line: str) -> bool:
        """Whether the line is a command's, and not a configuration's."""
        if len(line) > 400:
            return False
        frame = _FRAME.fullmatch(line)
        if frame:
            self._begin("", (frame["dashed"] or frame["quoted"]).strip())
            return True
        prompt = _PROMPT.fullmatch(line.rstrip())
        if prompt is None:
            return False
        host, command = prompt["host"].rpartition("@")[2], prompt["command"].strip()
        if host != self._host and not _shown(command):
            return False  # a line that looks like a prompt, in no log
        self._host = host
        self._begin(host, command)
        return True

    def _begin(self, host: str, command: str) -> None:
        self._open, self._bytes = None, 0
        shown = _shown(command)
        if shown == "part":
            self.parts.append(command)
        elif shown:
            self._open = Section(host, shown == "running")
            self.sections.append(self._open)


def _shown(command: str) -> str:
    """What a command shows: "running", "startup", "part" of either, or "" nothing of the kind."""
    quoted = _VTYSH.fullmatch(command)
    found = _SHOWS.fullmatch(quoted["command"] if quoted else command)
    if found:
        if not _WHOLE.fullmatch(found["rest"]):
            return "part"
        return "startup" if found["what"].startswith("start") else "running"
    if _printed_by().fullmatch(command):
        return "running"
    file = _CAT.fullmatch(command)
    return "startup" if file and named_place(file[1]) else ""


@cache
def _printed_by() -> re.Pattern[str]:
    """The commands by which one system alone shows its configuration."""
    own = (spoken(name).whole.printed_by for name in dialects())
    return re.compile("|".join(f"(?:{one})" for one in own if one))


def has_sections(text: str) -> bool:
    """Whether a text holds outputs of commands rather than a configuration alone."""
    return bool(_HAS_SOME.search(text))


def picked(text: str) -> Picker:
    """What is in a whole text."""
    found = Picker()
    for number, line in enumerate(text.split("\n")):
        found.line(number, line)
    return found


def chosen(sections: Iterable[Section]) -> tuple[list[Section], list[str]]:
    """One configuration of each host, and what to tell: what ran goes before what is saved."""
    by_host: dict[str, list[Section]] = {}
    for one in sections:
        if one.lines:
            by_host.setdefault(one.host, []).append(one)
    out, told = [], []
    for host, found in by_host.items():
        running = [one for one in found if one.is_running] or found
        out.append(running[-1])
        if any(one.said != running[-1].said for one in running):
            told.append(f"{host or 'it'} shows its configuration more than once: the last is taken")
    return out, told
