"""Modules in the front ports of a model: what a healthy one says, dark where no light comes.

A cable of a lab is no fibre, so figures are those of a good 400GBASE-DR4 (IEEE 802.3bs, table
124-7: launch and receive power of a lane); a port whose far end is off hears nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import under
from .under import Link, Run
from .wanted import Wanted

LANES = 4
KIND = "400GBASE-DR4"
TEMPERATURE_C = 38.5
TX_DBM, BIAS_MA = 1.9, 92.0
_LIGHT_DBM, _DARK_DBM = 0.1, -40.0
RX_WARN_DBM = (-6.0, 4.0)
PRE_FEC_RATIO = 2.4e-9


@dataclass(frozen=True, slots=True)
class Module:
    """The module in the port `device`, as Linux calls it."""

    device: str
    serial: str
    rx_dbm: float


def modules(run: Run, wanted: Wanted) -> Iterator[Module]:
    """One in each front port that has a cable."""
    for link in under.links(run, wanted):
        if link.device.startswith(("et", "Ethernet")):
            yield Module(link.device, _serial(link), _LIGHT_DBM if link.is_up else _DARK_DBM)


def _serial(link: Link) -> str:
    """As each module has one of its own: by the port's MAC address."""
    return f"MODEL{link.mac.replace(':', '').upper()}"
