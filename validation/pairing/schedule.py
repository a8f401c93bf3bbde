"""The pair schedule: which NICs load each other in which round, from the plan alone. Pure.

Inside a leaf every NIC meets every other (circle method: one round less than NICs). Across
leaves each two leaves of a rail meet once, by one NIC pair, with members taken in turn: the
uplinks are shared, so more pairs would load the same links again. In a round no NIC is in two
pairs, and no leaf's uplinks are expected to carry more than the tool's terms allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from inventory.plan import Plan

from .fill import Fill
from .ground import Ground, ground
from .loads import LoadProbe, Terms, gpus_of, with_streams
from .reach import Reach

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
    """Two NICs, of one rail but in top-ups, that load each other, both ways."""

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
    terms, by_rail = dict[int, Terms](), dict[int, dict[str, list[Seat]]]()
    for seat in seats(plan):
        by_rail.setdefault(seat.rail, {}).setdefault(seat.leaf, []).append(seat)
        terms[seat.rail] = ground(plan).nic[seat.node, seat.port].terms
    together = min((one.rails_at_once for one in terms.values()), default=1)
    rails = [leaves for _, leaves in sorted(by_rail.items())]
    rounds: list[list[Pair]] = []
    for first in range(0, len(rails), together):
        group = rails[first : first + together]
        side_by_side = zip_longest(*(_inside(leaves) for leaves in group), fillvalue=())
        rounds += [[pair for sequence in row for pair in sequence] for row in side_by_side]
        times = max(terms[rail].across_times for rail in sorted(by_rail)[first:][:together])
        rounds += _across(plan, group, times)
    return tuple(tuple(sorted(round_, key=in_order)) for round_ in rounds if round_)


def in_order(pair: Pair) -> tuple[int, str, str, str, str]:
    """Sorts as the pairs themselves do, in a fraction of the time."""
    return pair.a.rail, pair.a.leaf, pair.a.node, pair.b.leaf, pair.b.node


def _inside(leaves: Mapping[str, Sequence[Seat]]) -> list[list[Pair]]:
    """The rounds of a rail in which every NIC meets those of its leaf."""
    rows = zip_longest(*(circle(mine) for mine in leaves.values()), fillvalue=[])
    return [[pair_of(*pair) for one in row for pair in one] for row in rows]


def pair_of(a: Seat, b: Seat) -> Pair:
    """Two NICs as a pair; whoever is named first."""
    return Pair(a, b) if (a.leaf, a.node) < (b.leaf, b.node) else Pair(b, a)


def _across(
    plan: Plan, rails: Sequence[Mapping[str, Sequence[Seat]]], times: int
) -> list[list[Pair]]:
    """Each two leaves so many times, as far as other NICs are left for each time.

    Matching after matching, each pair in the first round with room.
    """
    rows = list(zip_longest(*map(_matchings, rails), fillvalue=[])) * times
    wanted = [
        pair_of(_turn(leaves[a], number), _turn(leaves[b], number))
        for number, row in enumerate(rows)
        for leaves, matching in zip(rails, row, strict=True)
        for a, b in matching
    ]
    rounds: list[Room] = []
    for pair in dict.fromkeys(wanted):
        if not any(room.take(pair) for room in rounds):
            rounds.append(Room(plan))
            rounds[-1].force(pair)
    return [room.pairs for room in rounds]


def _matchings(leaves: Mapping[str, Sequence[Seat]]) -> list[list[tuple[str, str]]]:
    return circle(sorted(leaves))


def _turn(members: Sequence[Seat], number: int) -> Seat:
    return members[number % len(members)]


class Room:
    """A round that is being filled: no NIC twice, and no uplink of any tier overfull.

    `most` is the share of uplinks that may be expected to fill; None: as the tool's terms say.
    """

    def __init__(self, plan: Plan, most: float | None = None) -> None:
        self.pairs: list[Pair] = []
        self._ground, self.most, self._fill = ground(plan), most, Fill(plan)
        self._busy: set[Seat] = set()

    def take(self, pair: Pair) -> bool:
        """Take the pair if there is room, and say whether there was."""
        a, b = pair.a, pair.b
        if a in self._busy or b in self._busy:
            return False
        nic = self._ground.nic[a.node, a.port]
        most = nic.terms.uplink_load if self.most is None else self.most
        if pair.crosses and not self._fill.fits(a.leaf, b.leaf, self._gbps(pair), most):
            return False
        self.force(pair)
        return True

    def is_full(self, seat: Seat) -> bool:
        """Whether the uplinks of its leaf have no room for its rate."""
        nic, up = self._ground.nic[seat.node, seat.port], self._ground.up[seat.leaf]
        most = nic.terms.uplink_load if self.most is None else self.most
        return not self._fill.has_room(seat.leaf, min(nic.rate_gbps, up.slowest_gbps), most)

    @property
    def expected(self) -> dict[str, float]:
        """Switch -> the share of its uplinks that is expected to be in use, each way."""
        return self._fill.shares

    def _gbps(self, pair: Pair) -> float:
        return pair_gbps(self._ground, pair)

    def climbed(self, pair: Pair) -> frozenset[str]:
        """The switches whose uplinks the pair may use."""
        return self._fill.climbed(pair.a.leaf, pair.b.leaf) if pair.crosses else frozenset()

    def force(self, pair: Pair) -> None:
        """Take the pair: one always runs, however thin the uplinks are."""
        self.pairs.append(pair)
        self._busy.update((pair.a, pair.b))
        if pair.crosses:
            self._fill.add(pair.a.leaf, pair.b.leaf, self._gbps(pair))


def pair_gbps(found: Ground, pair: Pair) -> float:
    """The slowest link that a single flow between the two has to use, in Gb/s."""
    ends = [found.nic[seat.node, seat.port].rate_gbps for seat in (pair.a, pair.b)]
    leaves = {pair.a.leaf, pair.b.leaf} if pair.crosses else set()
    return min(*ends, *(found.up[leaf].slowest_gbps for leaf in leaves))


def loads(plan: Plan, configured: frozenset[str]) -> tuple[tuple[LoadProbe, ...], ...]:
    """The flows of each round that can run once `configured` is in place.

    The rounds are the whole plan's, so that a growing `configured` only adds flows.
    """
    runs = runs_with(plan, configured)
    rounds = (
        (flow for pair in pairs if runs(pair) for flow in flows(plan, pair, number))
        for number, pairs in enumerate(schedule(plan))
    )
    return tuple(tuple(sorted(one, key=_id)) for one in map(list, rounds) if one)


def runs_with(plan: Plan, configured: frozenset[str]) -> Callable[[Pair], bool]:
    """Whether a pair can run once `configured` is in place."""
    reach = Reach(plan, configured)

    def runs(pair: Pair) -> bool:
        if not {pair.a.node, pair.b.node, pair.a.leaf, pair.b.leaf} <= configured:
            return False
        return not pair.crosses or reach.connected(pair.a.leaf, pair.b.leaf)

    return runs


def _id(flow: LoadProbe) -> str:
    return flow.id


def flows(
    plan: Plan, pair: Pair, number: int, streams: int | None = None
) -> tuple[LoadProbe, LoadProbe]:
    """Both flows of a pair in round `number`, with so many streams; None: as the terms say."""
    found = ground(plan)
    gbps = pair_gbps(found, pair)
    return (
        _flow(plan, found, (pair.a, pair.b), number, gbps, streams),
        _flow(plan, found, (pair.b, pair.a), number, gbps, streams),
    )


def _flow(
    plan: Plan,
    found: Ground,
    ends: tuple[Seat, Seat],
    number: int,
    gbps: float,
    streams: int | None,
) -> LoadProbe:
    sender, receiver = ends
    here, there = (found.nic[seat.node, seat.port] for seat in ends)
    terms = here.terms if streams is None else with_streams(here.terms, streams)
    return LoadProbe(
        id=f"rail{sender.rail}:{sender.node}>{receiver.node}",
        rail=sender.rail,
        leaves=(sender.leaf, receiver.leaf),
        sender=sender.node,
        sender_port=sender.port,
        sender_device=here.device,
        source=here.address,
        receiver=receiver.node,
        receiver_port=receiver.port,
        receiver_device=there.device,
        target=there.address,
        port=FIRST_PORT + number * MOST_RAILS + receiver.rail,
        rate_gbps=gbps,
        dscp=plan.lossless.dscp,
        terms=terms,
        gpus=gpus_of(terms, here.gpu, there.gpu),
    )
