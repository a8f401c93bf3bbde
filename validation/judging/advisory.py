"""Advisory findings: told, and no rollout waits for them; and those that it waits longer for."""

from __future__ import annotations

from validation.verdict import Finding, Verdict

# Nobody reboots a node in the middle of a rollout.
_ASKS = "signal"
_NEEDS_A_REBOOT = frozenset({"kernel", "reboot", _ASKS})
# Nodes beside each other: they differ while a rollout goes on, and each one's own state is asked.
_COMPARES = frozenset({"versions"})
# A clock follows a server only once it has asked it a few times.
_SETTLES_LATE = frozenset({"switch_clock"})


def is_advisory(one: Finding) -> bool:
    """Whether it is told, and no rollout waits for it."""
    if one.check in _COMPARES:
        return True
    return (
        one.check in _NEEDS_A_REBOOT and one.verdict is Verdict.INCONCLUSIVE and bool(one.suspect)
    )


def asks_for_a_reboot(one: Finding) -> bool:
    """Whether a role on this device says that what it changed runs after a reboot.

    Not where a role's unit failed, or where nobody could read what roles say: that is no answer.
    """
    return one.check == _ASKS and one.waits and is_advisory(one)


def settles_late(one: Finding) -> bool:
    """Whether it comes right by itself after routing has: see `Clocks.follows_s` of a system."""
    return one.check in _SETTLES_LATE
