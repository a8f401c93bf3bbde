"""The one figure of an all_reduce within a node: its bus bandwidth at the size that was asked."""

from __future__ import annotations

from inventory.reading.fields import Unreadable
from validation.parse.loads import nccl_tests


def bus_gbytes_per_s(text: str, size_bytes: int, gpus: int) -> float:
    """The figure in GB/s of 10^9, the slower of in place and out of place.

    Raises Unreadable for a run that proves nothing or had other GPUs, WrongResult for wrong values.
    """
    found = nccl_tests.table(text, "all_reduce")
    if (len(found.ranks), len(found.hosts)) != (gpus, 1):
        raise Unreadable(f"{len(found.ranks)} ranks on {len(found.hosts)} hosts ran, not {gpus}")
    return found.row(size_bytes).busbw_gbs
