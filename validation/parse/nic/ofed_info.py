"""`ofed_info -s`: one word that ends with a colon, `MLNX_OFED_LINUX-24.07-0.6.1.0:`.

DOCA-OFED says `OFED-internal-25.10-1.2.8:`. The distribution's driver has no such tool.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable

_WORD = re.compile(
    r"^(MLNX_OFED_LINUX|OFED-internal|DOCA-OFED[\w-]*?)-(\d[\w.-]*\w):\s*$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Ofed:
    """Which OFED, and its version."""

    kind: str
    version: str


def ofed(text: str) -> Ofed:
    """The OFED that is installed."""
    found = _WORD.findall(text)
    if len(found) != 1:
        raise Unreadable(f"ofed_info says {' '.join(text.split())[:80] or 'nothing'}")
    return Ofed(*found[0])
