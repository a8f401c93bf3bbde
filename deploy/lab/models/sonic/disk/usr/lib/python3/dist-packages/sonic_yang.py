"""Where SONiC's programs look for its models."""

import sys

sys.path.insert(0, "/usr/lib/modelled")
from models.sonic.yang import (  # type: ignore[import-not-found] # noqa: E402
    SonicYang,
    SonicYangException,
)

__all__ = ["SonicYang", "SonicYangException"]
