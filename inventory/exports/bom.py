"""The bill of materials: what must be bought to build the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ..plan import Plan, Plane
from .csv_text import csv_text
from .media import PLUGGED, medium
from .view import number

COLUMNS = ("what", "item", "plane", "rate_gbps", "cable_m", "count")


@dataclass(frozen=True, slots=True)
class Line:
    """So many of one thing; fields that do not apply are "" or None."""

    what: str
    item: str
    plane: str
    rate_gbps: float | None
    cable_m: float | None
    count: int

    @property
    def cells(self) -> tuple[str, ...]:
        """The line as text, in the order of COLUMNS."""
        measures = ["" if one is None else number(one) for one in (self.rate_gbps, self.cable_m)]
        return self.what, self.item, self.plane, *measures, str(self.count)


def bom_csv(plan: Plan, plane: Plane | None = None) -> str:
    """The bill as CSV, of one plane's cables or of everything."""
    return csv_text(COLUMNS, (one.cells for one in bill(plan, plane)))


def bill(plan: Plan, plane: Plane | None = None) -> tuple[Line, ...]:
    """The bill: devices by profile, NIC ports, cables by medium, rate and length, transceivers.

    With a plane, its cables, ports and transceivers alone. Transceivers are counted by cable:
    one at each end of pluggable fibre.
    """
    lines = [] if plane else [*_devices(plan)]
    lines += _nic_ports(plan, plane)
    lines += _cables(plan, plane)
    return tuple(lines)


def _devices(plan: Plan) -> Iterator[Line]:
    switches = Counter(one.profile for one in plan.switches)
    nodes = Counter(one.profile for one in plan.nodes)
    yield from (Line("switch", *_plain(item), count) for item, count in sorted(switches.items()))
    yield from (Line("node", *_plain(item), count) for item, count in sorted(nodes.items()))
    yield Line("server", *_plain("OOB server"), 1)


def _plain(item: str) -> tuple[str, str, None, None]:
    return item, "", None, None


def _nic_ports(plan: Plan, plane: Plane | None) -> Iterator[Line]:
    """Ports of nodes' NICs: those of data planes."""
    found = Counter(
        (cable.plane, cable.rate_gbps)
        for cable in plan.cables
        for end in (cable.a, cable.b)
        if end.device in plan.node and cable.plane != "oob" and plane in (None, cable.plane)
    )
    for (on, rate), count in sorted(found.items()):
        yield Line("NIC port", f"{number(rate)} Gb/s", on, rate, None, count)


def _cables(plan: Plan, plane: Plane | None) -> list[Line]:
    found = Counter(
        (cable.plane, cable.rate_gbps, cable.cable_m)
        for cable in plan.cables
        if plane in (None, cable.plane)
    )
    lines, plugs = [], Counter[tuple[Plane, str, float]]()
    for (on, rate, metres), count in sorted(found.items()):
        kind = medium(rate, metres)
        lines.append(Line("cable", kind, on, rate, metres, count))
        if kind in PLUGGED:
            plugs[on, kind, rate] += 2 * count
    return lines + [
        Line("transceiver", kind, on, rate, None, count)
        for (on, kind, rate), count in sorted(plugs.items())
    ]
