"""What a server's own tools say of it: chronyc(1), systemctl(1), ulimit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fields import Unreadable

UNLIMITED = -1
_CAP_SYS_RESOURCE = 24  # linux/capability.h
_UNLIMITED_WORDS = ("unlimited", "infinity", str((1 << 64) - 1))
# chronyc(1): reference, name, stratum, time, system time, last and RMS offset, frequency,
# residual frequency, skew, root delay, root dispersion, update interval, leap status.
_TRACKING_FIELDS = 14


@dataclass(frozen=True, slots=True)
class Clock:
    """What chrony believes: seconds by which the clock is ahead of true time."""

    source: str
    stratum: int
    ahead_s: float
    leap: str


def tracking(text: str) -> Clock:
    """`chronyc -n -c tracking`. Raises Unreadable."""
    fields = text.strip().split(",")
    try:
        name, stratum, _, ahead, *_, leap = fields[1:_TRACKING_FIELDS]
        return Clock(name, int(stratum), float(ahead), leap)
    except ValueError:
        raise Unreadable(f"chronyc printed: {' '.join(text.split())[:120]}") from None


def failed_units(text: str) -> tuple[str, ...]:
    """`systemctl list-units --failed --plain --no-legend`, sorted."""
    return tuple(sorted(line.split()[0] for line in text.splitlines() if line.strip()))


def limit_bytes(text: str, unit_bytes: int) -> int:
    """A limit of a number of units, or UNLIMITED. Raises Unreadable."""
    word = text.strip().rpartition("=")[2]
    if word in _UNLIMITED_WORDS:
        return UNLIMITED
    if not word.isdigit():
        raise Unreadable(f"{text.strip()[:80]!r} is no limit")
    return int(word) * unit_bytes


def most_locked_bytes(text: str) -> int:
    """The memory that a machine lets any process lock, from its first process.

    `text` is /proc/1/status and /proc/1/limits (proc(5)). A first process with
    CAP_SYS_RESOURCE can give more than it has: UNLIMITED. Raises Unreadable.
    """
    effective = re.search(r"^CapEff:\s*([0-9a-f]+)$", text, re.MULTILINE)
    held = re.search(r"^Max locked memory +\S+ +(\S+) +bytes", text, re.MULTILINE)
    if not effective or not held:
        raise Unreadable("the first process shows no capabilities or no limits")
    may_raise = int(effective[1], 16) >> _CAP_SYS_RESOURCE & 1
    return UNLIMITED if may_raise else limit_bytes(held[1], 1)
