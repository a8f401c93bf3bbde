"""Cyclic buffer dependency: what must not be where links are paused.

A full ingress buffer is paused for until the port that its packets leave by moves again, and that
one waits for the next. A circle of such waits never ends (Hu et al., Deadlocks in Datacenter
Networks, HotNets 2016; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, 4.2).
Waits are taken from the paths that users' packets really take, on ports that pause.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .forward import Forwarding
from .prefixes import Bits, numbers


@dataclass(frozen=True, slots=True)
class Cycle:
    """Cables in the order of the waits, each `box:port` that packets leave by; some prefixes."""

    ports: tuple[str, ...]
    prefixes: tuple[str, ...]


def cycles(forwarding: Forwarding, *, every_port: bool = False) -> tuple[Cycle, ...]:
    """One circle of each knot of waits; () where there is none. Pausing ports only, or every."""
    waits = waiting(forwarding, every_port=every_port)
    found: list[Cycle] = []
    seen: set[int] = set()
    for start in sorted(waits):
        trail: list[int] = []
        e = start
        while e not in seen and e not in trail:
            trail.append(e)
            e = _next(forwarding, waits, e)
        if e in trail:
            found.append(_cycle(forwarding, waits, trail[trail.index(e) :]))
        seen.update(trail)
    return tuple(found)


def waiting(forwarding: Forwarding, *, every_port: bool = False) -> Mapping[int, Bits]:
    """Edges whose buffers may wait for ever, and what is in them.

    An edge waits only while one after it does, so those are crossed out that wait for none.
    """
    made = forwarding.routes.fabric
    left = {
        e: bits
        for e, bits in enumerate(forwarding.carries)
        if bits and (every_port or made.edges[e].lossless)
    }
    moved = True
    while moved:
        onward: dict[int, Bits] = {}
        for e in left:
            at = made.edges[e].target
            onward[at] = onward.get(at, 0) | forwarding.sends[e]
        after = {e: bits for e, bits in left.items() if bits & onward.get(made.edges[e].source, 0)}
        moved, left = len(after) < len(left), after
    return left


def _next(forwarding: Forwarding, waits: Mapping[int, Bits], e: int) -> int:
    made = forwarding.routes.fabric
    return next(
        other
        for other in made.into[made.edges[e].source]
        if other in waits and waits[e] & forwarding.sends[other]
    )


def _cycle(forwarding: Forwarding, waits: Mapping[int, Bits], around: list[int]) -> Cycle:
    made = forwarding.routes.fabric
    ports, prefixes = [], set()
    for at, e in enumerate(around):
        edge = made.edges[e]
        after = around[(at + 1) % len(around)]
        ports.append(f"{made.tables[edge.target].box.name}:{edge.port}")
        first = next(numbers(waits[e] & forwarding.sends[after]))
        prefixes.add(str(made.prefixes.every[first]))
    return Cycle(tuple(ports), tuple(sorted(prefixes)))
