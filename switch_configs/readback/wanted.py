"""What a readback must find in a switch's configuration, worked out from its intent.

Shares nothing with any parser, and with templates only `policies` and `qos`: a slip in these two
would be wanted and printed alike, so the proof works them out again (`validation/paused`,
`validation/routing/valley.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, replace
from functools import cache
from typing import Any

from inventory.plan import (
    BgpSession,
    Headroom,
    Switch,
    SwitchPort,
    SwitchServices,
    SwitchVlan,
    TrafficClass,
    Watchdog,
)
from switch_configs.intent import OobIntent, SwitchIntent
from switch_configs.policies import policies, policy_name
from switch_configs.qos import PortQos, dscps_of, port_qos

from . import facts as said
from .facts import SwitchFacts

# How the parts of SwitchFacts are called in `Dialect.unsaid`.
PARTS: dict[type, str] = {
    said.PortFacts: "port.",
    said.SessionFacts: "session.",
    said.QosFacts: "qos.",
    said.ClassFacts: "class.",
    said.WatchdogFacts: "watchdog.",
    said.PolicyFacts: "policy.",
    said.TableFacts: "table.",
    said.VlanFacts: "vlan.",
    said.BondFacts: "bond.",
    said.PairFacts: "pair.",
    said.BufferFacts: "buffers.",
    said.ServiceFacts: "services.",
    SwitchFacts: "",
}


def wanted(intent: SwitchIntent | OobIntent, unsaid: frozenset[str] = frozenset()) -> SwitchFacts:
    """The facts of one switch, if its configuration says what the plan says.

    What a dialect's configuration never says (`Dialect.unsaid`) is left out.
    """
    full = _oob(intent) if isinstance(intent, OobIntent) else _switch(intent)
    left_out: SwitchFacts = without(full, unsaid)
    return left_out


def without(value: Any, unsaid: frozenset[str]) -> Any:
    """The same facts without those that are unsaid: None, empty or False in their place."""
    return _without(value, unsaid, {})


# Ports of one kind share one QosFacts, so each object is done once: by its id, while it lives.
_Done = dict[int, Any]


def _without(value: Any, unsaid: frozenset[str], done: _Done) -> Any:
    if isinstance(value, tuple):
        return tuple([_without(one, unsaid, done) for one in value])
    if type(value) not in PARTS:
        return value
    if id(value) not in done:
        changed = {
            one.name: _empty(one, getattr(value, one.name))
            if is_hidden
            else _without(getattr(value, one.name), unsaid, done)
            for one, is_hidden in _fields(type(value), unsaid)  # type: ignore[arg-type] # a type is hashable
        }
        done[id(value)] = replace(value, **changed) if changed else value
    return done[id(value)]


@cache
def _fields(kind: type, unsaid: frozenset[str]) -> tuple[tuple[Field[Any], bool], ...]:
    """The fields of a kind of facts that change: hidden ones, and those with facts below."""
    part = PARTS[kind]
    return tuple(
        (field, f"{part}{field.name}" in unsaid)
        for field in fields(kind)
        if f"{part}{field.name}" in unsaid or field.name in _BELOW
    )


# The fields that hold other facts.
_BELOW = frozenset(
    {
        "bonds", "buffers", "classes", "pair", "policies", "ports", "qos", "services", "sessions",
        "tables", "vlans", "watchdog",
    }
)  # fmt: skip


def _empty(one: Field[Any], held: object) -> object:
    return _nothing(held) if one.default is MISSING else one.default


def _nothing(held: object) -> object:
    if isinstance(held, (tuple, str, bool)):
        return type(held)()
    return type(held)() if isinstance(held, (said.BufferFacts, said.ServiceFacts)) else None


def _switch(intent: SwitchIntent) -> SwitchFacts:
    switch = intent.switch
    return SwitchFacts(
        hostname=switch.name,
        release=switch.release,
        asn=switch.asn,
        router_id=str(switch.loopback),
        ports=_ports(intent),
        sessions=tuple(
            sorted((_session(switch, session) for session in switch.sessions), key=_session_order)
        ),
        policies=_policies(intent),
        originates=_texts(switch.originates),
        discards=_texts(switch.aggregates),
        ecmp_width=switch.ecmp_width,
        ebgp_requires_policy=True,
        isolated_ports=(switch.management.port,),
        lldp_hold_s=8,
        hazards=(),
        unread=(),
        drained=intent.drained,
        tables=tuple(
            said.TableFacts(table.vrf, _texts(table.originates), switch.ecmp_width)
            for table in switch.tables[1:]
        ),
        hash_seed=switch.hash_seed,
        vlans=tuple(map(_vlan, sorted(switch.vlans, key=lambda one: one.id))),
        bonds=_bonds(switch),
        pair=_pair(switch),
        buffers=_buffers(intent),
        services=_services(
            intent.services, str(switch.management.address), str(switch.management.gateway)
        ),
    )


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(sorted(map(str, values)))


def _ports(intent: SwitchIntent) -> tuple[said.PortFacts, ...]:
    switch = intent.switch
    loopback = said.PortFacts(said.LOOPBACK, None, (f"{switch.loopback}/32",), "")
    routed = {session.port for session in switch.sessions}
    # Ports of one kind share their QoS, as they do in most configurations.
    kinds: dict[PortQos | None, said.QosFacts | None] = {}
    data = []
    for port in switch.ports:
        qos = port_qos(switch, intent.lossless, port)
        if qos not in kinds:
            kinds[qos] = _qos(qos) if qos else None
        data.append(_port(port, kinds[qos], switch.adaptive_routing and port.name in routed))
    tagged = [_tagged(switch, session) for session in switch.sessions if session.vlan]
    return tuple(sorted([loopback, *data, *tagged], key=lambda one: one.name))


def _port(port: SwitchPort, qos: said.QosFacts | None, adaptive: bool) -> said.PortFacts:
    return said.PortFacts(
        name=port.name,
        ip_mtu_bytes=port.ip_mtu_bytes,
        addresses=(str(port.address),) if port.address else (),
        description=port.description,
        rate_gbps=port.rate_gbps,
        fec=port.fec,
        autoneg=port.autoneg,
        vlans=port.vlans,
        bond=port.bond,
        adaptive_routing=adaptive,
        qos=qos,
    )


def _tagged(switch: Switch, session: BgpSession) -> said.PortFacts:
    below = next(port for port in switch.ports if port.name == session.port)
    name = f"{session.port}.{session.vlan}"
    return said.PortFacts(name, below.ip_mtu_bytes, (), "", vrf=session.vrf)


def _qos(qos: PortQos) -> said.QosFacts:
    classes = [_class(qos, traffic_class) for traffic_class in qos.classes]
    return said.QosFacts(
        classes=tuple(sorted(classes, key=lambda one: one.dscps)),
        pfc_priorities=qos.pfc_priorities,
        watchdog=_watchdog(qos.watchdog),
        cable_m=qos.cable_m,
        headroom=_headroom(qos.headroom),
    )


def _watchdog(timers: Watchdog | None) -> said.WatchdogFacts | None:
    if timers is None:
        return None
    return said.WatchdogFacts(timers.detect_ms, timers.restore_ms, timers.poll_ms, timers.action)


def _headroom(room: Headroom | None) -> said.HeadroomFacts | None:
    if room is None:
        return None
    return said.HeadroomFacts(
        room.xon_bytes, room.xoff_bytes, room.size_bytes, room.xon_offset_bytes
    )


def _class(qos: PortQos, one: TrafficClass) -> said.ClassFacts:
    ecn = qos.ecn
    return said.ClassFacts(
        dscps=dscps_of(qos.classes, one),
        pfc_priority=one.priority if one.lossless else None,
        strict=one.strict,
        weight_percent=one.weight_percent,
        rate_cap_percent=one.rate_cap_percent,
        ecn=said.EcnFacts(ecn.kmin_bytes, ecn.kmax_bytes, ecn.probability_percent)
        if one.priority in qos.marked_priorities
        else None,
    )


def _session_order(session: said.SessionFacts) -> tuple[str, str]:
    return session.vrf, session.key


def _session(switch: Switch, session: BgpSession) -> said.SessionFacts:
    timers = switch.timers
    return said.SessionFacts(
        key=session.key,
        peer_asn=session.peer_asn,
        description=str(session.peer),
        policy_in=policy_name(session.vrf, session.direction, is_in=True),
        policy_out=policy_name(session.vrf, session.direction, is_in=False),
        keepalive_s=timers.bgp_keepalive_s,
        hold_s=timers.bgp_hold_s,
        connect_s=timers.bgp_connect_s,
        bfd=True,
        bfd_interval_ms=timers.bfd_interval_ms,
        bfd_multiplier=timers.bfd_multiplier,
        maximum_prefix=switch.maximum_prefix,
        over_maximum="warn",
        vrf=session.vrf,
    )


def _policies(intent: SwitchIntent) -> tuple[said.PolicyFacts, ...]:
    out = [
        said.PolicyFacts(
            name=policy.name,
            permits=tuple(
                sorted(said.PermitFacts(str(net), bits, bits) for net, bits in policy.permits)
            ),
            adds=policy.adds,
            refuses=policy.refuses,
            drained_last=policy.drained_last,
        )
        for policy in policies(intent.switch, drained=intent.drained)
    ]
    return tuple(sorted(out, key=lambda one: one.name))


def _vlan(vlan: SwitchVlan) -> said.VlanFacts:
    rules = (
        said.AclFacts(rule.action, rule.protocol, rule.source, rule.destination, rule.port)
        for rule in vlan.acl
    )
    return said.VlanFacts(
        id=vlan.id,
        name=vlan.name,
        vrf=vlan.vrf,
        gateway=str(vlan.gateway),
        address=str(vlan.address),
        ip_mtu_bytes=vlan.ip_mtu_bytes,
        acl=tuple(rules),
    )


def _bonds(switch: Switch) -> tuple[said.BondFacts, ...]:
    members: dict[int, list[str]] = defaultdict(list)
    for port in switch.ports:
        if port.bond is not None:
            members[port.bond].append(port.name)
    return tuple(
        said.BondFacts(number, tuple(sorted(names)), switch.pair is not None)
        for number, names in sorted(members.items())
    )


def _pair(switch: Switch) -> said.PairFacts | None:
    pair = switch.pair
    if pair is None:
        return None
    return said.PairFacts(pair.domain, tuple(sorted(pair.ports)), str(pair.peer_management))


def _buffers(intent: SwitchIntent) -> said.BufferFacts:
    buffers, policy = intent.switch.buffers, intent.lossless.headroom
    if buffers is None or policy is None:
        return said.BufferFacts()
    shared = policy.over_subscription if policy.form == "shared" else None
    return said.BufferFacts(buffers.alpha, shared, buffers.headroom_pool_bytes)


def _services(services: SwitchServices, address: str, gateway: str) -> said.ServiceFacts:
    return said.ServiceFacts(
        management_address=address,
        management_gateway=gateway,
        management_vrf=True,
        ntp=services.ntp,
        syslog=services.syslog,
        tacacs=services.tacacs.servers if services.tacacs else (),
        snmp_users=(services.snmp.user,) if services.snmp else (),
        gnmi_port=services.gnmi_port,
    )


def _oob(intent: OobIntent) -> SwitchFacts:
    switch = intent.switch
    return SwitchFacts(
        hostname=switch.name,
        release=switch.release,
        asn=None,
        router_id=None,
        ports=tuple(sorted(_oob_ports(intent), key=lambda one: one.name)),
        sessions=(),
        policies=(),
        originates=(),
        discards=(),
        ecmp_width=None,
        ebgp_requires_policy=True,
        isolated_ports=tuple(sorted(port.name for port in switch.ports if port.isolated)),
        lldp_hold_s=8,
        hazards=(),
        unread=(),
        vlans=tuple(
            said.VlanFacts(zone.vlan, zone.name)
            for zone in sorted(intent.zones, key=lambda one: one.vlan)
        ),
        services=_services(
            intent.services, str(switch.management.address), str(switch.management.gateway)
        ),
    )


def _oob_ports(intent: OobIntent) -> Iterator[said.PortFacts]:
    numbers = {zone.name: zone.vlan for zone in intent.zones}
    for port in intent.switch.ports:
        yield said.PortFacts(
            name=port.name,
            ip_mtu_bytes=None,
            addresses=(),
            description=port.description,
            rate_gbps=port.rate_gbps,
            vlans=tuple(sorted(numbers[zone] for zone in port.zones)),
            trunk=not port.isolated,
        )
