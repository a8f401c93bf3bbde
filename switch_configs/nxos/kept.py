"""Stanzas of NX-OS that are the switch's own, and what a new switch holds of them.

Sources: Cisco Nexus 9000 NX-OS guides: Security ("Configuring User Accounts and RBAC", "Configuring
SSH and Telnet", "Configuring Control Plane Policing"), Fundamentals (POAP, line console), System
Management (RMON, SNMP, iCAM); `show running-config` of new switches in batfish's lab-validation.
"""

from __future__ import annotations

import re

from switch_configs.intent import Own

_KINDS = {
    "username": "users", "ssh key": "SSH server", "password": "rules for passwords",
    "no password": "rules for passwords", "userpassphrase": "rules for passwords",
    "vdc": "system", "boot": "boot", "line console": "console", "copp": "CoPP", "rmon": "alarms",
    "snmp-server engineID": "SNMP", "license": "licences", "cli alias": "aliases",
    "icam": "system", "install": "system", "crypto": "keys", "switchto": "system",
    "ip domain-lookup": "names", "no ip domain-lookup": "names", "feature bash-shell": "shell",
    "feature scp-server": "shell",
}  # fmt: skip
HEADS = tuple(_KINDS)
"""How stanzas begin that are the switch's own; a push leaves them as they are."""

# The login that NX-OS comes with, with a password of its owner in an encoding; its host's keys, its
# image, its share of tables (of routes and bundles as the box has them), its own alarms.
_SHIPPED = re.compile(
    r"username admin password [589] \S+(?: role network-admin)?"
    r"|username admin role network-admin"
    r"|username admin passphrase lifetime 99999 warntime 14 gracetime 3"
    r"|ssh key (?:rsa (?:1024|2048)|ecdsa 256)|password strength-check"
    r"|vdc \S+ id 1|(?:vdc \S+ id 1 / )limit-resource (?:vlan minimum 16 maximum 4094"
    r"|vrf minimum 2 maximum 4096|(?:port-channel|[um][46]route-mem) minimum \d+ maximum \d+)"
    r"|boot nxos bootflash:/?nxos[\w.()-]*\.bin(?: sup-[12])?|line console|copp profile strict"
    r"|rmon event ([1-5]) (?:log trap public )?description (?:FATAL|CRITICAL|ERROR|WARNING"
    r"|INFORMATION)\(\1\) owner PMON@(?:FATAL|CRITICAL|ERROR|WARNING|INFO)"
    r"|icam monitor scale|ip domain-lookup"
)


def own(head: str, line: str) -> Own:
    """A line of the stanza that begins with `head`, one of HEADS; below it, it begins with a blank.

    Lines stand as NX-OS shows them, whatever the number of blanks in them.
    """
    said = line if line == head else f"{head} /{line}"
    kind = next(_KINDS[one] for one in sorted(HEADS, key=len, reverse=True) if head.startswith(one))
    return Own(kind, said, bool(_SHIPPED.fullmatch(" ".join(said.split()))))


def is_twin(line: str) -> bool:
    """Whether an SNMP user is one that NX-OS made of a login: with keys, of no other engine."""
    return " auth " in line and " engineID " not in line
