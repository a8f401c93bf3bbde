"""What must be true of the OOB plane: every device answers there as itself. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from validation.expectation import Expectation


@dataclass(frozen=True, slots=True)
class AnswersExpected(Expectation):
    """A device answers over the OOB plane as itself, and has its planned addresses there.

    `addresses` are (port, address/bits); the leases of a zone are the OOB server's work,
    so they count once that is configured.
    """

    stage: ClassVar[int] = 10
    check: ClassVar[str] = "answers"
    addresses: tuple[tuple[str, str], ...]


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of every device, once the OOB server is in place."""
    if plan.oob.name not in configured:
        return
    owners = [(switch.name, switch.management) for switch in plan.any_switch.values()]
    owners += [(node.name, node.management) for node in plan.nodes]
    held: dict[str, tuple[tuple[str, str], ...]] = {
        name: ((port.port, str(port.address)),) for name, port in owners if port.mac
    }
    zones = plan.oob.zones
    held[plan.oob.name] = tuple((f"br-{zone.name}", str(zone.server_address)) for zone in zones)
    for name, addresses in sorted(held.items()):
        said = " and ".join(f"{address} on {port}" for port, address in addresses)
        yield AnswersExpected(f"answers:{name}", name, f"{name} answers, with {said}", addresses)
