"""Debian 12 with FRR, ifupdown2, nftables and lldpd, as a switch."""

from __future__ import annotations

import re

from switch_configs.intent import Dialect

from .dialect import LinuxFrr
from .files import FRR, INTERFACES

__all__ = ["DIALECT", "place_of"]

DIALECT: Dialect = LinuxFrr()

_OWN = re.compile(r"(?m)^frr (version|defaults) ")
# Ports of a switch (Linux's switchdev drivers and ifupdown2), not of a server.
_PORTS = re.compile(r"(?m)^iface swp[0-9]")


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    if _OWN.search(text):
        return FRR
    return INTERFACES if _PORTS.search(text) else ""
