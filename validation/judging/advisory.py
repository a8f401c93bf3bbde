"""What is told, and no rollout waits for."""

from __future__ import annotations

from validation.verdict import Finding, Verdict

# Nobody reboots a node in the middle of a rollout.
_LETS_GO = frozenset({"kernel", "reboot", "signal"})
# Nodes beside each other: they differ while a rollout goes on, and each one's own state is asked.
_COMPARES = frozenset({"versions"})


def is_let_go(one: Finding) -> bool:
    """Whether it is told, and no rollout waits for it."""
    if one.check in _COMPARES:
        return True
    return one.check in _LETS_GO and one.verdict is Verdict.INCONCLUSIVE and bool(one.suspect)
