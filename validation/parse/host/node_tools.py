"""What a server's own tools say of it: chronyc(1), systemctl(1), ulimit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import COUNTER_MOST, Real, Whole

UNLIMITED = -1
_CAP_SYS_RESOURCE = 24  # linux/capability.h
_DIGITS = 16
_CAPABILITIES = Whole("CapEff", "bits", 0, COUNTER_MOST, base=16)
_LIMIT = Whole(
    "the limit",
    "units",
    0,
    COUNTER_MOST - 1,
    words={"unlimited": UNLIMITED, "infinity": UNLIMITED, str(COUNTER_MOST): UNLIMITED},
)
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

    chrony tells stratum 0 only while it is not synchronised (chrony, reference.c).
    """
    fields = text.strip().split(",")
    if len(fields) != _TRACKING_FIELDS or not _REFERENCE.fullmatch(fields[0]):
        raise Unreadable(f"chronyc printed: {' '.join(text.split())[:120]}")
    _, name, stratum, time, ahead, *rest, leap = fields
    clock = Clock(name, _STRATUM.read(stratum), _AHEAD.read(ahead), leap, _TIME.read(time))
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


def failed_units(text: str) -> tuple[str, ...]:
    """`systemctl list-units --failed --plain --no-legend`, sorted."""
    return tuple(sorted(line.split()[0] for line in full_lines(text, "systemctl")))


def limit_bytes(text: str, unit_bytes: int) -> int:
    """A limit of a number of units, or UNLIMITED. Raises Unreadable."""
    found = _LIMIT.read(text.strip().rpartition("=")[2])
    return UNLIMITED if found == UNLIMITED else found * unit_bytes


def most_locked_bytes(text: str) -> int:
    """The memory that a machine lets any process lock, from its first process.

    `text` is /proc/1/status and /proc/1/limits (proc(5)). A first process with
    CAP_SYS_RESOURCE can give more than it has: UNLIMITED. Raises Unreadable.
    """
    effective = re.search(r"^CapEff:[ \t]*(.*)$", text, re.MULTILINE)
    held = re.search(r"^Max locked memory +\S+ +(\S+) +bytes", text, re.MULTILINE)
    if not effective or len(effective[1]) != _DIGITS or not held:
        raise Unreadable("the first process shows no capabilities or no limits")
    may_raise = _CAPABILITIES.read(effective[1]) >> _CAP_SYS_RESOURCE & 1
    return UNLIMITED if may_raise else limit_bytes(held[1], 1)
