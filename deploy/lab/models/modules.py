"""Modules in the front ports of a model: what a healthy one says, dark where no light comes.

A cable of a lab is no fibre, so figures are those of a good 400GBASE-DR4 (IEEE 802.3bs, table
124-7: launch and receive power of a lane); a port whose far end is off hears nothing. Its memory
map has room for eight lanes (CMIS: a bank), of which it has four.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import under
from .under import Link, Run
from .wanted import Wanted

LANES, ROOM = 4, 8
KIND, PART, VENDOR = "400GBASE-DR4", "QDD-400G-DR4", "MODEL"
MADE = "251103"  # YYMMDD
FORM = "QSFP-DD Double Density 8X Pluggable Transceiver"
TEMPERATURE_C, VOLTAGE_V = 38.5, 3.3
TX_DBM, BIAS_MA = 1.9, 92.0
_LIGHT_DBM, DARK_DBM = 0.1, -40.0
# Where it warns: below the first, above the second.
RX_WARN_DBM, TX_WARN_DBM = (-6.0, 4.0), (-3.0, 4.0)
BIAS_WARN_MA, TEMPERATURE_WARN_C = (35.0, 130.0), (0.0, 70.0)
PRE_FEC_RATIO = 2.4e-9
_FRONT = re.compile(r"(?:et|Ethernet|swp)\d")


@dataclass(frozen=True, slots=True)
class Module:
    """The module in the port `device`, as Linux calls it."""

    device: str
    serial: str
    rx_dbm: float


def modules(run: Run, wanted: Wanted) -> Iterator[Module]:
    """One in each front port that has a cable."""
    for link in under.links(run, wanted):
        if _FRONT.match(link.device):
            yield Module(link.device, _serial(link), _LIGHT_DBM if link.is_up else DARK_DBM)


def mapped(lit: float, unlit: float) -> tuple[float, ...]:
    """A figure of each lane that the memory map has room for."""
    return (lit,) * LANES + (unlit,) * (ROOM - LANES)


def limits(warn: tuple[float, float]) -> dict[str, float]:
    """By end and sort; alarms are a unit beyond warnings."""
    low, high = warn
    return {
        "high alarm": high + 1,
        "low alarm": low - 1,
        "high warning": high,
        "low warning": low,
    }


def _serial(link: Link) -> str:
    """As each module has one of its own: by the port's MAC address."""
    return f"MODEL{link.mac.replace(':', '').upper()}"
