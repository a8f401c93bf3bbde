"""The bill of materials: what must be bought to build the plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.topology.media import PLUGGED, Medium

from ..plan import Cable, Plan, Plane
from .csv_text import csv_text
from .view import Cage, cages, media, number

COLUMNS = ("what", "item", "plane", "rate_gbps", "cable_m", "power_w", "count")


@dataclass(frozen=True, slots=True)
class Line:
    """So many of one thing; fields that do not apply are "" or None.

    `rate_gbps` is that of one link, `power_w` the most that one rack draws.
    """

    what: str
    item: str
    count: int
    plane: str = ""
    rate_gbps: float | None = None
    cable_m: float | None = None
    power_w: int | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as text, in the order of COLUMNS."""
        values = self.rate_gbps, self.cable_m, self.power_w
        measures = ["" if value is None else number(value) for value in values]
        return self.what, self.item, self.plane, *measures, str(self.count)


def bom_csv(plan: Plan, plane: Plane | None = None) -> str:
    """The bill as CSV, of one plane's cables or of everything."""
    return csv_text(COLUMNS, (line.cells for line in bill(plan, plane)))


def bill(plan: Plan, plane: Plane | None = None) -> tuple[Line, ...]:
    """The bill: racks, devices by profile, NIC ports, cables by medium, rate and length.

    With a plane, its cables, ports and transceivers alone.
    """
    lines = [] if plane else [*_racks(plan), *_devices(plan)]
    return (*lines, *_nic_ports(plan, plane), *_cables(plan, plane))


def _racks(plan: Plan) -> Iterator[Line]:
    racks = Counter((rack.kind, rack.power_w) for rack in plan.racks)
    for (kind, power_w), count in sorted(racks.items()):
        yield Line("rack", kind, count, power_w=power_w)
    pdus = sum(len(rack.pdus) for rack in plan.racks)
    if pdus:
        yield Line("PDU", "", pdus)


def _devices(plan: Plan) -> Iterator[Line]:
    kinds = (
        ("switch", [switch.profile for switch in plan.switches]),
        ("OOB switch", [switch.profile for switch in plan.oob_switches]),
        ("node", [node.profile for node in plan.nodes]),
    )
    for what, profiles in kinds:
        for item, count in sorted(Counter(profiles).items()):
            yield Line(what, item, count)
    yield Line("server", "OOB server", 1)


def _nic_ports(plan: Plan, plane: Plane | None) -> Iterator[Line]:
    """Ports of nodes' NICs: those of data planes."""
    found = Counter(
        (cable.plane, cable.rate_gbps)
        for cable in plan.cables
        for end in (cable.a, cable.b)
        if end.device in plan.node and cable.plane != "oob" and plane in (None, cable.plane)
    )
    for (on, rate), count in sorted(found.items()):
        yield Line("NIC port", f"{number(rate)} Gb/s", count, on, rate)


def _cables(plan: Plan, plane: Plane | None) -> list[Line]:
    """Cables and transceivers; what shares a cage is plugged in once.

    A cable with fixed plugs serves all links of a split cage, a transceiver too; fibre is one
    for each link.
    """
    cage_of, medium_of = cages(plan), media(plan)
    pieces: dict[tuple[Plane, float, float, str], set[object]] = defaultdict(set)
    plugs: dict[tuple[Plane, Medium, float], set[Cage]] = defaultdict(set)
    for cable in plan.cables:
        if plane not in (None, cable.plane):
            continue
        kind = medium_of(cable)
        ends = cage_of(cable.a), cage_of(cable.b)
        piece, item = _piece(cable, kind, ends)
        pieces[cable.plane, cable.rate_gbps, cable.cable_m, item].add(piece)
        if kind in PLUGGED:
            plugs[cable.plane, kind, cable.rate_gbps].update(ends)
    lines = [
        Line("cable", item, len(them), on, rate, metres)
        for (on, rate, metres, item), them in sorted(pieces.items(), key=lambda pair: pair[0])
    ]
    return lines + [
        Line("transceiver", item, count, on, rate)
        for (on, kind, rate), them in sorted(plugs.items(), key=lambda pair: pair[0])
        for item, count in sorted(Counter(_plug(kind, cage[2]) for cage in them).items())
    ]


def _piece(cable: Cable, kind: Medium, ends: tuple[Cage, Cage]) -> tuple[object, str]:
    """What one piece of cable is known by, and what it is called."""
    ways = sorted(end[2] for end in ends)
    if kind in PLUGGED or ways == [1, 1]:
        return cable, kind
    if ways[0] == 1:
        return max(ends, key=lambda end: end[2]), f"{kind} 1 to {ways[1]}"
    return ends, f"{kind} of {ways[1]} links"


def _plug(kind: Medium, ways: int) -> str:
    return kind if ways == 1 else f"{kind} of {ways} links"
