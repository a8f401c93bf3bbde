"""Advisory findings: reported to people, and never a reason for a rollout to wait."""

from __future__ import annotations

from validation.verdict import Finding, Verdict

# Nobody reboots a node in the middle of a rollout.
_NEEDS_A_REBOOT = frozenset({"kernel", "reboot", "signal"})
# Nodes beside each other: they differ while a rollout goes on, and each one's own state is asked.
_COMPARES = frozenset({"versions"})


def is_advisory(one: Finding) -> bool:
    """Whether it is told, and no rollout waits for it."""
    if one.check in _COMPARES:
        return True
    return (
        one.check in _NEEDS_A_REBOOT and one.verdict is Verdict.INCONCLUSIVE and bool(one.suspect)
    )
