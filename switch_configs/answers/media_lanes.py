"""How many lanes a module has, by what it says of itself.

`400GBASE-DR4`, `OSFP-400G-SR8`, `800G-2xFR4`: the digit after the reach counts lanes, or
wavelengths of one fibre; what stands before it counts ports (IEEE 802.3, 1.4; makers name theirs
alike). `400G-ZR` is coherent: one lane. No form has more lanes than SFF-8024, table 4-1, gives it,
whatever the name says: `100GBASE-SR4 or 25GBASE-SR` is one code of a QSFP28 and of an SFP28.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from inventory.reading.numbers import Whole

_REACH = re.compile(
    r"(?<![A-FH-Z])(?:(?<![0-9])([248])X?)?[EVX]?(?:SR|DR|FR|LR|ER|ZR|PSM|[CS]WDM)([1248])(?![0-9])"
)
_COHERENT = re.compile(r"[48]00(?:G|GBASE)?-?ZR")
_RATE = re.compile(r"(?<![0-9])(\d{2,4})G")
_LANES = Whole("lanes of a reach", "1", 1, 8)
_GBPS = Whole("rate in a name", "Gb/s", 10, 9999)
_FORMS = ((r"OSFP|QSFP-?DD", 8), (r"QSFP", 4), (r"SFP-DD|DSFP", 2), (r"SFP", 1))
_MOST = 16


@dataclass(frozen=True, slots=True)
class Media:
    """The lanes that a module has at least, and what they carry together; None: not told."""

    lanes: int
    gbps: int | None = None


def media(form: str, names: Iterable[str], counts: Iterable[int] = ()) -> Media | None:
    """By its form factor, its names, and the counts that it tells; None where nothing says it."""
    said = " ".join(names).upper()
    reaches = [
        _LANES.read(lanes) * _LANES.read(ports or "1") for ports, lanes in _REACH.findall(said)
    ]
    found = [*reaches, *(one for one in counts if one)]
    if not found and _COHERENT.search(said):
        return Media(1)
    if not found:
        return None
    rates = [_GBPS.read(one) for one in _RATE.findall(said) if not one.startswith("0")]
    lanes = min(max(found), _room(form.upper()))
    return Media(lanes, max(rates) if rates and reaches else None)


def _room(form: str) -> int:
    return next((lanes for name, lanes in _FORMS if re.search(name, form)), _MOST)
