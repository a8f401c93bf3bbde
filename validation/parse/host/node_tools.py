"""What a server's own tools say of it: systemctl(1), ulimit."""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import COUNTER_MOST, Whole

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
