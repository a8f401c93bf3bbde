"""Community SONiC as a switch: config_db.json, and its own frr.conf."""

from __future__ import annotations

from switch_configs.intent import Dialect

from .dialect import Sonic
from .readback import reserved

__all__ = ["DIALECT", "reserved"]

DIALECT: Dialect = Sonic()
