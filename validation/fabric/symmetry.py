"""Boxes and cables that are alike: what one of them takes away when it fails, each would.

Boxes begin with what they are, and are told apart by what they know (how many prefixes of which
kind at which rank) and by their neighbours' colours until that tells nothing new (colour
refinement, Weisfeiler and Leman). Two parts of one colour could still differ in a fabric that is
regular and not symmetric; tests compare each part with its kind on random fabrics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable

from .fabric import Edge
from .prefixes import Bits, numbers
from .routes import Routes


def alike(routes: Routes) -> tuple[tuple[str, ...], ...]:
    """Parts that fail one at a time, by kind: boxes with sessions, cables by their first port."""
    made = routes.fabric
    colours = _colours(routes)
    kinds: dict[Hashable, list[str]] = defaultdict(list)
    of_box: dict[str, list[int]] = defaultdict(list)
    for at, table in enumerate(made.tables):
        if made.out[at]:
            of_box[table.box.name].append(colours[at])
    for name, some in of_box.items():
        kinds["box", tuple(sorted(some))].append(name)
    over: dict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in made.edges:
        first, second = sorted(edge.cables)
        over[first, second].append(edge)
    beside = Counter(tuple(sorted(_boxes(cables))) for cables in over)
    for cables, edges in over.items():
        ends = Counter((colours[edge.target], colours[edge.source]) for edge in edges)
        parallel = beside[tuple(sorted(_boxes(cables)))]
        kinds["cable", frozenset(ends.items()), parallel].append(cables[0])
    return tuple(sorted(tuple(sorted(parts)) for parts in kinds.values()))


def _boxes(cables: Iterable[str]) -> list[str]:
    return [cable.partition(":")[0] for cable in cables]


def _colours(routes: Routes) -> list[int]:
    made = routes.fabric
    colours = _numbered([_first(routes, at) for at in range(len(made.tables))])
    by_asn: dict[int, list[int]] = defaultdict(list)
    by_box: dict[str, list[int]] = defaultdict(list)
    for at, table in enumerate(made.tables):
        by_asn[table.asn].append(at)
        by_box[table.box.name].append(at)
    count = 0
    while len(set(colours)) > count:
        count = len(set(colours))
        kinds = _Kinds(routes, colours)
        looks = _numbered([_edge(routes, e, kinds) for e in range(len(made.edges))])
        beside: list[list[tuple[int, int, int]]] = [[] for _ in colours]
        for edge, look in zip(made.edges, looks, strict=True):
            beside[edge.target].append((0, look, colours[edge.source]))
            beside[edge.source].append((1, look, colours[edge.target]))
        asns = {asn: tuple(sorted(colours[at] for at in some)) for asn, some in by_asn.items()}
        boxes = {box: tuple(sorted(colours[at] for at in some)) for box, some in by_box.items()}
        colours = _numbered(
            [
                (
                    colours[at],
                    tuple(sorted(Counter(beside[at]).items())),
                    asns[table.asn],
                    boxes[table.box.name],
                    kinds.counts(table.origin),
                    kinds.counts(table.drops & ~table.origin),
                    tuple((rank, kinds.counts(bits)) for rank, bits in routes.ranks[at]),
                )
                for at, table in enumerate(made.tables)
            ]
        )
    return colours


class _Kinds:
    """Prefixes by the colours of who announces them."""

    def __init__(self, routes: Routes, colours: list[int]) -> None:
        owners: dict[int, list[int]] = defaultdict(list)
        for at, table in enumerate(routes.fabric.tables):
            for number in numbers(table.origin):
                owners[number].append(colours[at])
        kinds: dict[Hashable, Bits] = defaultdict(int)
        for number, prefix in enumerate(routes.fabric.prefixes.every):
            kinds[prefix.prefixlen, tuple(sorted(owners[number]))] |= 1 << number
        self._kinds = [bits for _, bits in sorted(kinds.items(), key=str)]
        self._counts: dict[Bits, tuple[int, ...]] = {}

    def counts(self, bits: Bits) -> tuple[int, ...]:
        """How many of each kind."""
        if bits not in self._counts:
            self._counts[bits] = tuple((bits & kind).bit_count() for kind in self._kinds)
        return self._counts[bits]


def _numbered(things: Iterable[Hashable]) -> list[int]:
    numbered: dict[Hashable, int] = {}
    return [numbered.setdefault(one, len(numbered)) for one in things]


def _first(routes: Routes, at: int) -> Hashable:
    """What a table is."""
    table = routes.fabric.tables[at]
    return bool(table.vrf), table.width, table.relaxed, table.origin.bit_count()


def _edge(routes: Routes, e: int, kinds: _Kinds) -> Hashable:
    """What a session is: by the kinds of what it lets pass, and of what goes over it."""
    edge: Edge = routes.fabric.edges[e]
    own = routes.fabric.tables[edge.source].origin
    return (
        edge.rate_gbps,
        edge.internal,
        edge.lossless,
        kinds.counts(edge.allowed & own),
        kinds.counts(edge.allowed & ~own),
        edge.adds_out,
        edge.adds_in,
        edge.refused_out,
        edge.refused_in,
        edge.drained_last,
        kinds.counts(routes.hops[e]),
    )
