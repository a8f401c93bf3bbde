"""The few extra rounds that would settle what slow flows leave open. Pure.

One round at a time, each from all that is known by then: NICs that were slow and never good meet
good partners; pairs that were slow although both are good with others run again; leaves whose
uplinks are in doubt are filled with streams from many good NICs to many other leaves, because a
path cannot be chosen but streams can be many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ..pairing.ground import ground as ground_of
from ..pairing.load_result import Measured
from ..pairing.loads import LoadProbe
from ..pairing.pairs import PARTNERS, Way, wanted_pairs, ways
from ..pairing.schedule import Pair, Room, Seat, flows, pair_of, seats
from .again import again
from .ground import Ground
from .located import Located, locate
from .seen import Seen

MOST_EXTRA_ROUNDS = 16
STREAMS_PER_HOP = 2  # most hops are met in each round, and hardly any is overfull by chance


@dataclass
class Planner:
    """Plans extra rounds of one run. `first` is the number of the first of them.

    `is_below_past` tells of a flow that is fast enough for the plan whether it was faster before.
    """

    ground: Ground
    first: int
    is_below_past: Callable[[Measured], bool] = lambda _: False
    most: int = MOST_EXTRA_ROUNDS
    _leaves: dict[int, dict[str, list[Seat]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for seat in seats(self.ground.plan):
            self._leaves.setdefault(seat.rail, {}).setdefault(seat.leaf, []).append(seat)

    def next_round(self, planned: Sequence[Seen], extra: Sequence[Seen]) -> tuple[LoadProbe, ...]:
        """The flows of the next extra round; empty when nothing is open, or enough was run."""
        if len(extra) >= self.most:
            return ()
        seen = [*planned, *extra]
        if not any(self._is_open(got) for one in seen for got in one.flows):
            return ()
        located = locate(self.ground, seen)
        room = Room(self.ground.plan)
        for pair in (*_doubted(planned, extra), *self._again(seen, extra, located)):
            _take(room, pair)
        room.most = self._share()
        for pair in self._fill(located, seen, len(extra)):
            _take(room, pair)
        number = self.first + len(extra)
        return tuple(
            sorted(flow for pair in room.pairs for flow in flows(self.ground.plan, pair, number))
        )

    def _is_open(self, got: Measured) -> bool:
        return got.slow or self.is_below_past(got)

    def _again(
        self, seen: Sequence[Seen], extra: Sequence[Seen], located: Located
    ) -> Iterator[Pair]:
        """Pairs that were slow, or below their past, and nothing that was seen twice explains it.

        As often as chance needs.
        """
        asked = set[Pair]()
        for one in (got for each in seen for got in each.flows if self._is_open(got)):
            pair = pair_of(*seats_of(one.flow))
            if pair in asked or located.is_sure_of(one.flow):
                continue
            if again(one.flow, extra, lambda got: got.good and not self._is_open(got)).is_open:
                asked.add(pair)
                yield pair

    def _fill(self, located: Located, seen: Sequence[Seen], turn: int) -> Iterator[Pair]:
        """Pairs of good NICs across the uplinks in doubt, other leaves and members each time."""
        doubted = {leaf for key in located.doubted for leaf in key[1]}
        if not doubted:
            return
        for _, leaves in sorted(self._leaves.items()):
            if doubted.isdisjoint(leaves):
                continue
            good = {leaf: _good(some, located, seen) for leaf, some in leaves.items()}
            for leaf in sorted(doubted & set(leaves)):
                yield from self._from(leaf, good, turn)

    def _from(self, leaf: str, good: dict[str, list[Seat]], turn: int) -> Iterator[Pair]:
        others = [one for one in sorted(good) if one != leaf and good[one]]
        mine = good[leaf]
        if not others or not mine:
            return
        want = max(1, len(mine) // 2)
        for n in range(want):
            here = mine[(turn * want + n) % len(mine)]
            theirs = good[others[(turn + n) % len(others)]]
            there = theirs[(turn * 7 + n + sum(map(ord, leaf))) % len(theirs)]
            yield pair_of(here, there)

    def _share(self) -> float:
        """The part of the uplinks that streams may be expected to fill."""
        found = ground_of(self.ground.plan)
        seat = next(
            seat for some in self._leaves.values() for mine in some.values() for seat in mine
        )
        nic, up = found.nic[seat.node, seat.port], found.up.get(seat.leaf)
        if up is None:
            return nic.terms.uplink_load
        each = nic.rate_gbps / nic.terms.streams
        return min(nic.terms.uplink_load, STREAMS_PER_HOP * each / up.slowest_gbps)


def _take(room: Room, pair: Pair) -> None:
    """Take a pair where there is room; the first over uplinks always runs."""
    if not room.take(pair) and pair.crosses and not any(one.crosses for one in room.pairs):
        ends = {seat for one in room.pairs for seat in (one.a, one.b)}
        if not ends & {pair.a, pair.b}:
            room.force(pair)


def _good(some: Sequence[Seat], located: Located, seen: Sequence[Seen]) -> list[Seat]:
    """The seats whose NICs were good both ways, and are to blame for nothing."""
    both = ("sends", "receives")
    return [
        seat
        for seat in some
        if not any((seat.rail, seat.node, way) in located.bad for way in both)
        and all(any((seat.rail, seat.node, w) in one.good_ways for one in seen) for w in both)
    ]


def _doubted(planned: Sequence[Seen], extra: Sequence[Seen]) -> Iterator[Pair]:
    """NICs that were slow, never good, and have not met enough good partners, with such.

    Chosen by the planned rounds alone: whom they meet afterwards does not change the list.
    """
    if _are_settled(planned):
        return
    ran = {pair_of(*seats_of(flow.flow)) for each in extra for flow in each.flows}
    for pair in wanted_pairs([got for one in planned for got in one.flows]):
        if pair not in ran:
            yield pair


def _are_settled(seen: Sequence[Seen]) -> bool:
    """Whether all that was slow and never good was so with enough partners that are good."""
    known: dict[Way, bool] = {}

    def is_good(way: Way) -> bool:
        if way not in known:
            known[way] = any(way in one.good_ways for one in seen)
        return known[way]

    met: dict[Way, set[Way]] = {}
    for got in (got for one in seen for got in one.slow):
        out, into = ways(got.flow)
        for mine, other in ((out, into), (into, out)):
            if not is_good(mine):
                met.setdefault(mine, set()).update([other] if is_good(other) else [])
    return all(len(some) >= PARTNERS for some in met.values())


def seats_of(flow: LoadProbe) -> tuple[Seat, Seat]:
    """The sender's and the receiver's place."""
    return (
        Seat(flow.rail, flow.leaves[0], flow.sender, flow.sender_port),
        Seat(flow.rail, flow.leaves[1], flow.receiver, flow.receiver_port),
    )
