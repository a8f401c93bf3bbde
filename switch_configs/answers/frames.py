"""What a port counted of whole frames, in one form for every system. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Frames:
    """One port, since a start that nobody knows: frames sent, received, and lost by reason.

    `broken` are those that came or left broken; `thrown` good ones that the port threw away, of
    every class together, so also of classes that are not lossless. Both ways, by the system's own
    name of the counter. All of them are needed: one that is not told is no 0.
    """

    sent: int
    received: int
    broken: Mapping[str, int]
    thrown: Mapping[str, int]

    @property
    def lost(self) -> Mapping[str, int]:
        """Both."""
        return {**self.broken, **self.thrown}


Counted = Mapping[str, Frames]  # by port
