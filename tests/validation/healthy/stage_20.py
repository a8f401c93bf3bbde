"""Stage 20: a run recorded from real FRR and lldpd."""

from __future__ import annotations

from ..recorded import everything, lab, recorded
from . import Healthy


def healthy() -> Healthy:
    """The lab as it was recorded."""
    return Healthy(20, lab(), everything(), recorded("healthy"))
