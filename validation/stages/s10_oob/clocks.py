"""Whether a switch follows the planned time: what is wrong of what it told, in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from switch_configs.answers.timekeeping import Timekeeping, TimeSource

from .expect import ClockFollowsExpected

Wrong = tuple[str, str]
"""The suspect, and what was found."""


def wrong(told: Timekeeping, one: ClockFollowsExpected) -> Wrong | None:
    """What is otherwise than planned of the servers; None where nothing is."""
    device, planned = one.device, frozenset(one.servers)
    others = [each for each in told.sources if each.is_followed and each.server not in planned]
    mine = [each for each in told.sources if each.server in planned]
    sources, servers = f"time sources of {device}", " or ".join(one.servers)
    if others:
        return sources, f"its clock follows {_names(others)}, which nobody planned"
    if not mine:
        return sources, f"it asks {_names(told.sources) or 'nobody'} for the time, not {servers}"
    if not any(each.answers for each in mine):
        return sources, f"{_names(mine)} does not tell it the time"
    followed = [each for each in mine if each.is_followed]
    if told.sets and not followed:
        return sources, f"its clock does not follow {_names(mine)}"
    if silent := [each for each in followed if not each.answers]:
        return sources, f"it follows {_names(silent)}, which tells it the time no more"
    return None


def ahead_s(told: Timekeeping) -> float | None:
    """By how much its clock is ahead of the server; None where it does not tell.

    Of the server that it follows; where the clock is not its own to set, of the farthest one.
    """
    known = [
        each.ahead_s
        for each in told.sources
        if each.ahead_s is not None and (each.is_followed or not told.sets)
    ]
    return max(known, key=abs, default=None)


def _names(some: Iterable[TimeSource]) -> str:
    return ", ".join(sorted(each.server for each in some))
