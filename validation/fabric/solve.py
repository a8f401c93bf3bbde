"""Best paths of every table to every prefix, all prefixes at once (RFC 4271, 9.1; RFC 7938).

A path's rank is (asked to be used last, length of the AS path, learnt inside the AS). Each step of
a path makes it worse, so ranks are settled from the best on, as in Dijkstra's algorithm. Where
boxes disagree on who is used last, that does not hold, and `by_rounds` does it as BGP does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from validation.audit.network import Network

from .fabric import GRACEFUL_SHUTDOWN, Edge, Fabric, fabric
from .prefixes import Bits
from .rounds import by_rounds
from .routes import Rank, Routes, is_dead, looped, refused


def solve(network: Network | Fabric, failed: Iterable[str] = ()) -> Routes:
    """Routes while parts are gone: `box` for a whole box, `box:port` for the cable in a port."""
    made = network if isinstance(network, Fabric) else fabric(network)
    gone = frozenset(failed)
    if _is_mixed(made):
        return by_rounds(made, gone)
    return _Waves(made, gone).routes()


def _is_mixed(made: Fabric) -> bool:
    """Whether some boxes use drained routes last, others do not, and there are any."""
    return (
        GRACEFUL_SHUTDOWN in made.marks
        and len({edge.drained_last for edge in made.edges if not edge.internal}) > 1
    )


class _Waves:
    """Settles one rank after the other."""

    def __init__(self, made: Fabric, failed: frozenset[str]) -> None:
        count = len(made.tables)
        self.made, self.failed = made, failed
        self.dead = [is_dead(made, edge, failed) for edge in made.edges]
        self.reached: list[Bits] = [0] * count
        self.hops: list[Bits] = [0] * len(made.edges)
        self.ranks: list[list[tuple[Rank, Bits]]] = [[] for _ in range(count)]
        self.contains: list[dict[int, Bits]] = [{} for _ in range(count)]
        self.marked: list[dict[str, Bits]] = [{} for _ in range(count)]
        self.waiting: dict[Rank, list[tuple[int, Bits]]] = defaultdict(list)
        self.order: list[Rank] = []
        self.drains = GRACEFUL_SHUTDOWN in made.marks and any(
            edge.drained_last for edge in made.edges
        )

    def routes(self) -> Routes:
        for at, table in enumerate(self.made.tables):
            if table.origin and table.box.name not in self.failed:
                self._settle(at, (0, 0, 0), table.origin)
        while self.order:
            rank = heappop(self.order)
            self._wave(rank, sorted(self.waiting.pop(rank)))
        return Routes(
            self.made,
            self.failed,
            tuple(self.reached),
            tuple(self.hops),
            tuple(map(tuple, self.ranks)),
            tuple(self.contains),
            tuple(self.marked),
        )

    def _settle(self, at: int, rank: Rank, bits: Bits) -> None:
        self.reached[at] |= bits
        self.ranks[at].append((rank, bits))
        for e in self.made.out[at]:
            if not self.dead[e]:
                self._tell(e, rank, bits)

    def _tell(self, e: int, rank: Rank, bits: Bits) -> None:
        """Put what passes the session into the ranks that it will have at the other end."""
        edge = self.made.edges[e]
        bits &= edge.allowed & ~self.reached[edge.target]
        if edge.internal and rank[2]:
            return
        if bits:
            barred = looped(self.made, edge, self.contains[edge.source])
            bits &= ~barred & ~refused(edge, self.marked[edge.source])
        if not bits:
            return
        last = bits & self._marks_of(edge, GRACEFUL_SHUTDOWN) if self.drains else 0
        longer = rank[1] + (not edge.internal)
        for asked_last, some in ((0, bits & ~last), (1, last)):
            if some:
                self._wait((max(rank[0], asked_last), longer, int(edge.internal)), e, some)

    def _wait(self, rank: Rank, e: int, bits: Bits) -> None:
        if rank not in self.waiting:
            heappush(self.order, rank)
        self.waiting[rank].append((e, bits))

    def _marks_of(self, edge: Edge, mark: str) -> Bits:
        """Prefixes that have a community once they have passed the session: -1 for all."""
        if mark in edge.adds_out or mark in edge.adds_in:
            return -1
        return self.marked[edge.source].get(mark, 0)

    def _wave(self, rank: Rank, told: list[tuple[int, Bits]]) -> None:
        """Settle all that is heard at one rank: the first edge of a table is its best."""
        fresh: dict[int, Bits] = {}
        for e, heard in told:
            edge = self.made.edges[e]
            at = edge.target
            bits = heard & ~self.reached[at]
            new = bits & ~fresh.get(at, 0)
            if new:
                fresh[at] = fresh.get(at, 0) | new
                self._inherit(edge, new)
            self.hops[e] |= bits
        for at, bits in sorted(fresh.items()):
            self._settle(at, rank, bits)

    def _asn(self, edge: Edge) -> int:
        return self.made.tables[edge.source].asn

    def _inherit(self, edge: Edge, new: Bits) -> None:
        """What a best path brings along: ASNs that may loop, communities that decide."""
        for asn, bits in _with_own(self.contains[edge.source], self._asn(edge), edge, self.made):
            if bits & new:
                mine = self.contains[edge.target]
                mine[asn] = mine.get(asn, 0) | bits & new
        for mark in self.made.marks:
            bits = self._marks_of(edge, mark) & new
            if bits:
                held = self.marked[edge.target]
                held[mark] = held.get(mark, 0) | bits


def _with_own(
    held: dict[int, Bits], asn: int, edge: Edge, made: Fabric
) -> Iterator[tuple[int, Bits]]:
    yield from held.items()
    if not edge.internal and asn in made.shared_asns:
        yield asn, -1
