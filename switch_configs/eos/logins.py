"""The local logins of EOS, in the plan's words.

Arista EOS User Manual, "User Security": `username NAME [privilege N] [role ROLE] [shell PATH]
secret ...`, `username NAME ssh-key ...`; the role is network-operator where none is said, and its
two own roles are network-admin and network-operator.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from inventory.plan import AccountRole
from switch_configs.intent import Account
from switch_configs.readback.accounts import role_of

_LINE = re.compile(r"username (\S+) .*")
_LOGIN = re.compile(
    r"username \S+((?: privilege \d+| role \S+| shell \S+)*)(?: secret (?:(?:5|sha512) )?\S+)?"
)
_KEY = re.compile(r"username \S+ ssh-key .+")
_ROLES: dict[str, AccountRole] = {"network-admin": "admin", "network-operator": "operator"}
_MOST = {"operator": 1, "admin": 15}


def accounts(lines: Iterable[str]) -> tuple[Account, ...]:
    """The logins of a configuration's lines, banners left out."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        if is_login := _LINE.fullmatch(line):
            found[is_login[1]].append(line)
    return tuple(_account(name, said) for name, said in sorted(found.items()))


def _account(name: str, lines: list[str]) -> Account:
    rest = [line for line in lines if not _KEY.fullmatch(line)]
    return Account(name, _role(rest), len(lines) - len(rest), frozenset(lines))


def _role(lines: list[str]) -> AccountRole | None:
    logins = [_LOGIN.fullmatch(line) for line in lines]
    words = [word for match in logins if match for word in match[1].split()]
    said = list(zip(words[::2], words[1::2], strict=True))
    role = role_of({value for key, value in said if key == "role"} or {"network-operator"}, _ROLES)
    if role is None or None in logins:
        return None
    # A bash is what an admin may have anyway; another shell is nothing that the plan knows.
    shells = {value for key, value in said if key == "shell"}
    levels = [int(value) for key, value in said if key == "privilege"]
    is_plain = shells <= ({"/bin/bash"} if role == "admin" else set())
    return role if is_plain and max(levels, default=0) <= _MOST[role] else None
