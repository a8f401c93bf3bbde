"""The local logins of Cumulus Linux, in the plan's words.

NVIDIA Cumulus Linux 5.14, "User Accounts" and "Role-Based Access Control": roles system-admin (all,
`sudo` too), nvue-admin (all of NVUE) and nvue-monitor (`nv show`). A plan's admin is the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from inventory.plan import AccountRole
from switch_configs.intent import Account
from switch_configs.readback.accounts import role_of

from .tree import Tree, paths

_USER = ("system", "aaa", "user")
_KEYS = ("ssh", "authorized-key")
_ROLES: dict[str, AccountRole] = {"system-admin": "admin", "nvue-monitor": "operator"}
_Said = tuple[tuple[str, ...], str | None]


def accounts(tree: Tree) -> Iterator[Account]:
    """The logins of NVUE's tree."""
    found: defaultdict[str, list[_Said]] = defaultdict(list)
    for path, value in paths(tree):
        if path[:3] == _USER and len(path) > 3:
            found[path[3]].append((path, value))
    for name, said in sorted(found.items()):
        rest = [(path[4:], value) for path, value in said]
        keys = {path[2] for path, _ in rest if path[:2] == _KEYS and len(path) > 2}
        roles = {str(value) for path, value in rest if path == ("role",)}
        is_plain = all(_is_plain(path, value) for path, value in rest)
        lines = frozenset(repr(one) for one in said)
        yield Account(name, role_of(roles, _ROLES) if is_plain else None, len(keys), lines)


def _is_plain(path: tuple[str, ...], value: str | None) -> bool:
    """Whether it is what every login has: a role, a name, a hash, keys, and that it is in use."""
    match path:
        case ("role" | "full-name",):
            return True
        case ("hashed-password",):
            return bool(value)
        case ("state",) | ("enable",):
            return value in ("enabled", "on")
    return path[:2] == _KEYS and len(path) > 2
