"""Output of `mlxconfig -d PCI -e q` (and mstconfig): NIC settings that firmware keeps.

Source: mlxconfig/mlxcfg_ui.cpp of github.com/Mellanox/mstflint. A row is a mark (`*`: something
waits), `RO`, the name, and a value for each column. Firmware that cannot tell what is current gives
the column `Next Boot` alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import COUNTER_MOST, Whole

_HEADING = re.compile(
    r"^Configurations:\s+((?:Default|Current|Next Boot)(?:\s+(?:Current|Next Boot))*)\s*$",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^[* ]?\s*(?:RO\s+)?(?P<name>[A-Z][A-Z0-9_]*(?:\[[\d.]+\])?)\s+(?P<values>\S.*)$"
)
_NUMBER = re.compile(r"(?:.*\()?(0x[0-9a-f]+|[0-9]+)\)?", re.IGNORECASE)
_DECIMAL = Whole("a setting", "1", 0, COUNTER_MOST)
_HEX = Whole("a setting", "1", 0, COUNTER_MOST, base=16)
_MASK = Whole("a mask of priorities", "bits", 0, 255)


@dataclass(frozen=True, slots=True)
class NvValue:
    """A setting now and after the next boot; `current` is None where firmware does not tell."""

    current: str | None
    next: str

    @property
    def waits(self) -> bool:
        """Whether a reset or reboot changes it."""
        return self.current is not None and self.current != self.next


def settings(text: str) -> dict[str, NvValue]:
    """Every setting, by name. Unreadable where a row does not fit its heading."""
    headings = list(_HEADING.finditer(text))
    if len(headings) != 1 or text.count("Device #") != 1 or re.search(r"^-E-", text, re.MULTILINE):
        said = next((one for one in text.splitlines() if one.startswith("-E-")), "no table")
        raise Unreadable(f"mlxconfig printed {said}")
    columns = re.findall(r"Default|Current|Next Boot", headings[0][1])
    if columns[-1] != "Next Boot":
        raise Unreadable("mlxconfig does not say what is set for the next boot")
    found: dict[str, NvValue] = {}
    for line in text[headings[0].end() :].splitlines():
        row = _ROW.match(line)
        if not line.strip() or not row or line.startswith(("The '", "Device Firmware", "-")):
            if line.startswith((" ", "*")) and line.strip():
                raise Unreadable(f"mlxconfig: {line.strip()[:80]!r} is no row")
            continue
        name, values = row["name"], row["values"].split()
        if len(values) != len(columns) or name in found:
            raise Unreadable(f"mlxconfig: {name} has {len(values)} of {len(columns)} values")
        current = values[columns.index("Current")] if "Current" in columns else None
        found[name] = NvValue(current, values[-1])
    if not found:
        raise Unreadable("mlxconfig printed no setting")
    return found


def number(value: str) -> str:
    """A value as its number where it has one: `ETH(2)` and `0x2` are 2."""
    found = _NUMBER.fullmatch(value)
    if not found:
        return value
    return str((_HEX if found[1][:2] in ("0x", "0X") else _DECIMAL).read(found[1]))


def mask(value: str) -> tuple[int, ...]:
    """The priorities of a setting that has a bit for each. Raises Unreadable."""
    bits = _MASK.read(number(value))
    return tuple(one for one in range(8) if bits >> one & 1)


def needed(found: Mapping[str, NvValue], name: str) -> NvValue:
    """One setting, or Unreadable: this firmware does not have it, or the row is missing."""
    if name not in found:
        raise Unreadable(f"mlxconfig told nothing of {name}")
    return found[name]
