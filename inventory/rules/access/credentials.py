"""Rules for credentials: a site names those that somebody reads, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.model import Fabric
from inventory.problems import Problem, close_to, one_of

# What railbed itself reads by name: SSH, command lines of switches, BMCs by Redfish, a NetBox.
KNOWN = (
    "bmc_password", "bmc_user", "netbox_token", "ssh_key", "switch_enable", "switch_password",
)  # fmt: skip


def credentials_are_read(fabric: Fabric) -> Iterator[Problem]:
    """An entry that nobody reads is a slip: its secret would be missed at the push."""
    intent = fabric.intent
    said = intent.switch_services
    named = [said.tacacs.key] if said.tacacs else []
    named += [said.snmp.auth, said.snmp.priv] if said.snmp else []
    named += [one.password for one in intent.logins if one.password]
    known = sorted({*KNOWN, *named})
    for name in intent.credentials:
        if name not in known:
            path, found = ("credentials", name), f"`{name}`, which nothing reads"
            hint = close_to(name, [one for one in known if one not in intent.credentials])
            yield fabric.marked.key_problem(path, found, one_of(known), hint)


def logins_name_credentials(fabric: Fabric) -> Iterator[Problem]:
    """A password that no entry names would be missed at first contact."""
    known = fabric.intent.credentials
    for at, login in enumerate(fabric.intent.logins):
        if login.password is not None and login.password not in known:
            path, hint = ("logins", at, "password"), "credentials: {NAME: file:PATH}"
            yield fabric.problem(path, f"`{login.password}`", one_of(sorted(known)), hint)


CREDENTIAL_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    credentials_are_read,
    logins_name_credentials,
)
