"""Configurations that are trees, whatever system they are of."""

from __future__ import annotations

from typing import Any

Tree = dict[str, Any]


def merged(tree: Tree, more: Tree) -> Tree:
    """A tree with another one put into it."""
    out = dict(tree)
    for key, value in more.items():
        below = out.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            out[key] = merged(below, value)
        else:
            out[key] = value
    return out
