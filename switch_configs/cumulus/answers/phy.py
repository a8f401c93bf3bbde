"""Error ratios of a Cumulus port: `nv show interface PORT link phy-detail --output json`.

NVUE reference, Show Commands, Interfaces (since 5.10.0; not on Spectrum-1): one object, `raw-ber`
before correction, `effective-ber` after, as `1E-7`; `15E-255` is none in the time that was counted,
`time-since-last-clear-min`.
"""

from __future__ import annotations

from inventory.reading.fields import document, mapping, needed
from inventory.reading.numbers import Real
from switch_configs.answers.module_form import MINUTES, RATIO, Link


def link(text: str) -> Link:
    """How well the port's link works. Raises Unreadable."""
    told = mapping(document(text, "nv"), "phy-detail")
    return Link(
        speed="",
        pre_fec_ber=_number(told, "raw-ber", RATIO),
        post_fec_ber=_number(told, "effective-ber", RATIO),
        downs=None,
        minutes=_number(told, "time-since-last-clear-min", MINUTES),
    )


def _number(told: dict[str, object], name: str, kind: Real) -> float:
    """A ratio is a text, a time a number or a text, by release."""
    said = needed(told, name, "phy-detail")
    return kind.read(said) if isinstance(said, str) else kind.of(told, name, "phy-detail")
