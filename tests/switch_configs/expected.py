"""What a readback must find, worked out from the plan and from RFCs alone.

Imports nothing of a dialect: agreement with it must mean something.
"""

from __future__ import annotations

from inventory.plan import BgpSession, Plan, Switch
from switch_configs.facts import (
    PermitFacts,
    PolicyFacts,
    PortFacts,
    SessionFacts,
    SwitchFacts,
)


def facts(plan: Plan, name: str) -> SwitchFacts:
    """The facts of one switch, if its configuration says what the plan says."""
    switch = plan.switch[name]
    return SwitchFacts(
        hostname=name,
        release=switch.release,
        asn=switch.asn,
        router_id=str(switch.loopback),
        ports=_ports(switch),
        sessions=tuple(sorted((_session(switch, one) for one in switch.sessions), key=_key)),
        policies=_policies(switch),
        originates=tuple(sorted(str(one) for one in switch.originates)),
        discards=tuple(map(str, switch.aggregates)),
        ecmp_width=switch.ecmp_width,
        ebgp_requires_policy=True,
        isolated_ports=(switch.management.port,),
        lldp_hold_s=8,
        hazards=(),
        unread=(),
    )


def _key(session: SessionFacts) -> str:
    return session.key


def _ports(switch: Switch) -> tuple[PortFacts, ...]:
    loopback = PortFacts("lo", None, (f"{switch.loopback}/32",), "")
    data = [
        PortFacts(
            one.name, one.ip_mtu_bytes, (str(one.address),) if one.address else (), one.description
        )
        for one in switch.ports
    ]
    return tuple(sorted([loopback, *data], key=lambda one: one.name))


def _session(switch: Switch, session: BgpSession) -> SessionFacts:
    timers = switch.timers
    return SessionFacts(
        key=str(session.peer_address) if session.peer_address else session.port,
        peer_asn=session.peer_asn,
        description=f"{session.peer.device}:{session.peer.port}",
        policy_in=f"{session.direction}-in",
        policy_out=f"{session.direction}-out",
        keepalive_s=timers.bgp_keepalive_s,
        hold_s=timers.bgp_hold_s,
        connect_s=timers.bgp_connect_s,
        bfd=True,
        bfd_interval_ms=timers.bfd_interval_ms,
        bfd_multiplier=timers.bfd_multiplier,
        maximum_prefix=switch.maximum_prefix,
        over_maximum="warn",
    )


def _policies(switch: Switch) -> tuple[PolicyFacts, ...]:
    """A leaf lets only its own out (valley-free); all take only what owners may announce."""
    learnt = tuple(PermitFacts(str(one), bits, bits) for one, bits in switch.tables[0].learns)
    if switch.tier == "spine":
        return (PolicyFacts("down-in", learnt), PolicyFacts("down-out", learnt))
    own = [PermitFacts(str(one), one.prefixlen, one.prefixlen) for one in switch.originates]
    return (PolicyFacts("up-in", learnt), PolicyFacts("up-out", tuple(sorted(own))))
