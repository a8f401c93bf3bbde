"""What stage 60 would run."""

from __future__ import annotations

from inventory.plan import Plan
from validation.probes.planned_load import Part, flows

from .incast import incasts
from .phases import phases


def parts(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    """The receivers change with each run's turn; how many there are does not."""
    rounds = incasts(plan, configured, 0)
    made = [
        phase.flows for n, row in enumerate(rounds) for phase in phases(plan, n, row) if phase.flows
    ]
    more = "three more of each incast in which a sender starves" if made else ""
    return (flows("pairs, many to one", made, more),)
