"""A suspect: the smallest set that the evidence can tell apart, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from .sure import NOT_SURE, Sure


class Kind(StrEnum):
    """What kind of thing a suspect is."""

    RAIL_LINK = "NIC, cable, optics or leaf port"
    NODE = "node"
    POWER = "power or cooling of a rack"
    LEAF = "leaf"
    FABRIC_LINK = "cable or optics between switches"
    SPINE = "switch above the leaves"
    BATCH = "optics of one batch"


@dataclass(frozen=True, slots=True, order=True)
class Suspect:
    """One culprit is in `units`, and nothing measured tells them apart.

    A unit is a cable with all that hangs on it (NIC, optics, ports), a device, or a group of
    things that fail together. `covers` are the smaller units that a common cause stands for.
    """

    kind: Kind
    units: tuple[str, ...]
    sure: Sure = NOT_SURE
    found: str = ""
    hint: str = ""
    covers: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """As findings name it: one unit by itself, several by the first and their number."""
        more = f" or {len(self.units) - 1} others" if len(self.units) > 1 else ""
        return f"{self.units[0]}{more}"

    @property
    def told(self) -> str:
        """What was seen, the size of the set, how sure."""
        size = f"1 of {len(self.units)} alike" if len(self.units) > 1 else "1 suspect"
        return f"{self.found} [{size}: {self.kind}; {self.sure}]"
