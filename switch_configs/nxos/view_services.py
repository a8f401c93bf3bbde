"""Management: the address, servers, and what the switch answers itself."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.plan import Management, SnmpUser, SwitchServices
from switch_configs.shown import secrets

from . import words

# Cisco Nexus 9000 NX-OS Programmability guide: gRPC answers here unless another port is said,
# and a configuration shows no default.
GRPC_PORT = 50051


@dataclass(frozen=True, slots=True)
class Tacacs:
    """Servers and the word for their key."""

    servers: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class Snmp:
    """The user that may read, with the words for its keys."""

    user: str
    auth: str
    priv: str


@dataclass(frozen=True, slots=True)
class Services:
    """All of it in the table `management`. `port` is "" where the address is in a VLAN.

    `logins_from` is the network whose addresses may ask for the command line.
    """

    port: str
    address: str
    gateway: str
    ntp: tuple[str, ...]
    syslog: tuple[str, ...]
    tacacs: Tacacs | None
    snmp: Snmp | None
    grpc_port: int | None
    logins_from: str


def services(said: SwitchServices, own: Management, device: str, port: str) -> Services:
    """What one switch asks of others, and where it is reached."""
    tacacs, snmp = said.tacacs, said.snmp
    asked = said.gnmi_port
    if asked is not None:
        words.within(asked, 1024, 65535, "gNMI port", device)
    return Services(
        port=port or (own.port if own.port.startswith("mgmt") else ""),
        address=str(own.address),
        gateway=str(own.gateway),
        ntp=said.ntp,
        syslog=said.syslog,
        tacacs=Tacacs(tacacs.servers, secrets.word(tacacs.key)) if tacacs else None,
        snmp=_snmp(snmp, device) if snmp else None,
        grpc_port=None if asked == GRPC_PORT else asked,
        logins_from=str(own.address.network),
    )


def _snmp(said: SnmpUser, device: str) -> Snmp:
    user = words.name(said.user, "SNMP user", device, 32)
    return Snmp(user, secrets.word(said.auth), secrets.word(said.priv))
