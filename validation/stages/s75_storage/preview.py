"""What stage 75 would run."""

from __future__ import annotations

from inventory.plan import Plan
from validation.probes.planned_load import Part, jobs

from .work import steps as planned_steps


def parts(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    """The parts of the stage, once `configured` is in place."""
    return (jobs("jobs on mounts", planned_steps(plan, configured)),)
