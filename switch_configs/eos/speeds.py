"""Rates as EOS writes them.

Lane counts after the dash: EOS User Manual, Layer 1 Profiles; `speed 400g-4` and `200g-2` of a
split OSFP cage: sonic-mgmt, Arista breakout. A copper port of 1 Gb/s negotiates.
`auto` before a faster one: `negotiated` of `abilities.yml`.
"""

from __future__ import annotations

from inventory.switches.abilities import of
from switch_configs.errors import DialectError

# Up to this rate a port of one lane has no dash in its speed.
_ONE_LANE_MOST_GBPS = 25
_UNDASHED_MOST_GBPS = 40
_RATES_GBPS = (1, 10, 25, 40, 50, 100, 200, 400, 800)
FEC_LINES = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}


def speed(rate_gbps: float, lanes: int, what: str, autoneg: bool | None = None) -> str:
    """What stands after `speed`; `DialectError` for a rate that EOS has no word for."""
    if autoneg is not None:
        return _negotiated(rate_gbps, lanes, what, autoneg)
    if rate_gbps not in _RATES_GBPS:
        raise DialectError(
            f"{what}: EOS has no speed of {rate_gbps:g} Gb/s",
            f"it has {', '.join(map(str, _RATES_GBPS))} Gb/s",
        )
    if rate_gbps == 1:
        return "auto 1000full"
    if rate_gbps <= _ONE_LANE_MOST_GBPS:
        return f"{rate_gbps:g}g"
    return f"{rate_gbps:g}g-{max(lanes, 1)}"


def _negotiated(rate_gbps: float, lanes: int, what: str, autoneg: bool) -> str:
    known = of("eos").negotiated
    if not autoneg or known is None or (rate_gbps, lanes) not in known.ports:
        raise DialectError(
            f"{what}: EOS has no word for `copper_autoneg: {str(autoneg).lower()}` of "
            f"{rate_gbps:g} Gb/s over {lanes} lanes",
            "leave `copper_autoneg` out of its profile",
        )
    how = "full" if rate_gbps <= _UNDASHED_MOST_GBPS else f"-{lanes}"
    return f"auto {rate_gbps:g}g{how}"
