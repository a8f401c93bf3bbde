"""In which order devices are changed: the OOB plane, the nodes, then switches from the top.

Each step begins with a canary, so that a bad change meets one device: of nodes one for each kind
and engine, side by side, because a login server proves nothing of a GPU node. After that, a wave
stays inside one failure domain and below the site's number: nodes of one pod or group (whole
racks, where they fit), leaves of one rail (every node keeps its other rails), a spine at a time.

Switches of the OOB plane go towards its server: those of racks first, each of which cuts off its
own rack; then each over which others are reached, alone. The path of all comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from inventory.oob.paths import above, ways
from inventory.plan import Node, OobServer, OobSwitch, Plane, Switch, Tier, Wave
from inventory.schema import Rollout
from inventory.switches.abilities import of

OOB_SWITCHES = "oob-switches"
Domain = tuple[str, list[list[str]]]
_PLANES: tuple[Plane, ...] = ("compute", "storage", "business")
_WORDS: dict[Tier, str] = {"superspine": "superspines", "spine": "spines", "leaf": "leaves"}


def waves(
    server: OobServer,
    own: tuple[OobSwitch, ...],
    nodes: tuple[Node, ...],
    switches: tuple[Switch, ...],
    most: Rollout,
) -> tuple[Wave, ...]:
    """All waves in order. A device without an as-built management row is in none.

    Nor is a switch of the OOB plane (`own`) whose system is rendered only: people change it.
    """
    if server.mac is None:
        return ()
    reachable = [node for node in nodes if node.management.mac]
    built = [switch for switch in switches if switch.management.mac]
    return (
        Wave("oob", "oob", (server.name,), canary=False),
        *oob_switches(server.name, own, switches, most.leaves),
        *_waves("nodes", "nodes", _canaries(reachable), _by_pod(reachable), most.nodes),
        *(wave for plane in _PLANES for wave in _of_plane(plane, built, most)),
    )


def oob_switches(
    server: str, every: Iterable[OobSwitch], switches: Iterable[Switch], most: int
) -> Iterator[Wave]:
    """From the racks towards the server; no two at once that serve a device, or both of a pair."""
    known = {one.name: one for one in sorted(every, key=lambda one: one.name)}
    over = above(server, known.values())
    middle = ways(over)
    pairs = {one.name: min(one.name, one.pair.peer) for one in switches if one.pair}
    domains: dict[str, list[OobSwitch]] = {}
    for one in known.values():
        if one.name not in middle and _is_pushed(one):
            domains.setdefault(over.get(one.name, ""), []).append(one)
    canary = next((some[0] for some in domains.values()), None)
    if canary is not None:
        yield Wave("oob-racks-canary", OOB_SWITCHES, (canary.name,), canary=True)
    for number, some in enumerate(domains.values(), start=1):
        rest = [one for one in some if one is not canary]
        for at, part in enumerate(_apart(rest, {server, *known}, pairs, most), start=1):
            yield Wave(f"oob-racks-{number}.{at}", OOB_SWITCHES, part, canary=False)
    for name in reversed(over):
        if name in middle and _is_pushed(known[name]):
            yield Wave(name, OOB_SWITCHES, (name,), canary=False)


def _is_pushed(one: OobSwitch) -> bool:
    return bool(one.management.mac) and of(one.dialect).pushed


def _apart(
    some: Iterable[OobSwitch], own: set[str], pairs: Mapping[str, str], most: int
) -> Iterator[tuple[str, ...]]:
    """Parts of at most `most`, in which nothing is served twice but the plane's `own` devices."""
    part: list[str] = []
    served: set[str] = set()
    for one in some:
        peers = {port.peer.device for port in one.ports} - own
        mine = {pairs.get(name, name) for name in peers}
        if part and (len(part) == most or not served.isdisjoint(mine)):
            yield tuple(part)
            part, served = [], set()
        part.append(one.name)
        served |= mine
    if part:
        yield tuple(part)


def _of_plane(plane: Plane, switches: Iterable[Switch], most: Rollout) -> Iterator[Wave]:
    """From the top down: what is above must take the traffic of what is changed below."""
    mine = [switch for switch in switches if switch.plane == plane]
    for tier, word in _WORDS.items():
        members = [switch for switch in mine if switch.tier == tier]
        kind = word if plane == "compute" else f"{plane}-{word}"
        first = [switch.name for switch in members[:1]]
        if tier == "leaf":
            yield from _waves(kind, "switches", first, _by_rail(members), most.leaves)
        else:
            rest = [("rest", [[switch.name] for switch in members])]
            yield from _waves(kind, "switches", first, rest, most.spines)


def _canaries(nodes: Iterable[Node]) -> list[str]:
    first: dict[tuple[str, str], str] = {}
    for node in nodes:
        first.setdefault((node.engine, node.kind), node.name)
    return list(first.values())


def _by_pod(nodes: Iterable[Node]) -> list[Domain]:
    """Each pod or group with its racks; nodes come sorted by pod and position."""
    return [
        (
            f"p{pod}" if pod else kind,
            [[node.name for node in rack] for _, rack in groupby(members, _rack_or_own)],
        )
        for (kind, pod), members in groupby(nodes, attrgetter("kind", "pod"))
    ]


def _rack_or_own(node: Node) -> tuple[int, int]:
    return (0, node.position) if node.rack is None else (node.rack, 0)


def _by_rail(leaves: Sequence[Switch]) -> list[Domain]:
    """Leaves by rail; where a leaf is no rail, by its place in its unit: nodes keep another."""
    words = sorted({_rail_word(switch) for switch in leaves})
    return [
        (word, [[switch.name] for switch in leaves if _rail_word(switch) == word]) for word in words
    ]


def _rail_word(leaf: Switch) -> str:
    return leaf.name.rpartition("-")[2] if leaf.rail is not None else f"s{leaf.name[-1]}"


def _waves(
    kind: str, step: str, canaries: list[str], domains: list[Domain], most: int
) -> Iterator[Wave]:
    if canaries:
        yield Wave(f"{kind}-canary", step, tuple(canaries), canary=True)
    first = frozenset(canaries)
    for domain, units in domains:
        rest = [kept for unit in units if (kept := [name for name in unit if name not in first])]
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
