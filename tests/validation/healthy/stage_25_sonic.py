"""Stage 25 on SONiC: switches that run what is rendered."""

from __future__ import annotations

from ..running_says import healthy as running
from . import Healthy


def healthy() -> Healthy:
    """A leaf and a spine."""
    return running("sonic", 25)
