"""Which modules are of one batch, and bad modules of one batch that are one cause. Pure.

A batch is what one maker made of one part on one day, of one lot where a lot is told. This is the
one truth of it: stage 15 and the locating of loads (`../locating/causes.py`) ask it here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inventory.plan import Plan, PortRef
from switch_configs.answers.module_form import Module

from .terms import Limits

NAMED = "optic batch"  # how suspects are called


@dataclass(frozen=True, slots=True, order=True)
class Batch:
    """Vendor, part number, and the date code with its lot (`YYMMDDLL`)."""

    vendor: str
    part: str
    made: str

    def __str__(self) -> str:
        return f"{self.vendor} {self.part} {self.made}"


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """One module that is known to be of a batch: by name of the batch, and by serial number."""

    batch: str
    serial: str


def batches(plan: Plan, modules: Mapping[PortRef, Module]) -> dict[PortRef, Batch]:
    """The ports whose module's batch is known, sorted.

    Copper cables are no optics. A module that does not tell its maker, part and date code is of
    no batch: none is guessed from serial numbers. One that two cables show is of neither: one of
    the answers must be wrong, and which is not known.
    """
    told = {
        port: Batch(one.vendor, one.part, one.made)
        for port, one in sorted(modules.items())
        if not one.copper and one.vendor and one.part and one.made
    }
    cables: dict[tuple[Batch, str], set[object]] = {}
    ends: dict[tuple[Batch, str], int] = {}
    for port, batch in told.items():
        key = batch, modules[port].serial
        cables.setdefault(key, set()).add(plan.cable_at[port])
        ends[key] = ends.get(key, 0) + (not modules[port].fixed)
    wrong = {key for key, some in cables.items() if len(some) > 1 or ends[key] > 1}
    return {port: one for port, one in told.items() if (one, modules[port].serial) not in wrong}


def pieces(plan: Plan, modules: Mapping[PortRef, Module]) -> dict[PortRef, Piece]:
    """The same for locating: the name of each port's batch, and the serial number there."""
    found = batches(plan, modules)
    return {port: Piece(f"{NAMED} {one}", modules[port].serial) for port, one in found.items()}


def batch_of(
    here: PortRef,
    known: Mapping[PortRef, Batch],
    modules: Mapping[PortRef, Module],
    bad: Iterable[PortRef],
    limits: Limits,
) -> tuple[Batch, tuple[str, ...], int] | None:
    """The batch of the module in a port, where so much of it is bad that it is the batch.

    With the serial numbers that are bad, and how many the batch has in all. None where it is not
    known, where few are bad, or where no other batch is there to compare with.
    """
    wanted = known.get(here)
    if wanted is None or set(known.values()) == {wanted}:
        return None
    serials = {modules[port].serial for port, one in known.items() if one == wanted}
    wrong = {modules[port].serial for port in bad if known.get(port) == wanted}
    if len(wrong) < limits.batch_least or len(wrong) < limits.batch_share * len(serials):
        return None
    return wanted, tuple(sorted(wrong)), len(serials)
