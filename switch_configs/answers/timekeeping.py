"""Whose time a switch has, in one form: the servers it asks, the one it follows, and how far off.

What a system does not tell is None. The offset is that of the switch's clock against the server's,
as the switch measured it last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .said import Said


@dataclass(frozen=True, slots=True)
class TimeSource:
    """A time server that a switch asks, by its address.

    `is_followed`: the clock is set by it. `answers`: it told the time lately. `within_s` is how far
    off `ahead_s` may be, where whoever measured it was the shell and no daemon that knows better.
    """

    server: str
    is_followed: bool
    answers: bool
    ahead_s: float | None
    within_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Timekeeping:
    """All of them. `sets`: the clock is the switch's own to set, and not that of a container."""

    sources: tuple[TimeSource, ...]
    sets: bool = True


@dataclass(frozen=True, slots=True)
class Clocks:
    """How a system tells whose time it has.

    `line` asks a switch that has these servers, `read` reads the answer; Unreadable where it proves
    nothing. `see` is what people type there. `tells_offset`: it says how far off its clock is.
    `follows_s` is the time in which a clock follows servers that it is told anew: eight questions
    two seconds apart, and as long again, where a configuration says `iburst` (ntp.conf(5)).
    """

    line: Callable[[Sequence[str]], str]
    read: Callable[[Said], Timekeeping]
    see: str
    tells_offset: bool = True
    follows_s: float = 30.0
