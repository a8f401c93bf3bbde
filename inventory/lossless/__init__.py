"""The lossless class of a site: its numbers, and what a switch OS finds by itself.

Only the names that other rooms of the inventory need; the sums lie in the files beside.
"""

from __future__ import annotations

from .buffers import switch_buffers
from .headroom import headroom
from .ledger import ledger
from .policy import lossless
from .port_sets import PortSet, buffers_of, port_sets

__all__ = [
    "PortSet",
    "buffers_of",
    "headroom",
    "ledger",
    "lossless",
    "port_sets",
    "switch_buffers",
]
