"""The local logins of NX-OS, in the plan's words.

Cisco Nexus 9000 NX-OS Security guide, "Configuring User Accounts and RBAC": roles network-admin and
network-operator; `username NAME password 5 HASH role ROLE`, a line more for each further role, for
each key and for the life of its passphrase.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from inventory.plan import AccountRole
from switch_configs.intent import Account
from switch_configs.readback.accounts import role_of

_LINE = re.compile(r"username (\S+) (.*)")
_KEY = re.compile(r"sshkey .+")
_LOGIN = re.compile(
    r"(?:password [589] \S+)?(?:(?:^| )role (?P<role>\S+))?"
    r"|passphrase lifetime 99999 warntime 14 gracetime 3"
)
_ROLES: dict[str, AccountRole] = {"network-admin": "admin", "network-operator": "operator"}


def accounts(lines: Iterable[str]) -> tuple[Account, ...]:
    """The logins of a configuration's lines, banners left out."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        if said := _LINE.fullmatch(line):
            found[said[1]].append(line)
    return tuple(_account(name, said) for name, said in sorted(found.items()))


def _account(name: str, lines: list[str]) -> Account:
    said = [" ".join(line.split()[2:]) for line in lines]
    rest = [one for one in said if not _KEY.fullmatch(one)]
    return Account(name, _role(rest), len(said) - len(rest), frozenset(lines))


def _role(said: list[str]) -> AccountRole | None:
    """None also where no role is shown: a switch's mask hides those that somebody has made."""
    logins = [_LOGIN.fullmatch(one) for one in said]
    roles = {match["role"] for match in logins if match and match["role"]}
    return None if None in logins else role_of(roles, _ROLES)
