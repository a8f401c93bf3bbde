"""What a switch lets in and out of each routing table, by tier: no words of any switch OS.

Valley-free by construction. A leaf announces what it originates and nothing that it learnt. A
spine below superspines marks what comes from above and never sends it up again, so a path goes
up, then down. Whoever is drained marks what it says (RFC 8326), and all use such routes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network

from inventory.plan import Direction, RoutingTable, Switch

FROM_ABOVE = "64512:100"
"""What came from above, inside one switch; 64512 is for private use (RFC 6996)."""
GRACEFUL_SHUTDOWN = "65535:0"
"""Use this route last (RFC 8326, section 4)."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What passes: `permits` at exactly these lengths, none of `refuses`; `adds` is put on it.

    `is_in` says whether it is for what the switch hears; `drained_last` that routes marked
    GRACEFUL_SHUTDOWN get the lowest preference.
    """

    name: str
    is_in: bool
    vrf: str
    direction: Direction
    permits: tuple[tuple[IPv4Network, int], ...]
    adds: tuple[str, ...]
    refuses: tuple[str, ...]
    drained_last: bool


def policy_name(vrf: str, direction: Direction, *, is_in: bool) -> str:
    """`up-in`, or `users-up-in` in the table of users."""
    word = f"{direction}-{'in' if is_in else 'out'}"
    return f"{vrf}-{word}" if vrf else word


def policies(switch: Switch, *, drained: bool = False) -> tuple[Policy, ...]:
    """Every policy of a switch, table by table, only for directions that it has sessions in."""
    return tuple(
        policy
        for table in switch.tables
        for direction in _directions(switch, table.vrf)
        for policy in _of(switch, table, direction, drained)
    )


def _directions(switch: Switch, vrf: str) -> tuple[Direction, ...]:
    return tuple(sorted({session.direction for session in switch.sessions if session.vrf == vrf}))


def _of(
    switch: Switch, table: RoutingTable, direction: Direction, drained: bool
) -> Iterator[Policy]:
    middle = direction == "up" and switch.tier == "spine"
    own = tuple((one, one.prefixlen) for one in table.originates)
    yield Policy(
        name=policy_name(table.vrf, direction, is_in=True),
        is_in=True,
        vrf=table.vrf,
        direction=direction,
        permits=table.learns,
        adds=(FROM_ABOVE,) if middle else (),
        refuses=(),
        drained_last=True,
    )
    yield Policy(
        name=policy_name(table.vrf, direction, is_in=False),
        is_in=False,
        vrf=table.vrf,
        direction=direction,
        permits=own if switch.tier == "leaf" else table.learns,
        adds=(GRACEFUL_SHUTDOWN,) if drained else (),
        refuses=(FROM_ABOVE,) if middle else (),
        drained_last=False,
    )
