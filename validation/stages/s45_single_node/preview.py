"""What stage 45 would run."""

from __future__ import annotations

from inventory.plan import Plan
from validation.probes.planned_load import CannotLoadError, Part, jobs

from .ramp import RampError
from .work import steps


def parts(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    """The parts of the stage; CannotLoadError where no wave keeps within the power steps."""
    try:
        return (jobs("jobs", steps(plan, configured)),)
    except RampError as error:
        raise CannotLoadError(f"single nodes cannot be burnt: {error}") from None
