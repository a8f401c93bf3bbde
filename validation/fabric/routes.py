"""What every routing table knows, and where it sends packets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
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

    `hops[e]` are prefixes for which the edge's target may send packets back over it: all paths that
    are equally good. `choices` says of how many of them BGP makes use. `unstable` are prefixes of
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
        edges = self._equal(box, prefix, vrf)
        return tuple(sorted((NextHop(e.port, e.far) for e in edges), key=lambda hop: hop.port))

    def choices(
        self, box: str, prefix: str, vrf: str = ""
    ) -> tuple[tuple[frozenset[str], int], ...]:
        """Groups of ports, and how many of a group are used: BGP takes one of the groups.

        There are several only where paths over different ASNs are not shared.
        """
        edges = self._equal(box, prefix, vrf)
        groups: dict[int, set[str]] = defaultdict(set)
        for edge in edges:
            table = self.fabric.tables[edge.target]
            asn = 0 if table.relaxed else self.fabric.tables[edge.source].asn
            groups[asn].add(edge.port)
        width = self.fabric.tables[edges[0].target].width if edges else 0
        return tuple((frozenset(some), min(width, len(some))) for some in groups.values())

    def _equal(self, box: str, prefix: str, vrf: str) -> tuple[Edge, ...]:
        at = self.fabric.number.get((box, vrf))
        net = prefix_of(prefix)
        number = self.fabric.prefixes.number.get(net) if net else None
        if at is None or number is None:
            return ()
        into = self.fabric.into[at]
        return tuple(self.fabric.edges[e] for e in into if self.hops[e] >> number & 1)

    def told(self, e: int) -> Bits:
        """What an edge's source announces and its target takes, the best path to it or not."""
        edge = self.fabric.edges[e]
        if self.is_dead(edge):
            return 0
        bits = self.reached[edge.source] & edge.allowed
        if edge.internal:
            for rank, some in self.ranks[edge.source]:
                bits &= ~some if rank[2] else -1
        barred = looped(self.fabric, edge, self.contains[edge.source])
        return bits & ~barred & ~refused(edge, self.marked[edge.source])

    def is_dead(self, edge: Edge) -> bool:
        """Whether a failed part takes the session away."""
        return is_dead(self.fabric, edge, self.failed)


def is_dead(made: Fabric, edge: Edge, failed: frozenset[str]) -> bool:
    """Whether one of the boxes or the cable of a session is among what failed."""
    if not failed:
        return False
    boxes = (made.tables[edge.source].box.name, made.tables[edge.target].box.name)
    return not failed.isdisjoint(boxes) or not failed.isdisjoint(edge.cables)


def refused(edge: Edge, marked: Mapping[str, Bits]) -> Bits:
    """What a session's policies refuse by community, -1 for all; `marked` is the teller's."""
    found = 0
    for mark in edge.refused_out:
        found |= marked.get(mark, 0)
    for mark in edge.refused_in:
        found |= -1 if mark in edge.adds_out else marked.get(mark, 0)
    return found


def looped(made: Fabric, edge: Edge, contains: Mapping[int, Bits]) -> Bits:
    """Prefixes whose path holds the AS of who hears it; only ASNs of several boxes can."""
    return 0 if edge.internal else contains.get(made.tables[edge.target].asn, 0)
