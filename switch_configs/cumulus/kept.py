"""What a switch holds that is not ours: accounts, keys, the firewall that it came with.

Left out of what is read from a switch, and never unset: a replaced configuration without the
account `cumulus` would delete it (NVIDIA Cumulus Linux 5.14, NVUE CLI, "Default Startup File").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from switch_configs.errors import DialectError
from switch_configs.intent import Own, Rendered

from .parse import configuration
from .tree import Tree, paths

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

_KINDS = {
    ("acl",): "management access lists",
    ("system", "aaa", "class"): "classes of users",
    ("system", "aaa", "role"): "roles of users",
    ("system", "aaa", "user"): "users",
    ("system", "api"): "API",
    ("system", "control-plane"): "management access lists",
    ("system", "message"): "banners",
    ("system", "security"): "rules for passwords",
    ("system", "ssh-server"): "SSH server",
}
# What a new switch holds (NVIDIA Cumulus Linux 5.14, NVUE CLI, "Default Startup File"; User
# Accounts; Role-Based Access Control). Its access lists are long, and are told between two files.
_SHIPPED = (
    ("acl", "acl-default-dos"),
    ("acl", "acl-default-whitelist"),
    ("system", "aaa", "class", "nvapply"),
    ("system", "aaa", "class", "nvshow"),
    ("system", "aaa", "class", "sudo"),
    ("system", "aaa", "role", "nvue-admin"),
    ("system", "aaa", "role", "nvue-monitor"),
    ("system", "aaa", "role", "system-admin"),
    ("system", "aaa", "user", "cumulus", "full-name"),
    ("system", "aaa", "user", "cumulus", "hashed-password"),
    ("system", "aaa", "user", "cumulus", "role"),
    ("system", "api", "state"),
    ("system", "control-plane", "acl", "acl-default-dos"),
    ("system", "control-plane", "acl", "acl-default-whitelist"),
    ("system", "ssh-server", "state"),
)


def own(saved: Rendered) -> tuple[Own, ...]:
    """Leaf by leaf what KEPT names; a file that is no tree has none that could be told apart."""
    return tuple(sorted({one for file in saved.files for one in _own(file.text)}))


def _own(text: str) -> Iterator[Own]:
    try:
        tree = configuration(text)[1]
    except DialectError:
        return
    for path, value in paths(tree):
        if any(path[: len(one)] == one for one in KEPT):
            kinds = (kind for head, kind in _KINDS.items() if path[: len(head)] == head)
            kind = next(kinds, "system")
            shipped = kind == "system" or any(path[: len(one)] == one for one in _SHIPPED)
            yield Own(kind, repr((path, value)), shipped)


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
