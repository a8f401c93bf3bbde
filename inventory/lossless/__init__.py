"""The lossless class of a site: its numbers, and what a switch OS finds by itself.

Only the names that other rooms of the inventory need; the sums lie in the files beside.
"""

from __future__ import annotations

from .buffers import switch_buffers
from .ledger import ledger
from .policy import lossless
from .port_sets import buffers_of, port_sets

__all__ = [
    "buffers_of",
    "ledger",
    "lossless",
    "port_sets",
    "switch_buffers",
]
