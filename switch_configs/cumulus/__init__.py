"""NVIDIA Cumulus Linux 5.x: what NVUE holds, as its YAML tree and as `nv set` commands."""

from __future__ import annotations

import re

from switch_configs.intent import Dialect

from .commands import as_commands
from .dialect import Cumulus
from .files import STARTUP
from .raw import RAW_TREE

__all__ = ["DIALECT", "RAW_TREE", "as_commands", "place_of"]

DIALECT: Dialect = Cumulus()

_OWN = re.compile(r"(?m)^(- )?set:\s*$")


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    return STARTUP if _OWN.search(text) else ""
