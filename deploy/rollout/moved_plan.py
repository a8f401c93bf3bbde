"""Whether the plan moved since the last apply, as the record has it, and what that explains."""

from __future__ import annotations

from collections.abc import Sequence

from deploy.record.journal import Record
from inventory.digest import parts_of
from inventory.plan import Plan
from validation.judging.bisect import plan_events
from validation.judging.moved import Before, one_cause
from validation.verdict import Finding


def told_as_one(plan: Plan, record: Record, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, with one suspect for all that a moved plan explains; see `one_cause`.

    The plan moved where the last gate there was let go for another one, and nothing was changed
    since: a rollout of this plan that has begun is asked for its own faults.
    """
    was = record.settled_plan()
    if was in ("", plan.digest):
        return tuple(findings)
    changed = plan_events(0, record.plan_parts(was), parts_of(plan))
    before = Before(record.said_under(was), frozenset(event.device for event in changed))
    return one_cause(plan, findings, before)
