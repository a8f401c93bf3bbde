"""What a port counted of whole frames, in one form for every system. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frames:
    """One port, since a start that nobody knows: frames sent, received, and lost by reason.

    `lost` are those that came broken, and those that the port threw away in either direction, by
    the system's own name of the counter. All of them are needed: one that is not told is no 0.
    """

    sent: int
    received: int
    lost: Mapping[str, int]


Counted = Mapping[str, Frames]  # by port
