"""BGP: one peer group for each table and direction, its sessions, what is originated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from inventory.plan import BgpSession, RoutingTable, Switch
from switch_configs.policies import policy_name

from . import names


@dataclass(frozen=True, slots=True)
class Group:
    """A peer group, and the two policies of its sessions."""

    name: str
    policy_in: str
    policy_out: str
    unnumbered: bool


class Neighbour(TypedDict):
    """A session; `key` is its address, or the interface of an unnumbered one.

    A dictionary, because the template fills a text with it; nobody changes one.
    """

    key: str
    group: str
    asn: int
    description: str


@dataclass(frozen=True, slots=True)
class Table:
    """What one routing table says; its `vrf` is "" for the default one."""

    vrf: str
    groups: tuple[Group, ...]
    numbered: tuple[Neighbour, ...]
    unnumbered: tuple[Neighbour, ...]
    networks: tuple[str, ...]
    discards: tuple[str, ...]


def tables(switch: Switch) -> tuple[Table, ...]:
    """All tables, the default one first, the others by name."""
    default, *others = switch.tables
    ordered = (default, *sorted(others, key=lambda one: one.vrf))
    return tuple(_table(switch, table) for table in ordered)


def _table(switch: Switch, table: RoutingTable) -> Table:
    own = [session for session in switch.sessions if session.vrf == table.vrf]
    numbered = sorted((session for session in own if session.peer_address), key=_by_address)
    ports = sorted((session for session in own if not session.peer_address), key=_by_port)
    return Table(
        vrf=names.word(table.vrf, "routing table", switch.name) if table.vrf else "",
        groups=_groups(own),
        numbered=tuple(_neighbour(switch.name, session) for session in numbered),
        unnumbered=tuple(_neighbour(switch.name, session) for session in ports),
        networks=tuple(map(str, sorted(table.originates))),
        discards=tuple(map(str, sorted(table.aggregates))),
    )


def _by_address(one: BgpSession) -> int:
    return int(one.peer_address or 0)


def _by_port(one: BgpSession) -> tuple[tuple[int, str], ...]:
    return names.natural(one.key)


def _groups(own: list[BgpSession]) -> tuple[Group, ...]:
    firsts = {session.direction: session for session in reversed(own)}
    by_port = {session.direction for session in own if not session.peer_address}
    found = (
        Group(
            name=group_name(session),
            policy_in=policy_name(session.vrf, session.direction, is_in=True),
            policy_out=policy_name(session.vrf, session.direction, is_in=False),
            unnumbered=session.direction in by_port,
        )
        for session in firsts.values()
    )
    return tuple(sorted(found, key=lambda one: one.name))


def group_name(session: BgpSession) -> str:
    """`up`, or `users-up` in the table of users."""
    return f"{session.vrf}-{session.direction}" if session.vrf else session.direction


def _neighbour(device: str, one: BgpSession) -> Neighbour:
    address = one.peer_address
    return {
        "key": names.dotted(address) if address else names_of_port(device, one),
        "group": group_name(one),
        "asn": one.peer_asn,
        "description": names.text(str(one.peer), "neighbour description", device),
    }


def names_of_port(device: str, one: BgpSession) -> str:
    """The interface of an unnumbered session."""
    port = names.port(one.port, device)
    return f"{port}.{one.vlan}" if one.vlan else port
