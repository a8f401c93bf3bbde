"""More rounds for uplinks that no round has loaded yet: other pairs, more streams. Pure.

Nobody can send a flow down one uplink, but leaves whose uplinks (or whose spines' uplinks) are
missing can be filled from other NICs with other source ports until each was hit. Streams collide
there by design, so the rates of these rounds judge nobody.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from inventory.plan import Plan

from .coverage import Lane
from .ground import ground
from .loads import LoadProbe, Terms
from .reach import Reach
from .schedule import Room, Round, Seat, flows, in_order, pair_of, seats

_TRIES = 40  # partners looked at for one NIC
_ANY = -1
_TWO = 2


def top_up(
    plan: Plan, configured: frozenset[str], missing: Collection[Lane], number: int
) -> tuple[LoadProbe, ...]:
    """The flows of one round over the missing lanes, as far as that can be planned.

    `number` is the round's, and draws the pairs: the same plan and number, the same round. Where
    a rail has but two leaves, rails meet in every second one, as far as switches connect them: an
    uplink of a leaf is then seen without that of the other leaf, behind which it always stood.
    """
    needy = frozenset(ref.device for ref, _ in missing)
    mixed = number % 2 == 1 and _has_two_leaves(plan)
    pairs = _matching(plan, configured, f"top-up {number}", needy, mixed=mixed)
    if not pairs:
        return ()
    streams = _terms(plan).top_up_streams
    both = (flows(plan, pair, number, streams) for pair in pairs)
    return tuple(sorted((flow for two in both for flow in two), key=lambda one: one.id))


def _has_two_leaves(plan: Plan) -> bool:
    leaves: dict[int, set[str]] = {}
    for seat in seats(plan):
        leaves.setdefault(seat.rail, set()).add(seat.leaf)
    return max(map(len, leaves.values()), default=0) == _TWO


def random_matching(plan: Plan, configured: frozenset[str], seed: int | str) -> Round:
    """Pairs across leaves drawn at random, as many as the terms' uplink load has room for.

    One always runs, however thin the uplinks are, where any two leaves are connected.
    """
    return _matching(plan, configured, f"matching {seed}", None)


def _matching(
    plan: Plan,
    configured: frozenset[str],
    words: str,
    needy: frozenset[str] | None,
    *,
    mixed: bool = False,
) -> Round:
    """Pairs that use the uplinks of `needy` (None: any uplinks), up to the load that is allowed.

    `mixed` ones are of any two rails, and never of one node.
    """
    random = Random(f"{plan.digest} {words}")
    free: dict[int, list[Seat]] = {}
    for seat in seats(plan):
        if {seat.node, seat.leaf} <= configured:
            free.setdefault(_ANY if mixed else seat.rail, []).append(seat)
    if not free:
        return ()
    room = Room(plan, None if needy is None else _terms(plan).top_up_load)
    reach = Reach(plan, configured)
    for _, mine in sorted(free.items()):
        random.shuffle(mine)
        _pair_up(room, reach, mine, needy)
    return tuple(sorted(room.pairs, key=in_order))


def _pair_up(room: Room, reach: Reach, free: list[Seat], needy: frozenset[str] | None) -> None:
    """Each NIC with the first of some others that is of use and for which there is room."""
    while free:
        seat = free.pop()
        if needy is None and room.pairs and room.is_full(seat):
            continue
        for at in range(len(free) - 1, max(-1, len(free) - 1 - _TRIES), -1):
            pair = pair_of(seat, free[at])
            used = room.climbed(pair)
            helps = used if needy is None else needy & used
            meet = seat.node != free[at].node and reach.connected(seat.leaf, free[at].leaf)
            if helps and meet:
                if needy is None and not room.pairs:
                    room.force(pair)
                elif not room.take(pair):
                    continue
                free[at] = free[-1]
                free.pop()
                break


def _terms(plan: Plan) -> Terms:
    return next(iter(ground(plan).nic.values())).terms
