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
    for one in wires(plan, configured):
        says = f"no packet of {one.packets} is lost between {one.here} and {one.there}"
        yield WireExpected(f"wire:{one.here}", one.here.device, says, one)
