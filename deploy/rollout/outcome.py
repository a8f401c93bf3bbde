"""What a run that ended well says of the site, and what that says of each device."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Plan

MEASURED = "the site is as planned, and measured so"
_LEFT = "what is configured is measured so; not yet as planned: "


def said_of(plan: Plan, configured: frozenset[str], parked: Sequence[str] = ()) -> str:
    """What may be claimed of a site of which only `configured` is as planned.

    `parked` nodes are unvalidated, whatever was configured on them.
    """
    if parked:
        said = said_of(plan, configured)
        return f"{said}, but for {len(parked)} parked as unvalidated: {', '.join(parked)}"
    left = sorted(set(plan.devices) - configured)
    if not left:
        return MEASURED
    return f"{_LEFT}{', '.join(left)}"


def left_of(outcome: str) -> frozenset[str] | None:
    """The devices that a run which ended well left as they were; None of any other run.

    A parked node is unvalidated and runs no jobs: it is not one of them.
    """
    said = outcome.partition(", but for ")[0]
    if said == MEASURED:
        return frozenset()
    return frozenset(said.removeprefix(_LEFT).split(", ")) if said.startswith(_LEFT) else None
