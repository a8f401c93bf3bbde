"""All that the templates print, computed here, so that they only loop and print."""

from __future__ import annotations

from dataclasses import dataclass, field

from inventory.plan import RawStanza, SwitchServices, Timers
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, SwitchIntent
from switch_configs.policies import policies
from switch_configs.shown.secrets import word

from . import bgp_view, names, oob_view, policy_view, port_view, qos_view
from .kinds import Ports
from .running import KEPT

NO_PORTS = Ports()
# Arista EOS User Manual, BGP: `maximum-paths`, 1 to 600 on the widest platform; ours are less.
_ECMP_WIDTH_MOST = 128
# The same manual, BFD: intervals in ms, and the multiplier.
_BFD_MS = range(50, 60001)
_BFD_TIMES = range(3, 51)


@dataclass(frozen=True, slots=True)
class Services:
    """Servers and users; the secrets are words that the push replaces."""

    ntp: tuple[str, ...]
    syslog: tuple[str, ...]
    tacacs: tuple[str, ...]
    tacacs_key: str
    snmp_user: str | None
    snmp_auth: str
    snmp_priv: str
    gnmi_port: int | None


@dataclass(frozen=True, slots=True)
class Management:
    """The management port of a data switch."""

    port: str
    description: str
    address: str


@dataclass(frozen=True, slots=True)
class View:
    """One switch, ready to print. `bgp` is None on a switch that routes nothing."""

    device: str
    release: str
    services: Services
    management: Management | None
    gateway: str
    raw: dict[str, tuple[str, ...]]
    vrf: str = names.MANAGEMENT_VRF
    qos: qos_view.Qos = qos_view.NOTHING
    ports: Ports = NO_PORTS
    channels: Ports = NO_PORTS
    vlans: tuple[port_view.Vlan, ...] = ()
    svis: tuple[port_view.Svi, ...] = ()
    virtual_mac: str | None = None
    acls: tuple[port_view.Acl, ...] = ()
    mlag: port_view.Mlag | None = None
    peer_link: str = ""
    tracks: bool = False
    vrfs: tuple[str, ...] = ()
    community_lists: tuple[policy_view.CommunityList, ...] = ()
    prefix_lists: tuple[policy_view.PrefixList, ...] = ()
    entries: tuple[policy_view.Entry, ...] = ()
    bgp: bgp_view.Table | None = None
    tables: tuple[bgp_view.Table, ...] = ()
    asn: int = 0
    router_id: str = ""
    ecmp_width: int = 1
    maximum_prefix: int = 0
    timers: Timers | None = None
    unnumbered: frozenset[str] = field(default_factory=frozenset)


def view(intent: SwitchIntent | OobIntent, sections: tuple[str, ...]) -> View:
    """The view of one switch; `DialectError` for what this dialect cannot do."""
    raw = raw_lines(intent.switch.name, intent.switch.raw, sections)
    return _oob(intent, raw) if isinstance(intent, OobIntent) else _switch(intent, raw)


