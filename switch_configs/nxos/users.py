"""Whose SNMP users are: of the switch's own logins, or of somebody who asked for them.

NX-OS makes an SNMP user of every local login and a login of every SNMP user (Cisco Nexus 9000
NX-OS System Management guide, SNMP, "CLI and SNMP User Synchronization"). Recorded configurations
show `password 5 !` for a name that nobody gave a password.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LOGIN = re.compile(r"username (\S+) (?:password (?:\d )?+(?!!(?: |$))\S.*|sshkey .*)")
_USER = re.compile(r"snmp-server user (\S+)( .*)?")
# A login of the planned user's name must not hide what is planned, so its form always stays.
_AS_PLANNED = re.compile(
    r" network-operator auth sha(?:-256)? \S+ priv aes-128 \S+(?: localized(?:V2)?key)?"
)
_KEYS = re.compile(
    r"((?:auth (?:md5|sha[\d-]*)|priv(?: (?:3des|aes|des)[\d-]*)?+) )"
    r'(?!0 <<|<<)(?:[067] )?("[^"]*"|\S+)'
)
# What is left of a user below its first 80 columns; a key may be cut anywhere.
_WRAPPED = re.compile(
    r" ?(?:\S+ )?auth (?:md5|sha[\d-]*)(?: .*)?| ?(?:(?:0x)?[\dA-Fa-f]+ )?priv .*"
    r"| ?(?:0x)?[\dA-Fa-f]+|(?!snmp-server ).*localized(?:V2)?key(?: engineID .*)?"
)


_MADE = re.compile(
    r"username (\S+) (?:password \d ! *(?:role network-operator)?"
    r"|passphrase +lifetime 99999 warntime 14 gracetime 3)"
)


def with_login(lines: Iterable[str]) -> frozenset[str]:
    """The names that have a way in: a password or a key."""
    return frozenset(found[1] for line in lines if (found := _LOGIN.fullmatch(line)))


def made(lines: list[str]) -> frozenset[str]:
    """The lines of logins that NX-OS made of SNMP users in a plan's form; none is a way in."""
    users = (found for line in lines if (found := _USER.fullmatch(line)))
    readers = {found[1] for found in users if _is_as_planned(found[2])} - with_login(lines)
    mine = (found for line in lines if (found := _MADE.fullmatch(line)))
    return frozenset(found[0] for found in mine if found[1] in readers)


def own(lines: list[str]) -> frozenset[str]:
    """The lines of SNMP users that are the switch's own, as they stand.

    Of another engine, or of a login that has a password or a key, but for those that look as a
    plan has them: these have to be compared.
    """
    logins = with_login(lines)
    return frozenset(
        line
        for line in lines
        if (found := _USER.fullmatch(line))
        and (" engineID " in line or (found[1] in logins and not _is_as_planned(found[2])))
    )


def _is_as_planned(rest: str | None) -> bool:
    return rest is not None and _AS_PLANNED.fullmatch(rest) is not None


def without_keys(line: str, shown: str) -> str:
    """The same with `shown` for each key of an SNMP user; all of a wrapped line is a key."""
    if line.startswith("snmp-server user "):
        return _KEYS.sub(rf"\g<1>{shown}", line)
    return shown if _WRAPPED.fullmatch(line) else line
