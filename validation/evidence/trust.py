"""Which evidence may be believed. Every doubt has a reason; doubt is never a pass.

Evidence counts from its device's last change until now, both by this host's clock. Where that clock
was wrong nothing of the kind can be told, so it is held against the clocks of the devices that were
asked: they go with every trip. The record dates no change before evidence that it has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from inventory.plan import Plan
from inventory.problems import ExpectedError

from .store import Frame

TIMED_OUT = 124  # timeout(1): the command did not finish
KILLED = 137  # timeout(1) with -k: it had to be killed
CLOCK_SLACK_S = 60.0  # clocks of healthy hosts agree far better, a trip connects in 20 s
_ENOUGH = 3  # devices that say the same of this host's clock
_NAMED = 5
_REMEDY = "set this host's clock right (`timedatectl`, `chronyc tracking`) and measure again"
DATE_RECORD = "`railbed runs --clock-was-ahead`"


def utc_now() -> datetime:
    """This host's clock."""
    return datetime.now(UTC)


class MissingEvidence(ExpectedError):
    """No believable answer: whoever needed it is inconclusive, for this reason."""


@dataclass(frozen=True)
class Trust:
    """What evidence of this plan must carry. `changed`: a device's last change, UTC.

    `since`: evidence from before is of a record that was lost.
    """

    plan_digest: str
    macs: Mapping[str, str | None]
    changed: Mapping[str, datetime] = field(default_factory=dict)
    since: datetime | None = None
    clock: Callable[[], datetime] = utc_now

    @classmethod
    def of(
        cls, plan: Plan, changed: Mapping[str, datetime], since: datetime | None = None
    ) -> Trust:
        """The trust that a plan gives."""
        return cls(plan.digest, plan.management_mac, changed, since)

    def doubt(self, frame: Frame, boot_id: str, clocks: Mapping[str, float]) -> str:
        """Why this frame proves nothing; empty where it does.

        `boot_id` is that of the device's newest evidence, `clocks` what all devices' clocks said
        (`EvidenceStore.clocks`).
        """
        return (
            frame.damage
            or self._another_device(frame)
            or self._outdated(frame, boot_id)
            or self._ahead(frame)
            or controller_off(clocks)
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
        for what, when in (("the device's last change", changed), ("its own begin", self.since)):
            if when is not None and when > self._latest:
                return (
                    f"the record dates {what} {in_words(when - self.clock())} after now "
                    f"({when.isoformat()}): this host's clock was ahead then, or is behind now; "
                    f"once it is right, {DATE_RECORD}"
                )
        if changed is not None and frame.time <= changed:
            return (
                f"it is older than the device's last change ({changed.isoformat()} by this host's "
                "clock of now): measure again"
            )
        if self.since is not None and frame.time <= self.since:
            return f"it is older than the record, begun anew at {self.since.isoformat()}"
        return "" if frame.identity.boot_id == boot_id else "the device has restarted since"

    @property
    def _latest(self) -> datetime:
        return self.clock() + timedelta(seconds=CLOCK_SLACK_S)

    def _ahead(self, frame: Frame) -> str:
        if frame.time <= self._latest:
            return ""
        ahead = in_words(frame.time - self.clock())
        return f"it is dated {frame.time.isoformat()}, {ahead} after now: {_REMEDY}"


def outliers(clocks: Mapping[str, float]) -> str:
    """The devices whose clocks were not this host's, each with its way; empty where there are none.

    "leaf1 is 8 hours ahead, leaf2 is 3 days behind".
    """
    off = [(device, one) for device, one in sorted(clocks.items()) if abs(one) > CLOCK_SLACK_S]
    told = [
        f"{device} is {in_words(timedelta(seconds=abs(one)))} {'ahead' if one > 0 else 'behind'}"
        for device, one in off[:_NAMED]
    ]
    return ", ".join(told) + (f", and {len(off) - _NAMED} more" if off[_NAMED:] else "")


def controller_off(clocks: Mapping[str, float]) -> str:
    """Why this host's clock is not believed; empty where it is, or no device told its own.

    One device that disagrees has a wrong clock; where more than half do, this host may have. It is
    blamed where most say the same, three or more: two can be wrong together, and one by itself.
    """
    off = [ahead for ahead in clocks.values() if abs(ahead) > CLOCK_SLACK_S]
    if len(off) * 2 <= len(clocks):
        return ""
    middle = sorted(clocks.values())[len(clocks) // 2]  # what most say, it is among
    agreeing = sum(abs(one - middle) <= CLOCK_SLACK_S for one in off)
    if agreeing < _ENOUGH or agreeing * 2 <= len(clocks):
        return (
            f"the clocks of this host and of devices do not agree, either may be wrong "
            f"({outliers(clocks)}): look at both (`timedatectl`, `chronyc tracking`), set right "
            "the one that is wrong, and measure again"
        )
    way = "behind" if middle > 0 else "ahead of"
    return (
        f"this host's clock was {in_words(timedelta(seconds=abs(middle)))} {way} those of "
        f"{agreeing} of {len(clocks)} devices ({outliers(clocks)}): {_REMEDY}"
    )


def in_words(span: timedelta) -> str:
    """A span in its largest fitting unit."""
    seconds = span.total_seconds()
    for unit, length in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def _unfinished(frame: Frame) -> str:
    if frame.exit_status in (TIMED_OUT, KILLED):
        return "the command did not finish in its time"
    return ""
