"""Which NICs slow flows leave under suspicion, and the pairs that would settle it.

A flow needs its sender's way out and its receiver's way in. A way that has been good in one
flow is good; what is left of a slow flow is to blame (group testing, COMP decoder).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from .load_result import Measured
from .loads import LoadProbe
from .schedule import Pair, Seat

Way = tuple[int, str, str]  # rail, node, "sends" or "receives"
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


def wanted_pairs(found: Sequence[Measured]) -> list[Pair]:
    """Each NIC that was slow and never good with NICs that it has not met and that are good."""
    slow = [one for one in found if one.slow]
    if not slow:
        return []
    good, places, met = cleared(found), _places(found), {_pair(one.flow) for one in found}
    ill = {way[:2] for one in slow for way in ways(one.flow)}
    doubted = sorted({places[way[:2]] for one in slow for way in ways(one.flow) if way not in good})
    healthy: dict[int, dict[str, list[Seat]]] = {}
    for seat in sorted(places[key] for key in {way[:2] for way in good} - ill):
        healthy.setdefault(seat.rail, {}).setdefault(seat.leaf, []).append(seat)
    return [pair for seat in doubted for pair in _partners(seat, healthy.get(seat.rail, {}), met)]


def _places(found: Sequence[Measured]) -> dict[tuple[int, str], Seat]:
    seats: dict[tuple[int, str], Seat] = {}
    for one in found:
        flow = one.flow
        if (flow.rail, flow.sender) not in seats:
            seats[flow.rail, flow.sender] = Seat(
                flow.rail, flow.leaves[0], flow.sender, flow.sender_port
            )
        if (flow.rail, flow.receiver) not in seats:
            seats[flow.rail, flow.receiver] = Seat(
                flow.rail, flow.leaves[1], flow.receiver, flow.receiver_port
            )
    return seats


def _pair(flow: LoadProbe) -> tuple[int, frozenset[str]]:
    return flow.rail, frozenset((flow.sender, flow.receiver))


def _partners(
    seat: Seat, healthy: dict[str, list[Seat]], met: set[tuple[int, frozenset[str]]]
) -> list[Pair]:
    """Healthy NICs of the rail that it has not met, those on its own leaf first."""
    near = [seat.leaf, *(leaf for leaf in sorted(healthy) if leaf != seat.leaf)]
    free = (
        one
        for leaf in near
        for one in healthy.get(leaf, ())
        if one != seat and (seat.rail, frozenset((seat.node, one.node))) not in met
    )
    return [Pair(*sorted((seat, one))) for one in islice(free, PARTNERS)]
