"""What must be true of each single cable. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from switch_configs import is_typed
from validation.expectation import Expectation

from .wire import Wire, wires


@dataclass(frozen=True, slots=True)
class WireExpected(Expectation):
    """A cable loses no small packets."""

    stage: ClassVar[int] = 42
    check: ClassVar[str] = "wire"
    wire: Wire


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of every cable between two devices of `configured` that answers pings."""
    for wire in wires(plan, configured):
        says = f"no packet of {wire.packets} is lost between {wire.here} and {wire.there}"
        yield WireExpected(f"wire:{wire.here}", wire.here.device, says, wire)


def unasked(plan: Plan) -> Iterator[str]:
    """The switches that ping no cable, by system."""
    systems = sorted({one.dialect for one in plan.switches if is_typed(one.dialect)})
    if systems:
        yield (
            f"does not ping along cables from {' and '.join(systems)}, which give no shell: loss "
            "on a cable there shows in the error ratios of stage 15 and the pairs of stage 50"
        )
