"""NVIDIA Cumulus Linux 5.x: what NVUE holds, as its YAML tree and as `nv set` commands."""

from __future__ import annotations

from switch_configs.intent import Dialect

from .commands import as_commands
from .dialect import Cumulus

__all__ = ["DIALECT", "as_commands"]

DIALECT: Dialect = Cumulus()
