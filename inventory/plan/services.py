"""What switches ask of others: time, logs, logins; and what they answer themselves."""

from __future__ import annotations

from dataclasses import dataclass

from .words import AccountRole


@dataclass(frozen=True, slots=True)
class Tacacs:
    """TACACS+ servers (RFC 8907) in their order; `key` names an entry of `credentials`."""

    servers: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class SnmpUser:
    """The SNMPv3 user that may read (RFC 3414); `auth` and `priv` name `credentials`."""

    user: str
    auth: str
    priv: str


@dataclass(frozen=True, slots=True)
class SwitchAccount:
    """A local login that switches may have, and must where it is `required`; nobody renders it.

    `devices` are names or patterns of names. It has at most `ssh_keys` keys.
    """

    name: str
    role: AccountRole
    required: bool
    ssh_keys: int
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SwitchLogin:
    """Who railbed is on these switches (names, or patterns of names)."""

    user: str
    devices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServerLogin:
    """Who railbed is on these servers (names, or patterns of names).

    `password` names the entry of `credentials` that lets it in before its key does; "" for none.
    """

    user: str
    devices: tuple[str, ...]
    password: str


@dataclass(frozen=True, slots=True)
class SwitchServices:
    """Servers are IPv4 or IPv6 addresses, in the site's order; all in the management table.

    `gnmi_port` is where a switch answers gNMI, None where it does not. Of `logins` that name a
    switch the first one counts.
    """

    ntp: tuple[str, ...]
    syslog: tuple[str, ...]
    tacacs: Tacacs | None
    snmp: SnmpUser | None
    gnmi_port: int | None
    accounts: tuple[SwitchAccount, ...]
    logins: tuple[SwitchLogin, ...] = ()
