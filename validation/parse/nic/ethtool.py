"""Output of `ethtool -a` and `ethtool -g` (ethtool's pause.c and rings.c).

`RX negotiated:` and statistics may follow, and are not the setting.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole

_RING = Whole("ring of a NIC", "descriptor", 0, (1 << 32) - 1)


@dataclass(frozen=True, slots=True)
class Pause:
    """Global pause (IEEE 802.3x) as set."""

    rx: bool
    tx: bool


@dataclass(frozen=True, slots=True)
class Rings:
    """Descriptors of a NIC's rings: now, and the most it can."""

    rx: int
    tx: int
    most_rx: int
    most_tx: int


def pause(text: str) -> Pause:
    """What the port is set to; Unreadable where RX or TX is not told once."""
    found = {
        word: re.findall(rf"^{word}:\s+(on|off)\s*$", text, re.MULTILINE) for word in ("RX", "TX")
    }
    if "Pause parameters for " not in text or any(len(one) != 1 for one in found.values()):
        raise Unreadable("ethtool -a does not say RX and TX")
    return Pause(found["RX"][0] == "on", found["TX"][0] == "on")


def rings(text: str) -> Rings:
    """What the rings hold; Unreadable where one of the four numbers is missing."""
    most, found, now = text.partition("Current hardware settings:")
    if not found or "Pre-set maximums:" not in most or not text.endswith("\n"):
        raise Unreadable("ethtool -g does not say what is and what can be")
    return Rings(_ring(now, "RX"), _ring(now, "TX"), _ring(most, "RX"), _ring(most, "TX"))


def _ring(part: str, word: str) -> int:
    found = re.findall(rf"^{word}:\s+(\S+)\s*$", part, re.MULTILINE)
    if len(found) != 1:
        raise Unreadable(f"ethtool -g does not say {word} once")
    return _RING.read(found[0])
