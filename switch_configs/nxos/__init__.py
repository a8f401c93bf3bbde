"""Cisco NX-OS on Nexus 9000 switches."""

from __future__ import annotations

import re

from switch_configs.intent import Dialect

from .cli import CLI
from .dialect import Nxos
from .files import RUNNING

__all__ = ["CLI", "DIALECT", "place_of"]

DIALECT: Dialect = Nxos()

_OWN = re.compile(
    r"(?m)^(!Command: show (running|startup)-config|version [0-9.]+\([0-9A-Za-z]+\)|feature \S+$)"
)


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    return RUNNING if _OWN.search(text) else ""
