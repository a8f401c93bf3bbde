"""What a switch holds that is not ours: accounts, keys, the firewall that it came with.

Left out of what is read from a switch, and never unset: a replaced configuration without the
account `cumulus` would delete it (NVIDIA Cumulus Linux 5.14, NVUE CLI, "Default Startup File").
"""

from __future__ import annotations

from typing import Any

from .tree import Tree

KEPT: tuple[tuple[str, ...], ...] = (
    ("acl", "acl-default-dos"),
    ("acl", "acl-default-whitelist"),
    ("system", "aaa", "class"),
    ("system", "aaa", "role"),
    ("system", "aaa", "user"),
    ("system", "api"),
    ("system", "control-plane"),
    ("system", "date-time"),
    ("system", "global", "system-mac"),
    ("system", "message"),
    ("system", "reboot"),
    ("system", "security"),
    ("system", "ssh-server"),
    ("system", "timezone"),
    ("system", "wjh"),
)


def without_kept(tree: Tree) -> Tree:
    """The tree without what is not ours; mappings that are left empty by it go too."""
    out = dict(tree)
    for path in KEPT:
        out = _without(out, path)
    return out


def touched(tree: Tree) -> tuple[str, ...] | None:
    """The first path of KEPT that a tree says something of."""
    for path in KEPT:
        at: Any = tree
        for key in path:
            at = at.get(key) if isinstance(at, dict) else None
        if at is not None:
            return path
    return None


def _without(tree: Tree, path: tuple[str, ...]) -> Tree:
    first, *rest = path
    if first not in tree:
        return tree
    out = dict(tree)
    if not rest:
        del out[first]
    elif isinstance(out[first], dict):
        out[first] = _without(out[first], tuple(rest))
        if not out[first] and tree[first]:
            del out[first]
    return out
