"""What a switch is made of, and what a site adds to its configuration by hand."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a dialect may have to name of the box itself.

    `model` and `platform` are the words of the switch OS ("" where it has none); `lanes` are
    the electrical lanes of a cage, and `lane_map` their numbers by cage where these do not
    simply follow one another.
    """

    asic: str
    model: str
    platform: str
    cages: int
    lanes: int
    lane_map: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class RawStanza:
    """Lines of the switch's own language that a site adds, as they are, in a section."""

    section: str
    lines: tuple[str, ...]
    reason: str
