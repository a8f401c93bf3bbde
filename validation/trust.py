"""Which evidence may be believed. Every doubt has a reason; doubt is never a pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from inventory.plan import Plan

from .evidence import Frame

TIMED_OUT = 124  # timeout(1): the command did not finish
KILLED = 137  # timeout(1) with -k: it had to be killed


class MissingEvidence(Exception):
    """No believable answer: whoever needed it is inconclusive, for this reason."""


@dataclass(frozen=True)
class Trust:
    """What evidence of this plan must carry. `changed`: a device's last change, UTC."""

    plan_digest: str
    macs: Mapping[str, str | None]
    changed: Mapping[str, datetime] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, changed: Mapping[str, datetime]) -> Trust:
        """The trust that a plan gives."""
        return cls(plan.digest, plan.management_mac, changed)

    def doubt(self, frame: Frame, boot_id: str) -> str:
        """Why this frame proves nothing; empty where it does.

        `boot_id` is that of the device's newest evidence.
        """
        return (
            frame.damage
            or self._another_device(frame)
            or self._outdated(frame, boot_id)
            or _unfinished(frame)
        )

    def _another_device(self, frame: Frame) -> str:
        who, mac = frame.identity, self.macs.get(frame.device)
        if who.hostname != frame.device:
            return f"{who.hostname!r} answered, not {frame.device}"
        if mac is None:
            return f"the plan has no MAC to know {frame.device} by"
        if who.mac.lower() != mac.lower():
            return f"a device with management MAC {who.mac or 'unknown'} answered, not {mac}"
        return "" if who.boot_id else "the device did not say which boot it is in"

    def _outdated(self, frame: Frame, boot_id: str) -> str:
        if frame.plan_digest != self.plan_digest:
            return f"it was gathered for plan {frame.plan_digest[:12]}, not this one"
        changed = self.changed.get(frame.device)
        if changed is not None and frame.time <= changed:
            return f"it is older than the device's last change ({changed.isoformat()})"
        return "" if frame.identity.boot_id == boot_id else "the device has restarted since"


def _unfinished(frame: Frame) -> str:
    if frame.exit_status in (TIMED_OUT, KILLED):
        return "the command did not finish in its time"
    return ""
