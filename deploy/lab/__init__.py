"""The lab: a real small site on one Linux machine. See README.md."""

from __future__ import annotations

from .lab import down, off, restart, shell, sweep, up
from .status import status

__all__ = ["down", "off", "restart", "shell", "status", "sweep", "up"]
