"""FRR's frr.conf, whole, for every switch system that runs FRR: printed, and read again.

No dialect: a dialect says with `Printing` and `Reading` how its FRR differs, and does the rest.
"""

from __future__ import annotations

from .compare import statements
from .options import UNCHANGED, Names, Printing, Reading
from .readback import FrrFacts, read
from .render import SECTIONS, frr_conf, shutdown_command

__all__ = [
    "SECTIONS",
    "UNCHANGED",
    "FrrFacts",
    "Names",
    "Printing",
    "Reading",
    "frr_conf",
    "read",
    "shutdown_command",
    "statements",
]
