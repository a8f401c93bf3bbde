"""`nv-fabricmanager --version`: `Fabric Manager version is : 580.95.05` (NVIDIA's user guide)."""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable


def version(text: str) -> str:
    """The version of the program that is installed."""
    found = re.findall(r"^\s*Fabric Manager version is\s*:\s*(\d[\d.]*\d)\s*$", text, re.MULTILINE)
    if len(found) != 1:
        raise Unreadable("nv-fabricmanager does not say its version")
    return str(found[0])
