"""Stage 40: ports and probes of the same recorded run."""

from __future__ import annotations

from ..recorded import everything, lab, recorded
from . import Healthy


def healthy() -> Healthy:
    """The lab as it was recorded."""
    return Healthy(40, lab(), everything(), recorded("healthy"))
