"""What a port does with the lossless class, in words of no switch system. Pure data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole

PRIORITIES = 8
Priorities = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """Where a priority keeps what still arrives after it asked for a pause.

    `profile` is "" where it has none; `xoff_bytes` is None where the profile has no such room.
    """

    priority: int
    profile: str
    xoff_bytes: int | None


@dataclass(frozen=True, slots=True)
class PortLossless:
    """One port; a field is None where the system does not tell it, which agrees with nothing.

    `obeys` are the priorities that a received pause stops, `asks` those for which the port asks
    its peer to pause (IEEE 802.1Qbb). `trust` is `dscp`, `pcp`, `both` or `none`. `dscps` are
    those that end in a priority of `asks`, `stopped` those whose queue stops for a priority of
    `obeys`; `rooms` has one entry for each priority of `asks`.
    """

    port: str
    obeys: Priorities | None
    asks: Priorities | None
    trust: str | None = None
    dscps: tuple[int, ...] | None = None
    stopped: tuple[int, ...] | None = None
    rooms: tuple[Room, ...] | None = None


def of_mask(mask: int, what: str) -> Priorities:
    """The priorities of a bitmap. Raises Unreadable for one of more than eight bits."""
    if not 0 <= mask < 1 << PRIORITIES:
        raise Unreadable(f"{what} is {mask}, no bitmap of eight priorities")
    return tuple(one for one in range(PRIORITIES) if mask >> one & 1)


def of_numbers(said: Iterable[str], most: int, what: str) -> tuple[int, ...]:
    """Numbers below `most`, sorted. Raises Unreadable for anything else."""
    kind = Whole(what, "1", 0, most - 1)
    return tuple(sorted(kind.read(one) for one in said))
