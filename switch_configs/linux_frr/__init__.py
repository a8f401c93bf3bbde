"""Debian 12 with FRR, ifupdown2, nftables and lldpd, as a switch."""

from __future__ import annotations

import re

from switch_configs.intent import Dialect

from .dialect import LinuxFrr
from .files import FRR

__all__ = ["DIALECT", "place_of"]

DIALECT: Dialect = LinuxFrr()

_OWN = re.compile(r"(?m)^frr (version|defaults) ")


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    return FRR if _OWN.search(text) else ""
