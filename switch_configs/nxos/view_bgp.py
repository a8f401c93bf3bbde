"""BGP: one process, a table each, and a template of peers for each direction."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.plan import BgpSession, RoutingTable, Switch
from switch_configs.intent import SwitchIntent
from switch_configs.policies import policy_name

from . import words

# `maximum-paths` takes 1 to 128; one path is the default and not shown.
_MOST_PATHS = 128
# batfish, CiscoNxos_bgp.g4, bgp_neighbor_description.
_MOST_DESCRIPTION = 80


@dataclass(frozen=True, slots=True)
class Template:
    """What all neighbours of one direction in one table share."""

    name: str
    policy_in: str
    policy_out: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A BGP neighbour, by address or by port."""

    key: str
    asn: int
    template: str
    description: str


@dataclass(frozen=True, slots=True)
class BgpTable:
    """A table's own part; `name` is "" for the default one."""

    name: str
    networks: tuple[str, ...]
    neighbours: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class Bgp:
    """The whole process."""

    asn: int
    router_id: str
    keepalive_s: int
    hold_s: int
    connect_s: int
    paths: int | None
    maximum_prefix: int
    drained: bool
    templates: tuple[Template, ...]
    tables: tuple[BgpTable, ...]


def bgp(intent: SwitchIntent) -> Bgp:
    """The BGP process of a switch."""
    switch, timers = intent.switch, intent.switch.timers
    words.within(switch.ecmp_width, 1, _MOST_PATHS, "ECMP width", switch.name)
    return Bgp(
        asn=switch.asn,
        router_id=str(switch.loopback),
        keepalive_s=words.within(timers.bgp_keepalive_s, 0, 3600, "BGP keepalive", switch.name),
        hold_s=words.within(timers.bgp_hold_s, 0, 3600, "BGP hold time", switch.name),
        connect_s=words.within(timers.bgp_connect_s, 1, 60, "BGP connect time", switch.name),
        paths=None if switch.ecmp_width == 1 else switch.ecmp_width,
        maximum_prefix=words.within(
            switch.maximum_prefix, 1, 300000, "maximum of prefixes", switch.name
        ),
        drained=intent.drained,
        templates=_templates(switch),
        tables=tuple(_table(switch, table) for table in switch.tables),
    )


def template_name(session: BgpSession) -> str:
    """`up`, or `users-up` in the table of users: templates know no tables."""
    return f"{session.vrf}-{session.direction}" if session.vrf else session.direction


def _templates(switch: Switch) -> tuple[Template, ...]:
    own = {template_name(session): session for session in switch.sessions}
    return tuple(
        Template(
            words.name(name, "peer template", switch.name),
            policy_name(one.vrf, one.direction, is_in=True),
            policy_name(one.vrf, one.direction, is_in=False),
        )
        for name, one in sorted(own.items())
    )


def _table(switch: Switch, table: RoutingTable) -> BgpTable:
    own = [session for session in switch.sessions if session.vrf == table.vrf]
    ordered = sorted(own, key=lambda one: words.natural(one.key))
    return BgpTable(
        table.vrf,
        tuple(map(str, sorted(table.originates))),
        tuple(
            Neighbour(
                session.key,
                session.peer_asn,
                template_name(session),
                words.description(
                    str(session.peer), f"neighbour {session.key}", switch.name, _MOST_DESCRIPTION
                ),
            )
            for session in ordered
        ),
    )
