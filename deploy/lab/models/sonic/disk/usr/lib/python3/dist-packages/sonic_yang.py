"""Where SONiC's programs look for its models."""

from __future__ import annotations

import sys

sys.path.insert(0, "/usr/lib/modelled")
from models.sonic.yang import (  # type: ignore[import-not-found]
    SonicYang,
    SonicYangException,
)

__all__ = ["SonicYang", "SonicYangException"]
