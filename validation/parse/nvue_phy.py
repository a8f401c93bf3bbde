"""Error ratios of a Cumulus port: `nv show interface PORT link phy-detail --output json`.

NVUE reference, Show Commands, Interfaces (since 5.10.0; not on Spectrum-1): one object, `raw-ber`
before correction, `effective-ber` after, as `1E-7`; `15E-255` is none in the time that was counted,
`time-since-last-clear-min`.
"""

from __future__ import annotations

import re

from .fields import Unreadable, document, mapping, needed
from .module_form import Link

_RATIO = re.compile(r"\d+(?:\.\d+)?(?:E-?\d+)?", re.IGNORECASE)


def link(text: str) -> Link:
    """How well the port's link works. Raises Unreadable."""
    told = mapping(document(text, "nv"), "phy-detail")
    return Link(
        speed="",
        pre_fec_ber=_number(told, "raw-ber"),
        post_fec_ber=_number(told, "effective-ber"),
        downs=None,
        minutes=_number(told, "time-since-last-clear-min"),
    )


def _number(told: dict[str, object], name: str) -> float:
    said = str(needed(told, name, "phy-detail"))
    if not _RATIO.fullmatch(said):
        raise Unreadable(f"phy-detail: {name} is {said!r}")
    return float(said)
