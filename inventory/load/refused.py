"""Hardware that is refused by name, so that nobody plans half of it by mistake."""

from __future__ import annotations

import re

# NVIDIA GB200 NVL72 and GB300 NVL72: docs.nvidia.com/dgx/dgxgb200-user-guide/hardware.html (72
# GPUs of 18 trays in one NVLink domain, Grace CPUs); IMEX: docs.nvidia.com/multi-node-nvlink-
# systems/imex-guide.
_RACK_SCALE = re.compile(r"\bgb[23]00|nvl-?(36|72|144)", re.IGNORECASE)


def why_refused(name: str) -> str:
    """Return why no profile of this name can work here, or "" where nothing is known of it."""
    if not _RACK_SCALE.search(name):
        return ""
    return (
        "GB200 and GB300 NVL72 are not supported: their nodes are arm64, and their NVLink domain "
        "is the whole rack, with IMEX on every node; nothing here plans, proves or drains that"
    )
