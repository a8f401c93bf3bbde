"""Who sends to whom: receivers in turn, senders of their leaf and of others, and a victim. Pure.

The victim's flow shares a sender's leaf and so its uplinks (or, where there is but one leaf, a
sender's own cable), but goes to another receiver: nothing of its own way is overfull.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inventory.plan import Plan
from validation.pairing.schedule import Seat, seats
from validation.routing.paths import ports_towards

from .terms import rotation

LEAST_SENDERS = 2
# Trips that run at the same time: with more nodes in a round some would begin when others end.
MOST_NODES = 240


@dataclass(frozen=True, slots=True, order=True)
class Incast:
    """NICs of one rail: all `senders` load `receiver` at once, while `victim` sends to another.

    `turn` is that of the run; `victim` is sender and receiver.
    """

    rail: int
    leaf: str
    number: int
    turn: int
    receiver: Seat
    senders: tuple[Seat, ...]
    victim: tuple[Seat, Seat]

    @property
    def id(self) -> str:
        """The same in every run: which receiver it is now, the turn says."""
        return f"rail{self.rail}:{self.leaf}:{self.number}"

    @property
    def nics(self) -> frozenset[Seat]:
        """All NICs that it loads."""
        return frozenset((self.receiver, *self.senders, *self.victim))


Leaves = dict[str, list[Seat]]


def groups(plan: Plan, configured: frozenset[str]) -> dict[int, Leaves]:
    """Rail -> leaf -> the NICs that can be loaded once `configured` is in place."""
    found: dict[int, Leaves] = {}
    for seat in seats(plan):
        if {seat.node, seat.leaf} <= configured:
            found.setdefault(seat.rail, {}).setdefault(seat.leaf, []).append(seat)
    return found


def slots(plan: Plan, configured: frozenset[str]) -> tuple[tuple[int, str, int], ...]:
    """Rail, leaf and number of every incast that a run has, whatever its turn."""
    made = []
    for rail, leaves in sorted(groups(plan, configured).items()):
        for leaf, around in _reached(plan, leaves, configured).items():
            mine, others = leaves[leaf], sum(len(leaves[one]) for one in around)
            if len(mine) + others > LEAST_SENDERS:
                many = min(len(mine), rotation().receivers_per_leaf)
                made += [(rail, leaf, number) for number in range(many)]
    return tuple(made)


def incasts(plan: Plan, configured: frozenset[str], turn: int) -> tuple[tuple[Incast, ...], ...]:
    """The rounds of one run: in a round no NIC takes part twice."""
    by_rail = groups(plan, configured)
    reached = {rail: _reached(plan, leaves, configured) for rail, leaves in by_rail.items()}
    rounds: list[_Round] = []
    for rail, leaf, number in slots(plan, configured):
        leaves = by_rail[rail]
        others = [leaves[one] for one in reached[rail][leaf]]
        one = _incast(leaves[leaf], others, rail, leaf, number, turn)
        free = next((row for row in rounds if row.has_room(one)), None)
        if free is None:
            rounds.append(free := _Round())
        free.add(one)
    return tuple(tuple(row.incasts) for row in rounds)


@dataclass
class _Round:
    """Incasts that share no NIC, of as many nodes as can be reached at the same time."""

    incasts: list[Incast] = field(default_factory=list)
    busy: set[Seat] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)

    def has_room(self, one: Incast) -> bool:
        if one.nics & self.busy:
            return False
        return len(self.nodes | {seat.node for seat in one.nics}) <= MOST_NODES

    def add(self, one: Incast) -> None:
        self.incasts.append(one)
        self.busy |= one.nics
        self.nodes |= {seat.node for seat in one.nics}


def _reached(plan: Plan, leaves: Leaves, configured: frozenset[str]) -> dict[str, list[str]]:
    """Leaf -> the others that reach it, in turn, those behind it first.

    Once every switch is in place, leaves that all reach one reach each other.
    """
    names = sorted(leaves)
    whole = frozenset(plan.switch) <= configured
    if whole and set(names) <= {names[0], *ports_towards(plan, names[0], configured)}:
        towards = {name: set(names) for name in names}
    else:
        towards = {name: set(ports_towards(plan, name, configured)) for name in names}
    return {
        leaf: [name for name in (*names[at + 1 :], *names[:at]) if name in towards[leaf]]
        for at, leaf in enumerate(names)
    }


def _incast(
    mine: list[Seat], others: list[list[Seat]], rail: int, leaf: str, number: int, turn: int
) -> Incast:
    """The receiver moves on by one each turn, and all others with it.

    A leaf lends its far senders by places that its own incast does not use, another one to each
    of the leaves before it, so that all leaves can have their incasts at the same time.
    """
    at = (turn * rotation().receivers_per_leaf + number) % len(mine)
    near = [*mine[at + 1 :], *mine[:at]]
    first = at + rotation().senders // 2 + 2
    stride = rotation().senders // 2
    turns = (
        theirs[(first + step + lap * stride) % len(theirs)]
        for lap in range(max(map(len, others), default=0))
        for step, theirs in enumerate(others)
    )
    far = list(dict.fromkeys([*turns, *(seat for theirs in others for seat in theirs)]))
    most = max(LEAST_SENDERS, min(rotation().senders, len(near) + len(far) - 1))
    some_far = far[: max(most // 2, most - len(near))]
    some_near = near[: most - len(some_far)]
    senders = tuple(sorted((*some_near, *some_far)))
    victim = _victim(mine[at], senders, near, far)
    return Incast(rail, leaf, number, turn, mine[at], senders, victim)


def _victim(
    receiver: Seat, senders: tuple[Seat, ...], near: list[Seat], far: list[Seat]
) -> tuple[Seat, Seat]:
    """A NIC beside a far sender that sends to a NIC beside the receiver, as far as there are any.

    Receiving costs a sender nothing, links carry both ways at once: so an idle NIC receives if
    there is one, else a sender does.
    """
    far_leaves = {seat.leaf for seat in senders if seat.leaf != receiver.leaf}
    idle = [seat for seat in (*far, *near) if seat not in senders]
    beside = [seat for seat in idle if seat.leaf in far_leaves] or [
        seat for seat in senders if seat.leaf != receiver.leaf
    ]
    if not beside:
        beside = [seat for seat in idle if seat.leaf == receiver.leaf] or list(senders)
    source = beside[0]
    targets = [seat for seat in (*near, *far) if seat not in (source, receiver)]
    targets.sort(key=lambda one: (one in senders, one.leaf == source.leaf))
    return source, targets[0]
