"""What every routing table knows, and where it sends packets."""

from __future__ import annotations

from dataclasses import dataclass

from .fabric import Edge, Fabric
from .prefixes import Bits, prefix_of

Rank = tuple[int, int, int]
"""Asked to be used last (RFC 8326), length of the AS path, learnt inside the AS: less is better."""


@dataclass(frozen=True, slots=True)
class NextHop:
    """Out of `port` to the far end `far` (`box:port`)."""

    port: str
    far: str


@dataclass(frozen=True)
class Routes:
    """What every table knows. By table: `reached`, `ranks`; by edge: `hops`, both as `Fabric` has.

    `hops[e]` are prefixes for which the edge's target sends packets back over it. Of more equal
    paths than a table is wide, BGP takes some: all of them are here. `unstable` are prefixes of
    which BGP finds no end.
    """

    fabric: Fabric
    failed: frozenset[str]
    reached: tuple[Bits, ...]
    hops: tuple[Bits, ...]
    ranks: tuple[tuple[tuple[Rank, Bits], ...], ...]
    contains: tuple[dict[int, Bits], ...]
    marked: tuple[dict[str, Bits], ...]
    unstable: Bits = 0

    def next_hops(self, box: str, prefix: str, vrf: str = "") -> tuple[NextHop, ...]:
        """Where a box sends packets for a prefix that is announced; () where it has no route."""
        at = self.fabric.number.get((box, vrf))
        net = prefix_of(prefix)
        number = self.fabric.prefixes.number.get(net) if net else None
        if at is None or number is None:
            return ()
        edges = (self.fabric.edges[e] for e in self.fabric.into[at] if self.hops[e] >> number & 1)
        return tuple(sorted((NextHop(e.port, e.far) for e in edges), key=lambda hop: hop.port))

    def is_dead(self, edge: Edge) -> bool:
        """Whether a failed part takes the session away."""
        return is_dead(self.fabric, edge, self.failed)


def is_dead(made: Fabric, edge: Edge, failed: frozenset[str]) -> bool:
    """Whether one of the boxes or the cable of a session is among what failed."""
    if not failed:
        return False
    boxes = (made.tables[edge.source].box.name, made.tables[edge.target].box.name)
    return not failed.isdisjoint(boxes) or not failed.isdisjoint(edge.cables)
