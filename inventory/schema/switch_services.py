"""What every switch asks of servers, and what the site adds to switches by hand."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from ..plan import AccountRole
from .types import AnyAddress, Closed, Key, Text, UserName

Servers = Annotated[list[AnyAddress], Field(max_length=8)]


class TacacsFile(Closed):
    """TACACS+ (RFC 8907)."""

    servers: Annotated[list[AnyAddress], Field(min_length=1, max_length=8)] = Field(
        description="its servers, the first one asked first"
    )
    key: Key = Field(description="the entry of `credentials` that holds the shared key")


class SnmpFile(Closed):
    """The one SNMPv3 user, who may read everything and write nothing (RFC 3414)."""

    user: UserName = Field(description="its name")
    auth: Key = Field(description="the entry of `credentials` for authentication (SHA)")
    priv: Key = Field(description="the entry of `credentials` for privacy (AES-128)")


class AccountFile(Closed):
    """A local login of switches: their own, compared and never changed."""

    name: UserName = Field(description="its name")
    role: AccountRole = Field(description="admin (may change all) or operator (may read)")
    required: bool = Field(default=False, description="whether it must be there, or only may")
    ssh_keys: Annotated[int, Field(ge=0, le=32)] = Field(
        default=0, description="how many SSH keys it may have"
    )
    devices: Annotated[list[Text], Field(min_length=1, max_length=64)] = Field(
        default_factory=lambda: ["*"], description="switches by name, or by pattern: leaf-p1-*"
    )


class LoginFile(Closed):
    """Who railbed is on switches, where that is not the login that their maker ships."""

    user: UserName = Field(
        description="root, a login that may use sudo without a password, or, where a system has a "
        "command line and no shell, one that may do everything there"
    )
    devices: Annotated[list[Text], Field(min_length=1, max_length=64)] = Field(
        default_factory=lambda: ["*"], description="switches by name, or by pattern: leaf-p1-*"
    )


class ServerLoginFile(Closed):
    """Who railbed is on the OOB server and on nodes, where that is not root."""

    user: UserName = Field(description="root, or a login that may use sudo without a password")
    devices: Annotated[list[Text], Field(min_length=1, max_length=64)] = Field(
        default_factory=lambda: ["*"],
        description="the OOB server and nodes by name, or by pattern: node-p1-*",
    )
    password: Key | None = Field(
        default=None,
        description="the entry of `credentials` with its password, for `railbed enroll` alone, "
        "which puts the key of the site there",
    )


class SwitchServicesFile(Closed):
    """Servers of the switches, reached through their management ports."""

    ntp: Servers | None = Field(
        default=None, description="time servers; not given: the OOB server, `[]`: none"
    )
    syslog: Servers = Field(default_factory=list, description="log servers, UDP 514")
    tacacs: TacacsFile | None = Field(default=None, description="who may log in")
    snmp: SnmpFile | None = Field(default=None, description="who may read counters by SNMPv3")
    gnmi_port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, description="TCP port where switches answer gNMI"
    )
    accounts: Annotated[list[AccountFile], Field(max_length=64)] = Field(
        default_factory=list,
        description="local logins beside the one that the maker ships; any other is a difference",
    )
    logins: Annotated[list[LoginFile], Field(max_length=64)] = Field(
        default_factory=list,
        description="who railbed logs in as; of entries that name a switch the first one counts",
    )


class RawFile(Closed):
    """Lines of a switch's own language, for what this inventory has no words for."""

    devices: Annotated[list[Text], Field(min_length=1, max_length=64)] = Field(
        description="switches by name, or by pattern: leaf-p1-*"
    )
    section: UserName = Field(
        description="the section of its configuration that the lines belong to"
    )
    lines: Annotated[
        list[Annotated[str, StringConstraints(min_length=1, max_length=500)]],
        Field(min_length=1, max_length=200),
    ] = Field(description="the lines, with their own indentation")
    reason: Text = Field(description="why the inventory does not do; every report prints it")
