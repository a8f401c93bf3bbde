"""Stage 40 on Cumulus: switches that run the planned lossless class, and whose ports pause it."""

from __future__ import annotations

from ..lossless_site import healthy as lossless
from . import Healthy


def healthy() -> Healthy:
    """A leaf and a spine."""
    return lossless("cumulus")
