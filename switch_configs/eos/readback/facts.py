"""Puts the lines together: `Found` -> SwitchFacts."""

from __future__ import annotations

from switch_configs.readback import facts as said
from switch_configs.readback.facts import LOOPBACK, SwitchFacts, hazards_of

from . import policies
from .checks import hazards, int_of
from .classes import qos_of
from .forms import FORMS
from .reading import EosReading, Interface, Table
from .sessions import sessions

_IP_MTU = 1500
_GSHUT = "65535:0"


def facts(found: EosReading) -> SwitchFacts:
    """All that the configuration says; may raise where an address is none."""
    lines = len(found.unread)
    management = _management(found)
    default = found.tables.get("", Table())
    all_sessions = sessions(found)
    rules = policies.policies(found)
    ports = _ports(found)
    # What several readers found of one thing is told once; lines are told each.
    told = (*found.unread[:lines], *dict.fromkeys(found.unread[lines:]))
    return SwitchFacts(
        hostname=found.hostname,
        release=found.release,
        asn=found.asn,
        router_id=default.router_id,
        ports=tuple(sorted(ports, key=lambda one: one.name)),
        sessions=all_sessions,
        policies=rules,
        originates=tuple(sorted(default.networks)),
        discards=tuple(sorted(to for vrf, to, via in found.routes if not vrf and via == "Null0")),
        ecmp_width=default.paths[0] if found.asn is not None else None,
        ebgp_requires_policy=_requires_policy(found),
        isolated_ports=tuple(sorted(_isolated(found, management))),
        lldp_hold_s=None,
        hazards=hazards_of(sorted([*found.hazards, *hazards(found, management)])),
        unread=tuple(map(FORMS.read, told)),
        drained=_drained(all_sessions, rules),
        tables=tuple(
            said.TableFacts(vrf, tuple(sorted(one.networks)), one.paths[0])
            for vrf, one in sorted(found.tables.items())
            if vrf
        ),
        vlans=_vlans(found, management),
        bonds=_bonds(found),
        pair=_pair(found),
        services=_services(found, management),
    )


def _management(found: EosReading) -> str:
    """The table of the management port, or of logins where that is a VLAN's."""
    own = [
        interface.vrf
        for interface in found.interfaces.values()
        if interface.name.startswith("Management")
    ]
    tables = [*own, *sorted(found.services.ssh_vrfs)]
    return tables[0] if tables else ""


def _requires_policy(found: EosReading) -> bool:
    """RFC 8212; a switch without BGP lets nothing through either."""
    if found.asn is None:
        return True
    return all(found.missing.get(way) in ("deny", "deny-in-out") for way in ("in", "out"))


def _drained(every: tuple[said.SessionFacts, ...], rules: tuple[said.PolicyFacts, ...]) -> bool:
    adds = {policy.name: policy.adds for policy in rules}
    outs = {session.policy_out for session in every}
    return bool(outs) and all(_GSHUT in adds.get(one or "", ()) for one in outs)


def _peer_channel(found: EosReading) -> int:
    link = found.mlag.link if found.mlag else None
    return int_of((link or "").removeprefix("Port-Channel"))


def _ports(found: EosReading) -> list[said.PortFacts]:
    out = []
    for interface in found.interfaces.values():
        if interface.name.startswith("Ethernet") and interface.said:
            out.append(_port(interface, found))
        elif interface.name == "Loopback0":
            out.append(
                said.PortFacts(LOOPBACK, None, tuple(interface.addresses), interface.description)
            )
    return out


def _port(one: Interface, found: EosReading) -> said.PortFacts:
    bond = one.channel
    carrier = one if bond is None else found.interfaces.get(f"Port-Channel{bond}", one)
    to_peer = bond is not None and bond == _peer_channel(found)
    qos = None if one.tag is not None else qos_of(one, carrier, found)
    mtu = carrier.mtu_bytes or (_IP_MTU if found.routing else None)
    return said.PortFacts(
        name=one.name,
        ip_mtu_bytes=mtu,
        addresses=tuple(sorted(carrier.addresses)),
        description=one.description,
        rate_gbps=one.rate_gbps,
        fec=one.fec,
        autoneg=one.autoneg,
        vrf=carrier.vrf,
        vlans=() if to_peer else _carried(carrier, found),
        trunk=not to_peer and _all_tagged(carrier),
        bond=None if to_peer else bond,
        qos=qos,
    )


