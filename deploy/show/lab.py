"""`lab status`: the machines of a lab, and what they cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from rich.console import Console

from .words import plain_table, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.lab.status import LabStatus


def lab_text(found: LabStatus, out: Console) -> None:
    """A line on the lab, then a row a machine."""
    print_line(out, found.title())
    if not found.machines:
        return
    columns = ("machine", "image", "state", "pid", "starts", "up s", "memory MB", "disk MB")
    table = plain_table("", columns)
    for status in found.machines:
        counts = f"{status.starts}", f"{time.time() - status.since:.0f}"
        costs = f"{status.memory_bytes / 1e6:.1f}", f"{status.disk_bytes / 1e6:.1f}"
        table.add_row(
            status.name, status.layer, status.state, str(status.pid or "-"), *counts, *costs
        )
    out.print(table)