def raw_lines(
    device: str, stanzas: tuple[RawStanza, ...], sections: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """The site's own lines by section; `DialectError` for a section that there is not."""
    found: dict[str, tuple[str, ...]] = {}
    for stanza in stanzas:
        if stanza.section not in sections:
            raise DialectError(
                f"{device}: EOS has no section '{stanza.section}' here",
                f"there are: {', '.join(sections)}",
            )
        if any(not line.isprintable() for line in stanza.lines):
            raise DialectError(
                f"{device}: a raw line of section '{stanza.section}' has a control character",
                "one line of the configuration a line, without tabs",
            )
        own = [line for line in stanza.lines if KEPT.match(line)]
        if own:
            raise DialectError(
                f"{device}: the raw line '{own[0]}' is the switch's own, which a push keeps",
                "local users are made on the switch, once",
            )
        found[stanza.section] = (*found.get(stanza.section, ()), *stanza.lines)
    return found


def _switch(intent: SwitchIntent, raw: dict[str, tuple[str, ...]]) -> View:
    switch = intent.switch
    _refuse(intent)
    device = names.word(switch.name, "switch name", switch.name)
    qos = qos_view.qos_view(switch, intent.lossless)
    rules = policies(switch, drained=intent.drained)
    tables = bgp_view.tables(switch)
    return View(
        device=device,
        release=switch.release,
        services=services(intent.services, device),
        management=Management(
            names.management_port(switch.management.port, device),
            owner(intent.site, device),
            str(switch.management.address),
        ),
        gateway=str(switch.management.gateway),
        raw=raw,
        qos=qos,
        ports=port_view.ports(switch, qos),
        channels=port_view.channels(switch, qos),
        vlans=port_view.vlans(switch),
        svis=port_view.svis(switch),
        virtual_mac=port_view.VIRTUAL_MAC if switch.vlans else None,
        acls=port_view.acls(switch),
        mlag=port_view.mlag(switch),
        tracks=port_view.tracks(switch),
        peer_link=f"Port-Channel{names.PEER_LINK_CHANNEL}",
        vrfs=tuple(sorted((names.MANAGEMENT_VRF, *(table.vrf for table in tables[1:])))),
        community_lists=policy_view.community_lists(rules),
        prefix_lists=policy_view.prefix_lists(rules),
        entries=policy_view.entries(rules),
        bgp=tables[0],
        tables=tables[1:],
        asn=switch.asn,
        router_id=str(switch.loopback),
        ecmp_width=switch.ecmp_width,
        maximum_prefix=switch.maximum_prefix,
        timers=switch.timers,
        unnumbered=frozenset(table.vrf for table in tables if table.unnumbered),
    )


def _refuse(intent: SwitchIntent) -> None:
    switch = intent.switch
    if not 1 <= switch.ecmp_width <= _ECMP_WIDTH_MOST:
        raise DialectError(
            f"{switch.name}: ECMP width {switch.ecmp_width} is not within 1 to {_ECMP_WIDTH_MOST}",
            "give the switch fewer equal paths",
        )
    timers = switch.timers
    if timers.bfd_interval_ms not in _BFD_MS or timers.bfd_multiplier not in _BFD_TIMES:
        raise DialectError(
            f"{switch.name}: EOS takes no BFD of {timers.bfd_interval_ms} ms times "
            f"{timers.bfd_multiplier}",
            "50 to 60000 ms, times 3 to 50",
        )
    if switch.adaptive_routing:
        raise DialectError(
            f"{switch.name}: nobody could check adaptive routing on EOS",
            "`adaptive_routing: false`, or a raw stanza",
        )
    if names.MANAGEMENT_VRF in {table.vrf for table in switch.tables}:
        raise DialectError(
            f"{switch.name}: the routing table {names.MANAGEMENT_VRF} is that of management",
            "give the site's table another name",
        )


def owner(site: str, device: str) -> str:
    """Who writes this configuration: EOS drops comments, so a description says it."""
    return names.text(f"{site}: written by railbed, a change made here is lost", "site", device)


def services(said: SwitchServices, device: str) -> Services:
    """Servers in the site's order."""
    tacacs, snmp = said.tacacs, said.snmp
    return Services(
        ntp=said.ntp,
        syslog=said.syslog,
        tacacs=tacacs.servers if tacacs else (),
        tacacs_key=word(tacacs.key) if tacacs else "",
        snmp_user=names.word(snmp.user, "SNMP user", device) if snmp else None,
        snmp_auth=word(snmp.auth) if snmp else "",
        snmp_priv=word(snmp.priv) if snmp else "",
        gnmi_port=said.gnmi_port,
    )


def _oob(intent: OobIntent, raw: dict[str, tuple[str, ...]]) -> View:
    switch = intent.switch
    device = names.word(switch.name, "switch name", switch.name)
    isolated = oob_view.isolated_vlans(intent)
    return View(
        device=device,
        release=switch.release,
        services=services(intent.services, device),
        management=None,
        gateway=str(switch.management.gateway),
        raw=raw,
        ports=oob_view.ports(intent, isolated),
        vlans=oob_view.vlans(intent, isolated),
        svis=oob_view.svis(intent, isolated, owner(intent.site, device)),
        vrfs=(names.MANAGEMENT_VRF,),
    )
