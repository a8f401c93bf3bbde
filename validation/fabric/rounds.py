"""Best paths as BGP itself finds them: each table decides again whenever a neighbour's path moves.

For networks whose boxes rank paths differently (some use drained routes last, some do not), where
no order settles paths for good. One prefix of each kind is worked out at a time. BGP may have no
end (RFC 3345): after too many decisions a prefix is given up as unstable.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from .fabric import GRACEFUL_SHUTDOWN, Edge, Fabric
from .prefixes import Bits
from .routes import Rank, Routes, is_dead

_MOST_DECISIONS_A_TABLE = 60


@dataclass(frozen=True, slots=True)
class _Path:
    """A path as a table holds it; smaller `rank` is better."""

    rank: tuple[int, int, int]
    asns: frozenset[int]
    marks: frozenset[str]


def by_rounds(made: Fabric, failed: frozenset[str]) -> Routes:
    """Routes of every table, each kind of prefixes by itself."""
    alive = [not is_dead(made, edge, failed) for edge in made.edges]
    count = len(made.tables)
    reached, hops = [0] * count, [0] * len(made.edges)
    ranks: list[dict[Rank, Bits]] = [defaultdict(int) for _ in range(count)]
    contains: list[dict[int, Bits]] = [defaultdict(int) for _ in range(count)]
    marked: list[dict[str, Bits]] = [defaultdict(int) for _ in range(count)]
    unstable = 0
    for bits in kinds(made):
        one = _Decisions(made, bits, alive, failed)
        unstable |= 0 if one.settle() else bits
        for at, path in one.best.items():
            reached[at] |= bits
            ranks[at][path.rank] |= bits
            for asn in path.asns & made.shared_asns:
                contains[at][asn] |= bits
            for mark in path.marks & made.marks:
                marked[at][mark] |= bits
            for e in one.equal(at):
                hops[e] |= bits
    return Routes(
        made,
        failed,
        tuple(reached),
        tuple(hops),
        tuple(tuple(sorted(one.items())) for one in ranks),
        tuple(map(dict, contains)),
        tuple(map(dict, marked)),
        unstable,
    )


def kinds(made: Fabric) -> tuple[Bits, ...]:
    """Prefixes that nothing tells apart: the same tables announce them, the same policies pass."""
    found = [made.prefixes.all] if made.prefixes.all else []
    tellers = {edge.allowed for edge in made.edges} | {table.origin for table in made.tables}
    for teller in sorted(tellers):
        split: Iterable[Bits] = (part for one in found for part in (one & teller, one & ~teller))
        found = [part for part in split if part]
    return tuple(found)


class _Decisions:
    """One kind of prefixes."""

    def __init__(self, made: Fabric, bits: Bits, alive: list[bool], failed: frozenset[str]) -> None:
        self.made, self.alive = made, alive
        self.passes = [bool(edge.allowed & bits) for edge in made.edges]
        self.own = {
            at
            for at, table in enumerate(made.tables)
            if table.origin & bits and table.box.name not in failed
        }
        self.best = {at: _Path((0, 0, 0), frozenset(), frozenset()) for at in self.own}

    def settle(self) -> bool:
        """Decide until nothing moves; whether that came to an end."""
        queue = deque(sorted(self.own))
        decisions: dict[int, int] = defaultdict(int)
        while queue:
            for e in self.made.out[queue.popleft()]:
                at = self.made.edges[e].target
                if at in self.own or not self.alive[e] or not self.passes[e]:
                    continue
                decisions[at] += 1
                if decisions[at] > _MOST_DECISIONS_A_TABLE * (1 + len(self.made.into[at])):
                    return False
                if self._decide(at):
                    queue.append(at)
        return True

    def _decide(self, at: int) -> bool:
        """Whether the best path of a table moved."""
        before = self.best.get(at)
        paths = [path for e in self.made.into[at] if (path := self._heard(e)) is not None]
        after = min(paths, key=lambda path: path.rank, default=None)
        if after is None:
            self.best.pop(at, None)
        else:
            self.best[at] = after
        return before != after

    def equal(self, at: int) -> tuple[int, ...]:
        """The edges whose paths are as good as the best one."""
        if at in self.own:
            return ()
        best = self.best[at].rank
        return tuple(
            e for e in self.made.into[at] if (path := self._heard(e)) and path.rank == best
        )

    def _heard(self, e: int) -> _Path | None:
        """What an edge's target holds of what its source tells it."""
        edge = self.made.edges[e]
        told = self.best.get(edge.source)
        if told is None or not self.alive[e] or not self.passes[e]:
            return None
        if edge.internal and told.rank[2]:
            return None
        own, asns = self.made.tables[edge.target].asn, told.asns
        if not edge.internal:
            asns = asns | {self.made.tables[edge.source].asn}
        if own in asns or not edge.refused_out.isdisjoint(told.marks):
            return None
        return _held(edge, told, asns)


def _held(edge: Edge, told: _Path, asns: frozenset[int]) -> _Path | None:
    marks = told.marks | edge.adds_out
    if not edge.refused_in.isdisjoint(marks):
        return None
    marks |= edge.adds_in
    last = edge.drained_last and GRACEFUL_SHUTDOWN in marks
    if edge.internal:
        return _Path((max(told.rank[0], int(last)), told.rank[1], 1), asns, marks)
    return _Path((int(last), told.rank[1] + 1, 0), asns, marks)
