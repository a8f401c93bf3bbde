"""`mlxreg -d PCI --reg_name ROCE_ACCL --get`: a table `name | 0x00000001` (mlxreg(1) of MFT)."""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole

_FIELD = Whole("field of a register", "1", 0, (1 << 32) - 1, base=16)
_ROW = re.compile(r"^\s*([a-z][a-z0-9_]*)\s*\|\s*(0x[0-9a-fA-F]+)\s*$", re.MULTILINE)


def fields_of(text: str) -> dict[str, int]:
    """The register's fields by name."""
    rows = _ROW.findall(text)
    if not rows or len(dict(rows)) != len(rows):
        raise Unreadable(
            f"mlxreg printed no register but {' '.join(text.split())[:80] or 'nothing'}"
        )
    return {name: _FIELD.read(value) for name, value in rows}
