"""`lldp.csv`: the neighbour that each port must see, both ends of every cable."""

from __future__ import annotations

from functools import cache

from ..plan import Plan, Plane
from .csv_text import csv_text
from .view import cables_of, natural

COLUMNS = ("device", "port", "neighbour", "neighbour_port", "plane")


def lldp_csv(plan: Plan, plane: Plane | None = None) -> str:
    """One row a port, as `lldpctl` and the switches' LLDP tables can be compared with it."""
    cables = list(cables_of(plan, plane))
    rows = [(c.a.device, c.a.port, c.b.device, c.b.port, c.plane) for c in cables]
    rows += [(c.b.device, c.b.port, c.a.device, c.a.port, c.plane) for c in cables]
    key = cache(natural)
    rows.sort(key=lambda row: (key(row[0]), key(row[1])))
    return csv_text(COLUMNS, rows)
