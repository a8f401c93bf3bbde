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
    others = [each for each in told.sources if each.server not in planned]
    followed_others = [each for each in others if each.is_followed]
    mine = [each for each in told.sources if each.server in planned]
    sources, servers = f"time sources of {device}", " or ".join(one.servers)
    if followed_others:
        return sources, f"its clock follows {_names(followed_others)}, which nobody planned"
    if not mine:
        return sources, f"it asks {_names(others) or 'nobody'} for the time, not {servers}"
    if others:
        return sources, f"it asks {_names(others)} for the time as well, which nobody planned"
    if not any(each.answers for each in mine):
        return sources, f"{_names(mine)} does not tell it the time"
    followed = [each for each in mine if each.is_followed]
    if told.sets and not followed:
        return sources, f"its clock does not follow {_names(mine)}"
    if silent := [each for each in followed if not each.answers]:
        return sources, f"it follows {_names(silent)}, which tells it the time no more"
    return None


def ahead_s(told: Timekeeping) -> tuple[float, float] | None:
    """By how much its clock is ahead of the server, and to within what; None where it tells not.

    Of the server that it follows; where the clock is not its own to set, of the farthest one.
    """
    known = [
        (each.ahead_s, each.within_s)
        for each in told.sources
        if each.ahead_s is not None and (each.is_followed or not told.sets)
    ]
    return max(known, key=lambda one: abs(one[0]) + one[1], default=None)


def _names(some: Iterable[TimeSource]) -> str:
    return ", ".join(sorted(each.server for each in some))
