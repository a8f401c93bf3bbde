"""In which order devices are changed: the OOB server, the nodes, then spines and leaves.

Each kind begins with one device alone, its canary, so that a bad change meets one device;
where two engines change nodes, each has its canary in that wave, side by side. After that, a wave
stays inside one failure domain and below the site's number: nodes of one pod (whole racks,
where they fit), leaves of one rail (every node keeps its other rails), a spine at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from .plan import Node, OobServer, Switch, Wave
from .schema import Rollout

Domain = tuple[str, list[list[str]]]


def waves(
    server: OobServer, nodes: tuple[Node, ...], switches: tuple[Switch, ...], most: Rollout
) -> tuple[Wave, ...]:
    """All waves in order. A device without an as-built management row is in none."""
    if server.mac is None:
        return ()
    reachable = [one for one in nodes if one.management.mac]
    built = [one for one in switches if one.management.mac]
    spines = [[one.name] for one in built if one.tier == "spine"]
    leaves = [one for one in built if one.tier == "leaf"]
    first_spine, first_leaf = [one[0] for one in spines[:1]], [one.name for one in leaves[:1]]
    return (
        Wave("oob", "oob", (server.name,), canary=False),
        *_waves("nodes", "nodes", _canaries(reachable), _by_pod(reachable), most.nodes),
        *_waves("spines", "switches", first_spine, [("rest", spines)], most.spines),
        *_waves("leaves", "switches", first_leaf, _by_rail(leaves), most.leaves),
    )


def _canaries(nodes: Iterable[Node]) -> list[str]:
    first: dict[str, str] = {}
    for node in nodes:
        first.setdefault(node.engine, node.name)
    return list(first.values())


def _by_pod(nodes: Iterable[Node]) -> list[Domain]:
    """Each pod with its racks; nodes come sorted by pod and position."""
    return [
        (f"p{pod}", [[one.name for one in rack] for _, rack in groupby(members, _rack_or_own)])
        for pod, members in groupby(nodes, attrgetter("pod"))
    ]


def _rack_or_own(node: Node) -> tuple[int, int]:
    return (0, node.position) if node.rack is None else (node.rack, 0)


def _by_rail(leaves: Sequence[Switch]) -> list[Domain]:
    rails = sorted({one.rail for one in leaves if one.rail is not None})
    return [(f"r{rail}", [[one.name] for one in leaves if one.rail == rail]) for rail in rails]


def _waves(
    kind: str, step: str, canaries: list[str], domains: list[Domain], most: int
) -> Iterator[Wave]:
    if canaries:
        yield Wave(f"{kind}-canary", step, tuple(canaries), canary=True)
    for domain, units in domains:
        rest = [kept for unit in units if (kept := [name for name in unit if name not in canaries])]
        parts = list(_packed(rest, most))
        for number, part in enumerate(parts, start=1):
            name = f"{kind}-{domain}.{number}" if len(parts) > 1 else f"{kind}-{domain}"
            yield Wave(name, step, tuple(part), canary=False)


def _packed(units: Iterable[list[str]], most: int) -> Iterator[list[str]]:
    """Fill parts of at most `most` devices with whole units; a larger unit is cut."""
    part: list[str] = []
    for unit in units:
        if part and len(part) + len(unit) > most:
            yield part
            part = []
        part = [*part, *unit]
        while len(part) > most:
            yield part[:most]
            part = part[most:]
    if part:
        yield part
