"""Which colour a cable gets."""

from __future__ import annotations

from ..plan import Plane

# The colours that TIA-598 counts fibres with, and people know. Rails take the first eight, then
# the same with a stripe; the last four are for what has no rail.
RAIL_COLOURS = ("blue", "orange", "green", "brown", "slate", "white", "red", "black")
PLANE_COLOURS: dict[Plane, str] = {
    "compute": "aqua",
    "storage": "rose",
    "business": "violet",
    "oob": "yellow",
}


def colour(plane: Plane, rail: int | None) -> str:
    """The colour of a cable's labels: its rail's in the compute plane, else its plane's."""
    if plane != "compute" or rail is None:
        return PLANE_COLOURS[plane]
    base = RAIL_COLOURS[rail % len(RAIL_COLOURS)]
    return base if rail < len(RAIL_COLOURS) else f"{base} striped"
