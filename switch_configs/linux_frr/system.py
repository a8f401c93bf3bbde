"""All that the templates of Debian's own files print: what is not FRR's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inventory.plan import RawStanza, SwitchServices
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, SwitchIntent

from . import interfaces
from .filters import AccessList, access_lists, untrusted_ports
from .interfaces import Interface
from .queues import PortQueues, queues
from .words import plain, stem

SECTIONS = (
    "interfaces",
    "nftables",
    "sysctl",
    "lldpd",
    "daemons",
    "queues",
    "timesyncd",
    "rsyslog",
)
"""Where a site may add raw lines: at the end of the file that is called so."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Lines that the site adds, and why."""

    reason: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SystemView:
    """One switch, ready to print. `management_port` is where logins come from.

    `routes` is False on a switch of the OOB plane. `release` is announced where no other file
    says it, else "".
    """

    site: str
    device: str
    release: str
    routes: bool
    management_port: str
    interfaces: tuple[Interface, ...]
    access_lists: tuple[AccessList, ...]
    untrusted_ports: tuple[str, ...]
    lldp_pattern: str
    queues: tuple[PortQueues, ...]
    ntp: tuple[str, ...]
    syslog: tuple[str, ...]
    raw: dict[str, tuple[Raw, ...]]


def system_view(intent: SwitchIntent | OobIntent) -> SystemView:
    """The view of one switch; `DialectError` for what Debian cannot take."""
    return _oob(intent) if isinstance(intent, OobIntent) else _switch(intent)


def _switch(intent: SwitchIntent) -> SystemView:
    switch = intent.switch
    if switch.pair is not None:
        raise DialectError(f"{switch.name}: Linux has no MLAG", "`leaves_per_block: 1`")
    return SystemView(
        site=plain(intent.site, "site"),
        device=plain(switch.name, "switch name"),
        release="",
        routes=True,
        management_port=plain(switch.management.port, "management port"),
        interfaces=interfaces.of_switch(switch),
        access_lists=access_lists(switch),
        untrusted_ports=untrusted_ports(switch),
        lldp_pattern=_pattern(port.name for port in switch.ports),
        queues=queues(intent),
        raw=_raw(switch.raw),
        **_servers(intent.services),
    )


def _oob(intent: OobIntent) -> SystemView:
    switch = intent.switch
    found = interfaces.of_oob(intent)
    return SystemView(
        site=plain(intent.site, "site"),
        device=plain(switch.name, "switch name"),
        release=switch.release,
        routes=False,
        management_port=found[-1].name,
        interfaces=found,
        access_lists=(),
        untrusted_ports=(),
        lldp_pattern=_pattern(port.name for port in switch.ports),
        queues=(),
        raw=_raw(switch.raw),
        **_servers(intent.services),
    )


def _servers(services: SwitchServices) -> dict[str, tuple[str, ...]]:
    return {"ntp": services.ntp, "syslog": services.syslog}


def _pattern(names: Iterable[str]) -> str:
    return ",".join(sorted({f"{stem(name)}*" for name in names}))


def _raw(stanzas: Iterable[RawStanza]) -> dict[str, tuple[Raw, ...]]:
    found = list(stanzas)
    return {
        section: tuple(
            Raw(stanza.reason, stanza.lines) for stanza in found if stanza.section == section
        )
        for section in SECTIONS
    }