def _all_tagged(one: Interface) -> bool:
    """VLAN 1 is untagged unless another is; where it is not carried, all are tagged."""
    return one.trunk and one.native is None and 1 not in (one.allowed or (1,))


def _carried(one: Interface, found: EosReading) -> tuple[int, ...]:
    """The VLANs of a port, untagged first; an isolated VLAN is its zone's."""
    if one.routed or one.tag is not None:
        return ()
    if one.trunk:
        first = one.native if one.native is not None else None
        parts = {at for at, vlan in found.vlans.items() if vlan.isolated_of is not None}
        rest = tuple(vlan for vlan in one.allowed or () if vlan != first and vlan not in parts)
        return rest if first is None else (first, *rest)
    if one.access is None:
        return ()
    vlan = found.vlans.get(one.access)
    return (vlan.isolated_of if vlan and vlan.isolated_of is not None else one.access,)


def _isolated(found: EosReading, management: str) -> list[str]:
    out = []
    for interface in found.interfaces.values():
        vlan = (
            found.vlans.get(interface.access)
            if interface.access is not None and not interface.trunk
            else None
        )
        if vlan is not None and vlan.isolated_of is not None:
            out.append(interface.name)
        apart = (
            interface.name.startswith("Management")
            and interface.vrf
            and interface.vrf not in found.routing
        )
        if apart and interface.vrf == management:
            out.append(interface.name)
    return out


def _vlans(found: EosReading, management: str) -> tuple[said.VlanFacts, ...]:
    own = found.mlag.local if found.mlag else None
    return tuple(
        _vlan(number, found, management)
        for number, one in sorted(found.vlans.items())
        if one.isolated_of is None and f"Vlan{number}" != own
    )


def _vlan(number: int, found: EosReading, management: str) -> said.VlanFacts:
    one = found.interfaces.get(f"Vlan{number}")
    name = found.vlans[number].name
    if one is None or (management and one.vrf == management):
        return said.VlanFacts(number, name)
    rules = found.acls.get(one.acl or "", {})
    return said.VlanFacts(
        id=number,
        name=name,
        vrf=one.vrf,
        gateway=one.gateway,
        address=one.addresses[0] if one.addresses else None,
        ip_mtu_bytes=one.mtu_bytes or _IP_MTU,
        acl=tuple(rules[at] for at in sorted(rules)),
    )


def _bonds(found: EosReading) -> tuple[said.BondFacts, ...]:
    members: dict[int, list[str]] = {}
    for interface in found.interfaces.values():
        if interface.channel is not None and interface.channel != _peer_channel(found):
            members.setdefault(interface.channel, []).append(interface.name)
    out = []
    for number, ports in sorted(members.items()):
        bond = found.interfaces.get(f"Port-Channel{number}")
        shared = bond is not None and (bond.mlag is not None or bond.segment)
        out.append(said.BondFacts(number, tuple(sorted(ports)), shared))
    return tuple(out)


def _pair(found: EosReading) -> said.PairFacts | None:
    if found.mlag is None:
        return None
    domain = found.mlag.domain or ""
    ports = [
        interface.name
        for interface in found.interfaces.values()
        if interface.channel == _peer_channel(found)
    ]
    return said.PairFacts(
        domain=int(domain) if domain.isdecimal() else None,
        ports=tuple(sorted(ports)),
        peer_management=found.mlag.heartbeat,
    )


def _services(found: EosReading, management: str) -> said.ServiceFacts:
    held = found.services
    own = [
        interface
        for interface in found.interfaces.values()
        if management and interface.vrf == management
    ]
    addresses = [address for interface in own for address in interface.addresses]
    gateways = [
        to for vrf, prefix, to in found.routes if vrf == management and prefix == "0.0.0.0/0"
    ]
    return said.ServiceFacts(
        management_address=addresses[0] if addresses else None,
        management_gateway=gateways[0] if gateways else None,
        management_vrf=bool(management),
        ntp=tuple(server for _, server in held.ntp),
        syslog=tuple(server for _, server in held.syslog),
        tacacs=tuple(server for _, server in held.tacacs),
        snmp_users=tuple(held.snmp_users),
        gnmi_port=held.gnmi[0][1] if held.gnmi else None,
    )
