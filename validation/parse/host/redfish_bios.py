"""What a BMC said of its BIOS, as `deploy/servers/redfish_run.py` keeps it in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from inventory.reading.fields import Unreadable, document, mapping, needed

FORMAT = 1


@dataclass(frozen=True)
class FoundBios:
    """Attributes by name, only those that were asked for.

    `running` is what the BIOS took at its last start. `pending` is what it will take at the
    next one, None where the BMC shows no such resource; an attribute that is not in it stays
    as it is (DMTF DSP0266, "Settings resource"). `serial` is the system's own.
    """

    node: str
    plan_digest: str
    time: str
    serial: str | None
    running: Mapping[str, object]
    pending: Mapping[str, object] | None


def found_bios(text: str) -> FoundBios:
    """Read one file of evidence. Raises Unreadable for anything else."""
    said = mapping(document(text, "the evidence"), "the evidence")
    if said.get("tool") != "redfish-bios" or said.get("format") != FORMAT:
        raise Unreadable(f"this is no evidence of a BIOS in format {FORMAT}")
    pending, serial = needed(said, "pending", "the evidence"), said.get("serial")
    return FoundBios(
        node=str(needed(said, "node", "the evidence")),
        plan_digest=str(needed(said, "plan_digest", "the evidence")),
        time=str(needed(said, "time", "the evidence")),
        serial=serial if isinstance(serial, str) else None,
        running=_attributes(needed(said, "running", "the evidence"), "running"),
        pending=None if pending is None else _attributes(pending, "pending"),
    )


def _attributes(value: object, what: str) -> dict[str, object]:
    """A number that has no end, as 1e309, is no attribute's value."""
    found = mapping(value, what)
    for name, one in found.items():
        if isinstance(one, float) and not isfinite(one):
            raise Unreadable(f"{what}: {name} is {one}, no attribute's value")
    return found
