"""`cables.csv`: one row a cable, in the order in which racks are wired."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ..plan import Cable, Plan, Plane, PortRef
from .colours import colour
from .csv_text import csv_text
from .view import (
    NOWHERE,
    Place,
    device_order,
    media,
    natural,
    nic_rails,
    number,
    places,
    rail_of,
    upward,
)

COLUMNS = (
    "number", "label", "a_device", "a_port", "a_rack", "a_unit", "b_device", "b_port", "b_rack",
    "b_unit", "plane", "rate_gbps", "cable_m", "medium", "colour",
)  # fmt: skip

# As the switches' own command lines shorten it.
_SHORT = {"Ethernet": "Et"}


def cables_csv(plan: Plan, plane: Plane | None = None) -> str:
    """The cables of one plane or of all.

    End a is the lower one (node, leaf, spine ...), so a rack's own cables stand together.
    `number` counts the rows of this file; what lasts, and goes on the cable, is `label`.
    """
    return csv_text(COLUMNS, _rows(plan, plane))


def label(lower: PortRef, upper: PortRef) -> str:
    """What is printed on both ends. Made of the ends alone, so growth never renames a cable."""
    return f"{lower.device}:{_short(lower.port)} {upper.device}:{_short(upper.port)}"


@lru_cache(maxsize=4096)
def _short(port: str) -> str:
    return next((f"{s}{port[len(w) :]}" for w, s in _SHORT.items() if port.startswith(w)), port)


def _rows(plan: Plan, plane: Plane | None) -> Iterator[tuple[str, ...]]:
    rails, stands, medium_of = nic_rails(plan.nodes), places(plan), media(plan)
    for count, (cable, lower, upper) in enumerate(in_order(plan, plane), start=1):
        kind = medium_of(cable)
        measures = number(cable.rate_gbps), number(cable.cable_m)
        seen = colour(cable.plane, rail_of(plan, lower, rails))
        ends = *_end(lower, stands), *_end(upper, stands)
        yield str(count), label(lower, upper), *ends, cable.plane, *measures, kind, seen


def in_order(plan: Plan, plane: Plane | None) -> list[tuple[Cable, PortRef, PortRef]]:
    """Cables with their lower and upper end, in the order of racks and ports."""
    rows = list(upward(plan, plane))
    devices = device_order(plan)
    # Ranks compare faster than names: a site has few names of ports.
    found = {end.port for row in rows for end in row[1:]}
    ports = {port: rank for rank, port in enumerate(sorted(found, key=natural))}

    def key(row: tuple[Cable, PortRef, PortRef]) -> tuple[int, int, int, int]:
        _, low, high = row
        return devices[low.device], ports[low.port], devices[high.device], ports[high.port]

    rows.sort(key=key)
    return rows


def _end(end: PortRef, stands: dict[str, Place]) -> tuple[str, str, str, str]:
    place = stands.get(end.device, NOWHERE)
    return end.device, end.port, place.rack, "" if place.unit is None else str(place.unit)
