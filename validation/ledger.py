"""The assumption ledger: what a validation relies on, or does not ask, with the reason."""

from __future__ import annotations

from inventory.plan import Assumption, Plan

_NOT_ASKED = (
    ("PFC", "no port pauses the lossless class"),
    ("ECN marking", "no queue marks congestion"),
    ("buffers and headroom", "no buffer is set aside for the lossless class"),
    ("PFC watchdog", "there is no pause that could hang"),
)


def ledger(plan: Plan) -> tuple[Assumption, ...]:
    """The plan's assumptions, and what a marking-only fabric is not asked; sorted."""
    made = list(plan.assumptions)
    if plan.lossless.mode == "marking-only":
        source = "the switch profile declares `lossless: marking-only`"
        made += [Assumption(name, f"not asked: {why}", source, False) for name, why in _NOT_ASKED]
    return tuple(sorted(set(made)))
