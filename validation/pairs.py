"""Which NICs slow flows leave under suspicion, and the second pass that would settle it.

A flow needs its sender's way out and its receiver's way in. A way that has been good in one
flow is good; what is left of a slow flow is to blame (group testing, COMP decoder).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inventory.plan import Plan

from .load_result import Measured
from .loads import LoadProbe
from .schedule import Pair, Seat, fits, flows, schedule

Way = tuple[int, str, str]  # rail, node, "sends" or "receives"
MOST_RETEST_ROUNDS = 4
PARTNERS = 2  # a NIC that is slow with two good partners is bad, not the way between


def ways(flow: LoadProbe) -> tuple[Way, Way]:
    """What a flow needs of its two NICs."""
    return (flow.rail, flow.sender, "sends"), (flow.rail, flow.receiver, "receives")


def ways_back(flow: LoadProbe) -> tuple[Way, Way]:
    """What the acknowledgements of a flow need of them."""
    return (flow.rail, flow.sender, "receives"), (flow.rail, flow.receiver, "sends")


def cleared(found: Iterable[Measured]) -> frozenset[Way]:
    """The ways that were good in some flow."""
    return frozenset(way for one in found if one.good for way in ways(one.flow))


def retests(plan: Plan, found: Sequence[Measured]) -> tuple[tuple[LoadProbe, ...], ...]:
    """A second pass: each NIC that is still under suspicion with NICs known to be good.

    Two good partners each, as far as there are any; nothing when nothing was slow.
    """
    places = _places(found)
    good, met = cleared(found), {_pair(one.flow) for one in found}
    doubted = sorted(
        {places[way[:2]] for one in found if one.slow for way in ways(one.flow) if way not in good}
    )
    healthy = [seat for key, seat in sorted(places.items()) if _is_healthy(key, found)]
    wanted = [pair for seat in doubted for pair in _partners(seat, healthy, met)]
    first = len(schedule(plan)) if wanted else 0
    return tuple(
        tuple(sorted(flow for pair in pairs for flow in flows(plan, pair, number)))
        for number, pairs in enumerate(_packed(plan, wanted), first)
    )


def _places(found: Sequence[Measured]) -> dict[tuple[int, str], Seat]:
    seats: dict[tuple[int, str], Seat] = {}
    for one in found:
        flow = one.flow
        ends = (flow.sender, flow.sender_port), (flow.receiver, flow.receiver_port)
        for leaf, (node, port) in zip(flow.leaves, ends, strict=True):
            seats[flow.rail, node] = Seat(flow.rail, leaf, node, port)
    return seats


def _pair(flow: LoadProbe) -> tuple[int, frozenset[str]]:
    return flow.rail, frozenset((flow.sender, flow.receiver))


def _is_healthy(key: tuple[int, str], found: Sequence[Measured]) -> bool:
    mine = [one for one in found if key in {way[:2] for way in ways(one.flow)}]
    return bool(mine) and all(one.good for one in mine)


def _partners(
    seat: Seat, healthy: list[Seat], met: set[tuple[int, frozenset[str]]]
) -> Iterable[Pair]:
    """Healthy NICs of the rail that it has not met, those on its own leaf first."""
    free = [
        one
        for one in healthy
        if one.rail == seat.rail and (seat.rail, frozenset((seat.node, one.node))) not in met
    ]
    nearest = sorted(free, key=lambda one: (one.leaf != seat.leaf, one))
    return [Pair(*sorted((seat, one))) for one in nearest[:PARTNERS]]


def _packed(plan: Plan, wanted: list[Pair]) -> list[list[Pair]]:
    """Rounds, each pair in the first one that has room for it."""
    rounds: list[list[Pair]] = [[] for _ in range(MOST_RETEST_ROUNDS)]
    for pair in wanted:
        free = next((one for one in rounds if fits(plan, one, pair)), None)
        if free is not None:
            free.append(pair)
    return [one for one in rounds if one]
