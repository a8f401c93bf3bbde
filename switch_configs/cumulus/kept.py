"""What a switch holds that is not ours: accounts, keys, the firewall that it came with.

Left out of what is read from a switch, and never unset: a replaced configuration without the
account `cumulus` would delete it (NVIDIA Cumulus Linux 5.14, NVUE CLI, "Default Startup File").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from switch_configs.errors import DialectError
from switch_configs.intent import Account, Own, Rendered

from . import logins
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
_ANY = ""
# What a new switch holds, word for word in the paths and values that NVIDIA documents for 5.9 to
# 5.16 (NVUE CLI, "Default Startup File"; User Accounts; Role-Based Access Control; Firewall Rules:
# rules of the default lists are not in the file, and one that is was added). The password of its
# account must be changed at the first login, so any is as shipped; its MAC is its own.
_SHIPPED: dict[str, str | None] = {
    "acl acl-default-dos": None,
    "acl acl-default-dos type": "ipv4",
    "acl acl-default-whitelist": None,
    "acl acl-default-whitelist type": "ipv4",
    "system aaa class nvapply action": "allow",
    "system aaa class nvapply command-path / permission": "all",
    "system aaa class nvshow action": "allow",
    "system aaa class nvshow command-path / permission": "ro",
    "system aaa class sudo action": "allow",
    "system aaa class sudo command-path / permission": "all",
    "system aaa role nvue-admin class nvapply": None,
    "system aaa role nvue-monitor class nvshow": None,
    "system aaa role system-admin class nvapply": None,
    "system aaa role system-admin class sudo": None,
    "system aaa user cumulus full-name": "cumulus,,,",
    "system aaa user cumulus hashed-password": _ANY,
    "system aaa user cumulus role": "system-admin",
    "system aaa user cumulus state": "enabled",
    "system api state": "enabled",
    "system control-plane acl acl-default-dos inbound": None,
    "system control-plane acl acl-default-whitelist inbound": None,
    "system date-time timezone": "Etc/UTC",
    "system global system-mac": _ANY,
    "system reboot mode": "cold",
    "system ssh-server state": "enabled",
    "system timezone": "Etc/UTC",
    "system wjh channel forwarding trigger l2": None,
    "system wjh channel forwarding trigger l3": None,
    "system wjh channel forwarding trigger tunnel": None,
    "system wjh enable": "on",
    "system wjh state": "enabled",
}


def own(saved: Rendered) -> tuple[Own, ...]:
    """Leaf by leaf what KEPT names; a file that is no tree has none that could be told apart."""
    return tuple(sorted({one for file in saved.files for one in _own(file.text)}))


def accounts(saved: Rendered) -> tuple[Account, ...]:
    """Accounts, as `logins` reads them."""
    return tuple(account for file in saved.files for account in logins.accounts(_tree(file.text)))


def _tree(text: str) -> Tree:
    try:
        return configuration(text)[1]
    except DialectError:
        return {}


def _own(text: str) -> Iterator[Own]:
    for path, value in paths(_tree(text)):
        if any(path[: len(one)] == one for one in KEPT):
            kinds = (kind for head, kind in _KINDS.items() if path[: len(head)] == head)
            yield Own(next(kinds, "system"), repr((path, value)), _is_shipped(path, value))


def _is_shipped(path: tuple[str, ...], value: str | None) -> bool:
    where = " ".join(path)
    return where in _SHIPPED and _SHIPPED[where] in (value, _ANY) and value != ""


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
