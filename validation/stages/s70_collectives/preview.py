"""What stage 70 would run."""

from __future__ import annotations

from inventory.plan import Plan
from validation.probes.planned_load import MINUTE_S, Part

from .runs import steps as planned_steps


def parts(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    """The parts of the stage, once `configured` is in place."""
    steps = planned_steps(plan, configured)
    every = [run for step in steps for run in step]
    nodes = len({node for run in every for node in run.nodes})
    limit_s = sum(max(run.launch.limit_s for run in step) for step in steps)
    more = "the search for who is slow or damages data, where one is" if steps else ""
    return (Part("launches", len(every), len(steps), nodes, 0, 0, None, limit_s / MINUTE_S, more),)
