"""A new site from a few words: every number chosen, every choice explained in the text."""

from __future__ import annotations

from .draft import draft
from .text import fabric_yaml
from .wish import (
    BusinessWish,
    CannotBuildError,
    Shelf,
    StorageWish,
    Wish,
    nodes_for,
    usual_planes,
)

__all__ = [
    "ASBUILT_CSV",
    "BusinessWish",
    "CannotBuildError",
    "Shelf",
    "StorageWish",
    "Wish",
    "draft",
    "nodes_for",
    "starter_text",
    "usual_planes",
]

# The header alone: machines fill it, from manifests, leases and LLDP.
ASBUILT_CSV = "device,port,mac,serial\n"


def starter_text(wish: Wish, shelf: Shelf) -> str:
    """The text of `fabric.yml`; CannotBuildError where no such site can be built."""
    return fabric_yaml(draft(wish, shelf))
