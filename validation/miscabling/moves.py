"""The fewest plugs to move, for one group of ports that planned and present cables tie together.

Planned cables and present ones form paths and cycles, as each port has at most one of either.
One act (a plug into an empty port, or an exchange of two plugs) changes two ends of cables, so
it makes one planned cable right, and two only where it closes a cycle: a cycle of k cables needs
k-1 acts, a path that ends in an empty port and in a spare one as many as it has cables. This is
the double-cut-and-join distance (Yancopoulos, Attie and Friedberg, Bioinformatics 21, 2005).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from inventory.plan import PortRef

Ends = Mapping[PortRef, PortRef]
Pair = tuple[PortRef, PortRef]


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do by hand: the two `plugs` change places; `joins` are the links it makes.

    Where `is_move`, the plug at the first port goes into the second one, which is empty.
    """

    is_move: bool
    plugs: Pair
    joins: tuple[Pair, ...]


def groups(wanted: Ends, now: Ends, doubts: Iterable[PortRef]) -> Iterator[tuple[PortRef, ...]]:
    """The ports of each group in which something is not as planned or not known, sorted."""
    unsure, done = set(doubts), set[PortRef]()
    for start in sorted({*wanted, *now, *unsure}):
        if start in done or (start not in unsure and now.get(start) == wanted.get(start)):
            continue
        group, todo = set[PortRef](), [start]
        while todo:
            if (port := todo.pop()) not in group:
                group.add(port)
                todo += [ends[port] for ends in (wanted, now) if port in ends]
        done |= group
        yield tuple(sorted(group))


def acts(
    group: Iterable[PortRef], wanted: Ends, now: Ends, cost: Callable[[PortRef, PortRef], int]
) -> tuple[Act, ...]:
    """What to do, in order, for a group with at most as many empty ports as spare ones.

    Of acts that lead to the same links, the one with the smallest `cost` of its two ports.
    """
    ports = sorted(group)
    state = {port: now[port] for port in ports if port in now}
    made = [*_fill(ports, wanted, state)]
    pending = [port for port in ports if port in wanted and port < wanted[port]]
    while pending := [port for port in pending if state[port] != wanted[port]]:
        plugs = min(_choices(pending, wanted, state), key=lambda one: (cost(*one), one))
        made.append(_exchange(plugs, state))
    return tuple(made)


def _fill(ports: Iterable[PortRef], wanted: Ends, state: dict[PortRef, PortRef]) -> Iterator[Act]:
    """Moves into an empty port, then into the one that this emptied, to the end of the path."""
    for empty in [port for port in ports if port in wanted and port not in state]:
        free = empty
        while free in wanted:
            stays = wanted[free]
            plug = state.pop(stays)
            del state[plug]
            state |= {stays: free, free: stays}
            yield Act(True, (plug, free), ((free, stays),))
            free = plug


def _choices(pending: Iterable[PortRef], wanted: Ends, state: Ends) -> Iterator[Pair]:
    """Pairs of plugs whose exchange makes a planned cable right: at its one end or its other."""
    for port in pending:
        for one, other in ((port, wanted[port]), (wanted[port], port)):
            first, second = sorted((state[one], other))
            yield first, second


def _exchange(plugs: Pair, state: dict[PortRef, PortRef]) -> Act:
    one, other = plugs
    joins = (one, state[other]), (other, state[one])
    for a, b in joins:
        state |= {a: b, b: a}
    return Act(False, plugs, joins)
