"""The form in which every reader of a server's texts says a fact, and what they all need.

A file is one text, or several outputs after their prompts (`# mlnx_qos -i ens1`); a file by itself
may be named after its command, as in a sosreport (`ethtool_-a_ens1`). The name of a port may come
from there; what a text is, only its content says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inventory.reading.numbers import Whole
from validation.parse.nic.port_qos import DSCP, PRIORITY

from .facts import RouteFacts, RuleFacts

CLASS = Whole("traffic class of a packet", "1", 0, 255)
MTU = Whole("MTU", "byte", 68, 65_536)
INDEX = Whole("index of a GID", "1", 0, 65_535)
RULE_PRIORITY = Whole("priority of a rule", "1", 0, (1 << 32) - 1)
SPEED = Whole("speed of a port", "Mb/s", 1, 6_400_000)
# Domain, bus, device and function as the kernel writes them (lspci(8), -D).
PCI = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]\Z")
__all__ = ["CLASS", "DSCP", "INDEX", "MTU", "PCI", "PRIORITY", "RULE_PRIORITY", "SPEED"]

# What a reading of a line that is not understood, or of a port's other settings, begins with.
UNREAD, OPTION = "unread:", "option:"

_TOOLS = (
    "cat|cma_roce_mode|cma_roce_tos|dcb|ethtool|grep|ibdev2netdev|ibv_devinfo|ip|lldpcli|lldpctl|lldptool|"
    "mlnx_qos|mlxconfig|mstconfig|rdma|show_gids|sysctl"
)
_PROMPT = re.compile(
    rf"(?m)^(?:[^\s@]{{0,64}}@[^\s#$]{{0,128}}\s?|\[[^\]\n]{{0,128}}\]\s?)?(?:[#$>]|#[^\n]{{0,300}}\bcommand:)"
    rf"[ \t]*(?:sudo )?((?:{_TOOLS})\b[^\n]*)$"
)
_OPTION = re.compile(r"(?:\s|^)(?:-[di]|dev|--device|--interface)[ =]?([\w./:@-]+)")
_LAST = re.compile(r"\s([\w./:@-]+)$")


@dataclass(frozen=True, slots=True)
class Reading:
    """One fact, from line `line` of its file.

    `nic` is a port; `@mlx5_0` one that only its RDMA device is known of, `#0000:1a:00.0` only its
    PCI address; "" the server. `runs`: a tool said so, and no file that may be read one day.
    """

    nic: str
    what: str
    value: object
    line: int
    runs: bool = False


@dataclass(frozen=True, slots=True)
class Chunk:
    """One output, or a file: its text begins after line `above` of the file at `path`."""

    path: str
    command: str
    text: str
    above: int = 0

    def line(self, words: str) -> int:
        """The file's line where these words stand first; its first line where they do not."""
        at = self.text.find(words)
        return self.at(max(at, 0))

    def at(self, offset: int) -> int:
        """The file's line of an offset in the text."""
        return self.above + self.text.count("\n", 0, offset) + 1

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its number in the file."""
        return enumerate(self.text.splitlines(), self.above + 1)

    @property
    def about(self) -> str:
        """The device that the command names, "" where it names none."""
        found = _OPTION.search(self.command) or _LAST.search(self.command)
        return found[1] if found and not found[1].startswith("-") else ""

    @property
    def port(self) -> str:
        """The port that the command names; the file's name where it names none."""
        return self.about or self.path.rpartition("/")[2]


Reader = tuple[re.Pattern[str], Callable[[Chunk], Iterator[Reading]]]
"""What a text of this kind holds, and who reads it."""


def chunks(path: str, text: str) -> tuple[Chunk, ...]:
    """The outputs of a file, in order; a file without prompts is one."""
    name = path.rpartition("/")[2]
    command = re.sub(r"\.(txt|out|log|json)$", "", name).replace("_-", " -")
    command = re.sub(r"(?<=-[a-zA-Z])_|^(ethtool|mlnx_qos|ip|dcb)_|(?<=fec)_", r"\1 ", command)
    prompts = list(_PROMPT.finditer(text))
    if not prompts:
        return (Chunk(path, command, text),)
    ends = [*(one.start() for one in prompts[1:]), len(text)]
    made = [Chunk(path, command, text[: prompts[0].start()])]
    for one, end in zip(prompts, ends, strict=True):
        start = one.end() + 1
        made.append(Chunk(path, one[1].strip(), text[start:end], text.count("\n", 0, start)))
    return tuple(one for one in made if one.text.strip())


def rule(nic: str, source: str, table: str, priority: str, line: int) -> Reading:
    """A policy rule that a file of `nic`, or "" of the server, sets."""
    number = RULE_PRIORITY.read(priority) if priority else None
    return Reading(nic, "rule", RuleFacts(number, source, table), line)


def route(nic: str, table: str, prefix: str, via: str, line: int) -> Reading:
    """A route that a file sets; no table is the main one."""
    whole = "0.0.0.0/0" if prefix == "default" else prefix
    return Reading(nic, "route", RouteFacts(table or "main", whole, nic, via), line)


def sorted_addresses(addresses: list[str]) -> tuple[str, ...]:
    """The IPv4 addresses with their length."""
    return tuple(sorted(one for one in addresses if "/" in one and ":" not in one))


def not_understood(topic: str, line: str, number: int) -> Reading:
    """A line of a known kind of file that nobody here understands."""
    return Reading("", f"{UNREAD}{topic}", line.strip(), number)
