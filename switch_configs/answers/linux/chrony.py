"""What chronyd believes of the clock and of its sources, as chronyc(1) prints it with -c."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Real, Whole
from switch_configs.answers.timekeeping import TimeSource

TRACKING = "chronyc -n -c tracking"
SOURCES = "chronyc -n -c sources"
_REFERENCE = re.compile(r"[0-9A-F]{8}")
NOT_SYNCHRONISED = "Not synchronised"
_LEAP = frozenset({"Normal", "Insert second", "Delete second", NOT_SYNCHRONISED})
_SECONDS = 4e9  # an NTP era has 2**32 seconds: no clock is farther from another (RFC 5905, 6)
_PPM = 1e6
_STRATUM = Whole("stratum", "1", 0, 15)
_AHEAD = Real("system time", "s", -_SECONDS, _SECONDS)
# What else chronyc(1) prints of `tracking`, after the stratum, in its order. A root delay may be
# negative, as the manual page says.
_TIME = Real("reference time", "s", 0, 1e11)
_DATE = Whole("date", "s", 0, 10**11)
_REST = (
    Real("last offset", "s", -_SECONDS, _SECONDS),
    Real("RMS offset", "s", 0, _SECONDS),
    Real("frequency", "ppm", -_PPM, _PPM),
    Real("residual frequency", "ppm", -_PPM, _PPM),
    Real("skew", "ppm", 0, 2 * _PPM),
    Real("root delay", "s", -_SECONDS, _SECONDS),
    Real("root dispersion", "s", 0, _SECONDS),
    Real("update interval", "s", 0, _SECONDS),
)
_TRACKING_FIELDS = 6 + len(_REST)
_SOURCE_FIELDS = 10
_SELECTED = "*"
_STATES = frozenset("*+-?x~")
_REACH = Whole("reach", "1", 0, 0o377, base=8)


@dataclass(frozen=True, slots=True)
class Clock:
    """What chrony believes: seconds by which the clock is ahead of true time.

    `told_at_s` is when a source last answered, in seconds since 1970.
    """

    source: str
    stratum: int
    ahead_s: float
    leap: str
    told_at_s: float


def tracking(text: str) -> Clock:
    """`chronyc -n -c tracking`: all of its fields, or Unreadable.

    chrony tells stratum 0 only while it is not synchronised (chrony, reference.c). The system time
    is what is to be added to the clock: it is negative where chronyc says `fast` without -c.
    """
    fields = text.strip().split(",")
    if len(fields) != _TRACKING_FIELDS or not _REFERENCE.fullmatch(fields[0]):
        raise Unreadable(f"chronyc printed: {' '.join(text.split())[:120]}")
    _, name, stratum, time, ahead, *rest, leap = fields
    clock = Clock(name, _STRATUM.read(stratum), -_AHEAD.read(ahead), leap, _TIME.read(time))
    for one, said in zip(_REST, rest, strict=True):
        one.read(said)
    if leap not in _LEAP or (leap != NOT_SYNCHRONISED and clock.stratum == 0):
        raise Unreadable(f"chronyc: stratum {clock.stratum} and {leap[:20]!r}")
    return clock


def seconds_since(clock: Clock, date: str) -> float:
    """Seconds from a source's last answer to `date +%s` of the same machine. Raises Unreadable."""
    passed = _DATE.read(date.strip()) - clock.told_at_s
    if passed < -1:  # whole seconds against parts of them
        raise Unreadable(f"date printed {date.strip()[:20]}, before a source's last answer")
    return passed


def sources(text: str, clock: Clock) -> tuple[TimeSource, ...]:
    """`chronyc -n -c sources`, beside what `tracking` says of the clock. Raises Unreadable.

    Only the offset of the clock itself is told: measurements of sources are corrected by what is
    still to be slewed (chronyc(1), sources). Reach has a bit for each of the last eight questions.
    """
    found = []
    for line in full_lines(text, "chronyc") if text else ():
        fields = line.split(",")
        if len(fields) != _SOURCE_FIELDS or fields[1] not in _STATES:
            raise Unreadable(f"chronyc printed: {line[:120]}")
        is_followed = fields[1] == _SELECTED and clock.leap != NOT_SYNCHRONISED
        answers = _REACH.read(fields[5]) > 0
        ahead_s = clock.ahead_s if is_followed else None
        found.append(TimeSource(fields[2], is_followed, answers, ahead_s))
    return tuple(found)
