"""What the devices behind the interfaces are told of the lossless class."""

from __future__ import annotations

from ..face import Files, Services


def apply(files: Files, services: Services) -> None:
    """Have the settings of the NICs, now and whenever a device appears; idempotent."""
