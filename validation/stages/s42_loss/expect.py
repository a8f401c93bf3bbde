"""What must be true of each single cable. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
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
