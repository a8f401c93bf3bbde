"""The pair schedule: which NICs load each other in which round, from the plan alone. Pure.

Inside a leaf every NIC meets every other (circle method: one round less than NICs). Across
leaves each two leaves of a rail meet once, by one NIC pair, with members taken in turn: the
uplinks are shared, so more pairs would load the same links again. In a round no NIC is in two
pairs, and no leaf's uplinks are expected to carry more than the tool's terms allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from inventory.plan import Plan, PortRef

from .loads import LoadProbe, Terms, terms_of, tool_of
from .paths import Ports, ports_towards

FIRST_PORT = 20000  # below Linux's ephemeral ports (ip_local_port_range), so nobody else's
MOST_RAILS = 16
T = TypeVar("T")


@dataclass(frozen=True, slots=True, order=True)
class Seat:
    """A rail NIC with its place: what a pair is made of."""

    rail: int
    leaf: str
    node: str
    port: str


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    """Two NICs of one rail that load each other, both ways."""

    a: Seat
    b: Seat

    @property
    def crosses(self) -> bool:
        """Whether it uses uplinks."""
        return self.a.leaf != self.b.leaf


Round = tuple[Pair, ...]


def circle(items: Sequence[T]) -> list[list[tuple[T, T]]]:
    """Rounds in which each item meets each other one once, and nobody twice in a round.

    The circle method: one stays, the others turn. An odd one out sits still.
    """
    if len(items) < 2:
        return []
    ring: list[T | None] = [*items, *([None] if len(items) % 2 else [])]
    rounds: list[list[tuple[T, T]]] = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        facing = zip(ring[:half], reversed(ring[half:]), strict=True)
        rounds.append([(a, b) for a, b in facing if a is not None and b is not None])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def seats(plan: Plan) -> tuple[Seat, ...]:
    """Every rail NIC of every node that can be deployed, by rail, leaf and position.

    The second ports of dual-plane NICs are rails of their own: planes do not meet.
    """
    absent = set(plan.undeployable)
    nodes = sorted(plan.nodes, key=lambda one: (one.pod, one.position))
    found = [
        Seat(nic.index, nic.leaf.device, node.name, nic.port)
        for node in nodes
        for nic in node.rails
        if node.name not in absent
    ]
    return tuple(sorted(found, key=lambda one: (one.rail, one.leaf)))


def schedule(plan: Plan) -> tuple[Round, ...]:
    """Every round, in order; within a round all pairs run at once.

    Rails do not meet, so they run side by side, as many as the tool's terms allow.
    """
    by_rail: dict[int, dict[str, list[Seat]]] = {}
    for seat in seats(plan):
        by_rail.setdefault(seat.rail, {}).setdefault(seat.leaf, []).append(seat)
    together = min((_terms(plan, rail).rails_at_once for rail in by_rail), default=1)
    rails = [_rail(plan, leaves) for _, leaves in sorted(by_rail.items())]
    rounds: list[Round] = []
    for first in range(0, len(rails), together):
        side_by_side = zip_longest(*rails[first : first + together], fillvalue=())
        rounds += [tuple(sorted(pair for one in row for pair in one)) for row in side_by_side]
    return tuple(one for one in rounds if one)


def _rail(plan: Plan, leaves: dict[str, list[Seat]]) -> list[Round]:
    inside = zip_longest(*(circle(mine) for mine in leaves.values()), fillvalue=[])
    rounds: list[Round] = [
        tuple(Pair(*sorted(pair)) for one in row for pair in one) for row in inside
    ]
    return [*rounds, *_across(plan, leaves)]


def _across(plan: Plan, leaves: dict[str, list[Seat]]) -> Iterator[Round]:
    """Perfect matchings of the leaves, as many in one round as their uplinks carry."""
    matchings = circle(sorted(leaves))
    width = min((_at_once(plan, mine) for mine in leaves.values()), default=1)
    for first in range(0, len(matchings), width):
        yield tuple(
            Pair(*sorted((_turn(leaves[a], number), _turn(leaves[b], number))))
            for number, matching in enumerate(matchings[first : first + width], first)
            for a, b in matching
        )


def _turn(members: list[Seat], number: int) -> Seat:
    return members[number % len(members)]


def _at_once(plan: Plan, members: list[Seat]) -> int:
    """How many NICs of a leaf may send over its uplinks at once; one at least."""
    leaf, nic = members[0].leaf, _rate(plan, members[0])
    room = uplinks_gbps(plan, leaf) * _terms(plan, members[0].rail).uplink_load
    return max(1, min(len(members), int(room / nic + 1e-9)))


def uplinks_gbps(plan: Plan, leaf: str) -> float:
    """What all uplinks of a leaf carry together, one way."""
    return sum(port.rate_gbps for port in plan.switch[leaf].ports if port.direction == "up")


def uplink_load(plan: Plan, pairs: Iterable[Pair]) -> dict[str, float]:
    """Leaf -> the share of its uplinks that the pairs are expected to fill, each way."""
    wanted: dict[str, float] = {}
    for pair in pairs:
        for seat in (pair.a, pair.b) if pair.crosses else ():
            wanted[seat.leaf] = wanted.get(seat.leaf, 0) + _pair_rate(plan, pair)
    return {leaf: gbps / uplinks_gbps(plan, leaf) for leaf, gbps in sorted(wanted.items())}


def fits(plan: Plan, pairs: Sequence[Pair], pair: Pair) -> bool:
    """Whether a round has room for one more pair: both NICs idle, the uplinks not full."""
    busy = {(seat.node, seat.port) for one in pairs for seat in (one.a, one.b)}
    if any((seat.node, seat.port) in busy for seat in (pair.a, pair.b)):
        return False
    crossing = {seat.leaf for one in pairs if one.crosses for seat in (one.a, one.b)}
    if not pair.crosses or not crossing & {pair.a.leaf, pair.b.leaf}:
        return True
    most = _terms(plan, pair.a.rail).uplink_load
    return max(uplink_load(plan, [*pairs, pair]).values()) <= most


def _rate(plan: Plan, seat: Seat) -> float:
    return plan.cable_at[PortRef(seat.node, seat.port)].rate_gbps


def _pair_rate(plan: Plan, pair: Pair) -> float:
    """The slowest link that a single flow between the two has to use, in Gb/s."""
    leaves = {pair.a.leaf, pair.b.leaf} if pair.crosses else set()
    ups = [
        port.rate_gbps
        for leaf in leaves
        for port in plan.switch[leaf].ports
        if port.direction == "up"
    ]
    return min(_rate(plan, pair.a), _rate(plan, pair.b), *ups)


def _terms(plan: Plan, rail: int) -> Terms:
    nics = (nic for node in plan.nodes for nic in node.rails if nic.index == rail)
    return terms_of(tool_of(next(nics)))


def loads(plan: Plan, configured: frozenset[str]) -> tuple[tuple[LoadProbe, ...], ...]:
    """The flows of each round that can run once `configured` is in place.

    The rounds are the whole plan's, so that a growing `configured` only adds flows.
    """
    towards: dict[str, Ports] = {}

    def connected(pair: Pair) -> bool:
        if not {pair.a.node, pair.b.node, pair.a.leaf, pair.b.leaf} <= configured:
            return False
        if pair.crosses and pair.b.leaf not in towards:
            towards[pair.b.leaf] = ports_towards(plan, pair.b.leaf, configured)
        return not pair.crosses or pair.a.leaf in towards[pair.b.leaf]

    rounds = (
        tuple(sorted(flow for pair in pairs if connected(pair) for flow in flows(plan, pair, n)))
        for n, pairs in enumerate(schedule(plan))
    )
    return tuple(one for one in rounds if one)


def flows(plan: Plan, pair: Pair, number: int) -> tuple[LoadProbe, LoadProbe]:
    """Both flows of a pair in round `number`."""
    return _flow(plan, pair.a, pair.b, pair, number), _flow(plan, pair.b, pair.a, pair, number)


def _flow(plan: Plan, sender: Seat, receiver: Seat, pair: Pair, number: int) -> LoadProbe:
    here, there = (
        next(nic for nic in plan.node[seat.node].rails if nic.index == seat.rail)
        for seat in (sender, receiver)
    )
    return LoadProbe(
        id=f"rail{sender.rail}:{sender.node}>{receiver.node}",
        rail=sender.rail,
        leaves=(sender.leaf, receiver.leaf),
        sender=sender.node,
        sender_port=sender.port,
        sender_device=here.rdma_device or "",
        source=here.address.ip,
        receiver=receiver.node,
        receiver_port=receiver.port,
        receiver_device=there.rdma_device or "",
        target=there.address.ip,
        port=FIRST_PORT + number * MOST_RAILS + sender.rail,
        rate_gbps=_pair_rate(plan, pair),
        dscp=plan.lossless.dscp,
        terms=terms_of(tool_of(here)),
    )
