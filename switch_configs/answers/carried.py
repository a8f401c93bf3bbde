"""Bytes that ports carried, with the device's own clock: what uplink coverage rests on. Pure.

Two readings say what went over a cable between them only if the first one has all that went before.
So each says how fresh it is, by what its switch system has: live counters of a kernel; counters
that are refreshed every so often, read after twice that time, so that a refresh which began before
is over; counters with the time of their refresh; or counters that were seen to change twice, of
which the second change began after the reading did. What is not fresh is not told at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole, count

Bytes = Mapping[str, tuple[int, int]]  # port -> received and sent
_CLOCK = re.compile(r"(\d{1,12}\.\d{2}) \d{1,15}\.\d{2}\n")
_LINE = re.compile(r"(\S+) (\d{1,20}) (\d{1,20})")
_SETTLED = re.compile(r"(\d{1,8}) (\d{1,12}\.\d{2}) (\d{1,12}\.\d{2})\n")
_UPTIME = Real("time since the boot", "s", 0, 1e12)
_BYTES = count("bytes of a port", "byte")
_EVERY = Whole("time between two refreshes", "ms", 1, 99_999_999)
_TICK_S = 0.005  # half of what /proc/uptime tells apart


@dataclass(frozen=True, slots=True)
class Carried:
    """Port -> bytes received and sent since a start that nobody knows; only fresh ones.

    `uptime_s` is the device's own clock at the reading: seconds since its boot.
    """

    uptime_s: float
    ports: Bytes


def clock(text: str) -> float:
    """Seconds since the boot, of /proc/uptime (proc_uptime(5)). Raises Unreadable."""
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise Unreadable(f"{text[:40]!r} is no /proc/uptime")
    return _UPTIME.read(match[1])


def lines(text: str) -> Bytes:
    """`PORT RECEIVED SENT`, a line a port. Raises Unreadable."""
    found: dict[str, tuple[int, int]] = {}
    for line in text.splitlines():
        one = _LINE.fullmatch(line)
        if not one or one[1] in found:
            raise Unreadable(f"{line[:80]!r} is not `PORT RECEIVED SENT`, or twice there")
        found[one[1]] = _BYTES.read(one[2]), _BYTES.read(one[3])
    return found


def settled(text: str) -> None:
    """`MILLISECONDS BEGAN ENDED`: between two refreshes, and the clock around a wait.

    Raises Unreadable where the wait was shorter than two refreshes.
    """
    match = _SETTLED.fullmatch(text)
    if match is None:
        raise Unreadable(f"{text[:60]!r} does not say how often counters are refreshed")
    every_s = _EVERY.read(match[1]) / 1000
    waited_s = _UPTIME.read(match[3]) - _UPTIME.read(match[2])
    if waited_s + _TICK_S < 2 * every_s:
        raise Unreadable(f"read after {waited_s:g} s, of counters refreshed every {every_s:g} s")
