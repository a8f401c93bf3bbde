"""Lines of a kernel's log that tell of hardware: dmesg(1), journalctl(1), syslog.

What stands before the message differs (`[ 8.387515]`, `Aug 17 06:18:01 host kernel:`, an ISO time)
and is passed over; a message counts by its words. Sources of the words: NVIDIA's Xid messages
(docs.nvidia.com/deploy/xid-errors), Linux drivers/pci/pci.c (available PCIe bandwidth),
drivers/pci/pcie/aer.c, arch/x86/kernel/cpu/mce, drivers/edac, net drivers' and systemd-networkd's
words for a carrier, net/sched/sch_generic.c (NETDEV WATCHDOG) and mlx5's for a hung queue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from .fields import Unreadable

Kind = Literal[
    "xid", "sxid", "pcie limited", "pcie error", "machine check", "link down", "tx timeout"
]
# What a shell looks for (grep -E) in a log that is too long to bring home; `_PATTERNS` judge.
WORDS = (
    "Xid|PCIe bandwidth, limited|PCIe Bus Error|AER: |mce: |EDAC |[Ll]ink [Dd]own|Link is Down|"
    "[Ll]ost carrier|NETDEV WATCHDOG|TX timeout"
)
_PCI = r"(?P<at>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)"
_SPEED = r"(?P<gts>\d+(?:\.\d+)?) GT/s PCIe x(?P<width>\d+) link"
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("xid", re.compile(rf"NVRM: Xid \((?:PCI:)?{_PCI}[^)]*\): (?P<code>\d+),")),
    ("sxid", re.compile(rf"SXid \((?:PCI:)?{_PCI}[^)]*\): (?P<code>\d+),")),
    (
        "pcie limited",
        re.compile(rf"{_PCI}: [\d.]+ Gb/s available PCIe bandwidth, limited by {_SPEED}"),
    ),
    ("pcie error", re.compile(rf"{_PCI}: (?:AER|PCIe Bus Error): .*(?:[Uu]ncorrect|Fatal)")),
    (
        "machine check",
        re.compile(r"(?P<at>mce|EDAC \w+): .*(?:Hardware Error|Machine [Cc]heck|UE)"),
    ),
    ("machine check", re.compile(r"(?P<at>mce): \[Hardware Error\]")),
    (
        "link down",
        re.compile(
            r"(?:^|\s)(?P<at>[\w.-]+)(?:: [Ll]ost carrier|: [Ll]ink [Dd]own|:? NIC Link is Down)"
        ),
    ),
    ("tx timeout", re.compile(r"NETDEV WATCHDOG: (?P<at>[\w.-]+) \(\S+\): transmit queue")),
    ("tx timeout", re.compile(r"(?:^|\s)(?P<at>[\w.-]+): (?:NETDEV WATCHDOG|TX timeout)")),
)
_ISO = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
_SYSLOG = re.compile(r"^([A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) ")
_BOOT = re.compile(r"^\[ *(\d+\.\d+)\]")
_END = re.compile(r"^end of log, (\d+) lines$")


@dataclass(frozen=True, slots=True)
class Event:
    """One line. `at` is a PCI address as the kernel writes it, or a port; `code` an Xid's number.

    `seconds` is the time of the line on its log's own clock, None where it has none.
    """

    kind: Kind
    at: str
    code: int | None
    seconds: float | None
    says: str


def events(text: str) -> tuple[Event, ...]:
    """What lines tell of hardware, in their order. Of a text that may be cut: less is told then."""
    return tuple(_events(text.splitlines()))


def whole_log(text: str) -> tuple[Event, ...]:
    """The same of a log that ends with `end of log, N lines`, N its other lines. Raises Unreadable.

    The end is what tells a log without events from one that is missing.
    """
    lines = text.splitlines()
    end = _END.match(lines[-1]) if lines else None
    if end is None or int(end[1]) != len(lines) - 1:
        said = " ".join(text.split())[:120] or "nothing"
        raise Unreadable(f"the kernel's log is not whole: {said}")
    return tuple(_events(lines[:-1]))


def most_within(found: list[Event], hours: float) -> int:
    """How many events at most lie within so many hours; those without a time count as one time."""
    times = sorted(one.seconds if one.seconds is not None else 0.0 for one in found)
    width = timedelta(hours=hours).total_seconds()
    return max((sum(first <= one <= first + width for one in times) for first in times), default=0)


def _events(lines: list[str]) -> Iterator[Event]:
    for line in lines:
        for kind, pattern in _PATTERNS:
            if match := pattern.search(line):
                parts = match.groupdict()
                code = int(parts["code"]) if parts.get("code") else None
                says = line[match.start() :].strip()[:160]
                yield Event(kind, _place(parts["at"]), code, _seconds(line), says)
                break


def _place(said: str) -> str:
    """PCI addresses with four digits of a domain and a function, as lspci has them."""
    found = re.fullmatch(r"[0-9a-fA-F]*([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})(\.\d)?", said)
    return f"{found[1].lower()}{found[2] or '.0'}" if found else said


def _seconds(line: str) -> float | None:
    if found := _BOOT.match(line):
        return float(found[1])
    if found := _ISO.match(line):
        return datetime.fromisoformat(f"{found[1]}+00:00").timestamp()
    if found := _SYSLOG.match(line):
        # No year is told: differences count, and a leap year has every day.
        return datetime.strptime(f"2024 {found[1]} +0000", "%Y %b %d %H:%M:%S %z").timestamp()
    return None
