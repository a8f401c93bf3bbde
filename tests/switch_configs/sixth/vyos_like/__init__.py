"""A switch system for tests, from a package outside the tree: `set` lines as VyOS has them.

It is an example and not VyOS: no switch runs it, its words are made up where VyOS has none, and it
does no more than a routed fabric with marking only needs.
"""

from __future__ import annotations

from switch_configs.intent import Dialect

from .dialect import PATH, VyosLike

__all__ = ["DIALECT", "place_of"]

DIALECT: Dialect = VyosLike()


def place_of(text: str) -> str:
    """Where a text of unknown origin lies on this system; "" where it is none of this system's."""
    return PATH if text.startswith("set system host-name ") else ""
