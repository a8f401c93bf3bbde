"""The lab: a real small site on one Linux machine. See README.md."""

from __future__ import annotations

from .lab import down, restart, shell, sweep, up
from .status import status

__all__ = ["down", "restart", "shell", "status", "sweep", "up"]
