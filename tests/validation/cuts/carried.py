"""Bytes of ports and the device's clock, as each switch system prints them."""

from __future__ import annotations

from functools import partial

from validation.counters import read

from ..carried_says import SAYS
from . import Case

_PORTS = {"Ethernet1/1": (81234567, 71234567), "Ethernet2/1": (1234567, 987654321)}
CASES = tuple(
    Case(f"{dialect}-carried", partial(read.carried, dialect), say(_PORTS, 8123.41))
    for dialect, say in sorted(SAYS.items())
)
