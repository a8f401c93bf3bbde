"""Arista EOS: one running configuration, printed and read back."""

from __future__ import annotations

import re

from switch_configs.intent import Dialect

from .cli import CLI
from .dialect import Eos
from .files import STARTUP

__all__ = ["CLI", "DIALECT", "place_of"]

DIALECT: Dialect = Eos()

_OWN = re.compile(
    r"(?m)^(! device: .*EOS-|service routing protocols model |transceiver qsfp default-mode )"
)


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    return STARTUP if _OWN.search(text) else ""
