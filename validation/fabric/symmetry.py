"""Boxes and cables that are alike: what one of them takes away when it fails, each would.

Boxes begin with what they are and what they know (how many prefixes at which rank), and are told
apart by their neighbours' colours until that tells nothing new (colour refinement, Weisfeiler
and Leman). Two parts of one colour could still differ in a fabric that is regular and not
symmetric; tests compare each part with its kind on random fabrics.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable

from .fabric import Edge, Fabric
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
    looks = _numbered([_edge(routes, e) for e in range(len(made.edges))])
    by_asn: dict[int, list[int]] = defaultdict(list)
    by_box: dict[str, list[int]] = defaultdict(list)
    for at, table in enumerate(made.tables):
        by_asn[table.asn].append(at)
        by_box[table.box.name].append(at)
    count = 0
    while len(set(colours)) > count:
        count = len(set(colours))
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
                )
                for at, table in enumerate(made.tables)
            ]
        )
    return colours


def _numbered(things: Iterable[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(one, len(numbers)) for one in things]


def _first(routes: Routes, at: int) -> Hashable:
    """What a table is and knows."""
    table = routes.fabric.tables[at]
    every = routes.fabric.prefixes.every
    own = Counter(every[n].prefixlen for n in range(len(every)) if table.origin >> n & 1)
    return (
        bool(table.vrf),
        table.width,
        table.relaxed,
        frozenset(own.items()),
        tuple((rank, bits.bit_count()) for rank, bits in routes.ranks[at]),
        (table.drops & ~table.origin).bit_count(),
    )


def _edge(routes: Routes, e: int) -> Hashable:
    """What a session is."""
    edge: Edge = routes.fabric.edges[e]
    made: Fabric = routes.fabric
    own = made.tables[edge.source].origin
    return (
        edge.rate_gbps,
        edge.internal,
        edge.lossless,
        (edge.allowed & own).bit_count(),
        (edge.allowed & ~own).bit_count(),
        edge.adds_out,
        edge.adds_in,
        edge.refused_out,
        edge.refused_in,
        edge.drained_last,
        routes.hops[e].bit_count(),
    )
