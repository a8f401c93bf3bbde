"""frr.conf -> FrrFacts. Shares nothing with the templates or their view but names of systems.

Reads foreign configurations too: what it does not understand it lists, line by line.
"""

from __future__ import annotations

from switch_configs.frr.options import Reading

from .frr import read_text
from .reading import FrrFacts

__all__ = ["FrrFacts", "read"]

_FRR = Reading()


def read(text: str, reading: Reading = _FRR) -> FrrFacts:
    """Everything neutral in it; what is not understood is in `unread`. Never raises."""
    return read_text(text, reading)
