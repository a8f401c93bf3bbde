"""What flows between nodes while a change is rehearsed, and what came of it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Address, IPv4Network

from deploy.errors import RailbedError
from inventory.plan import Plan
from inventory.reading.fields import Unreadable, document, mapping, sequence
from inventory.reading.numbers import Real, Whole
from validation.parse.loads.soak import stream
from validation.probes.planned import FIRST_SOURCE_PORT
from validation.routing.paths import ports_towards
from validation.stages.s80_soak.work import ECHO_PORT

# Each is a process on a node; more would be work for the machine, and show no more.
MOST_FLOWS = 32
# A stream's source ports may take other paths each; a gap is measured in steps of one port's.
_PORTS, _GAP_MS = 4, 50
LONGEST_S = 6 * 3600
_BEGAN = Real("when the stream began", "s", 1e9, 1e11)
_AT = Real("when a gap began", "s", 0, 1e6)
_TOOK = Real("a gap", "ms", 0, 1e9)
_LOST = Whole("packets lost", "1", 1, 10**9)


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """Small packets from one NIC to another, there and back. `leaves` are of both ends."""

    leaves: tuple[str, str]
    sender: str
    receiver: str
    source: IPv4Address
    target: IPv4Address
    tos: int

    def __str__(self) -> str:
        """For people."""
        one, other = self.leaves
        by = one if one == other else f"{one} > {other}"
        return f"{self.sender} > {self.receiver} by {by}"

    def ask(self, token: str, number: int) -> str:
        """What `stream.py watch` is asked; streams of one node have ports of their own."""
        return json.dumps(
            {
                "id": str(self), "token": token, "source": str(self.source),
                "target": str(self.target), "port": ECHO_PORT, "tos": self.tos,
                "first_port": FIRST_SOURCE_PORT + 64 * number, "ports": _PORTS,
                "gap_ms": _GAP_MS, "seconds": LONGEST_S, "interval_s": LONGEST_S,
            }
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which packets of one source port were lost, in seconds of the Unix epoch."""

    at: float
    took_ms: float
    lost: int


@dataclass(frozen=True, slots=True)
class Watched:
    """What came of a flow: packets sent and lost, its gaps, the longest first.

    `unknown` says why nothing is known of it; else it is empty.
    """

    flow: Flow
    sent: int = 0
    lost: int = 0
    gaps: tuple[Gap, ...] = ()
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class Traffic:
    """What flowed during an act. `flapped` is what ports, sessions and units say of it.

    `none` says why nothing flowed; else it is empty.
    """

    flows: tuple[Watched, ...] = ()
    flapped: tuple[str, ...] = ()
    none: str = ""


@dataclass(frozen=True, slots=True)
class _End:
    """A NIC with an address of its own, and all that it reaches."""

    node: str
    leaf: str
    address: IPv4Address
    reach: IPv4Network


def flows(plan: Plan) -> tuple[Flow, ...]:
    """Within each leaf, and from each to the next that it reaches; at most `MOST_FLOWS`.

    Of rails and the storage plane. RailbedError where no two nodes have a way between them.
    """
    ends = _ends(plan)
    made = [*_within(ends), *_between(plan, ends)]
    if not made:
        raise RailbedError("no two nodes have rails or storage between them")
    # Of either kind some, where there are too many.
    step = -(-len(made) // MOST_FLOWS)
    return tuple(
        sorted(
            Flow(
                (one.leaf, other.leaf), one.node, other.node, one.address, other.address,
                plan.lossless.tos,
            )
            for one, other in made[::step]
        )
    )  # fmt: skip


Ends = dict[str, list[_End]]


def _ends(plan: Plan) -> Ends:
    """The NICs at each leaf; at each another node comes first, so that all take part."""
    found: Ends = {}
    for node in sorted(plan.nodes, key=lambda one: (one.pod, one.position, one.name)):
        for nic in node.rails:
            end = _End(node.name, nic.leaf.device, nic.address.ip, nic.fabric_prefix)
            found.setdefault(end.leaf, []).append(end)
        for port in node.nics:
            alone = port.plane == "storage" and port.bond is None
            if alone and port.address is not None and port.prefix is not None:
                end = _End(node.name, port.leaf.device, port.address.ip, port.prefix)
                found.setdefault(end.leaf, []).append(end)
    return {
        leaf: [*mine[number % len(mine) :], *mine[: number % len(mine)]]
        for number, (leaf, mine) in enumerate(sorted(found.items()))
    }


def _within(ends: Ends) -> Iterator[tuple[_End, _End]]:
    for mine in ends.values():
        yield from [(mine[0], one) for one in mine if _meet(mine[0], one)][:1]


def _between(plan: Plan, ends: Ends) -> Iterator[tuple[_End, _End]]:
    leaves, everything = list(ends), frozenset(plan.devices)
    for number, leaf in enumerate(leaves):
        for other in (*leaves[number + 1 :], *leaves[:number]):
            pairs = [(a, b) for a in ends[leaf] for b in ends[other] if _meet(a, b)]
            if pairs and leaf in ports_towards(plan, other, everything):
                yield pairs[0]
                break


def _meet(one: _End, other: _End) -> bool:
    return one.node != other.node and other.address in one.reach


def watched(flow: Flow, text: str) -> Watched:
    """What a stream printed; of one that cannot be read nothing is known."""
    try:
        found = stream(text)
        root = mapping(document(text, "the stream"), "the stream's result")
        began = _BEGAN.of(root, "began", "the stream")
        gaps = tuple(_gap(began, one) for one in sequence(root.get("gaps"), "gaps"))
    except Unreadable as error:
        return Watched(flow, unknown=str(error))
    if strange := set(found.names) - {flow.receiver}:
        return Watched(flow, unknown=f"answered by {', '.join(sorted(strange))}")
    sent, received = (sum(one[at] for one in found.flows) for at in (1, 2))
    return Watched(flow, int(sent), int(sent - received), gaps)


def _gap(began: float, said: object) -> Gap:
    values = sequence(said, "a gap")
    if len(values) != 4:
        raise Unreadable(f"a gap of {len(values)} values")
    fields = dict(zip(("port", "at", "took", "lost"), values, strict=True))
    at, took = _AT.of(fields, "at", "a gap"), _TOOK.of(fields, "took", "a gap")
    return Gap(began + at, took, _LOST.of(fields, "lost", "a gap"))


def meanwhile(gap: Gap, waves: Sequence[tuple[str, str, str | None]]) -> str:
    """The waves in which a gap lies, by their begin and end in ISO 8601; empty between them."""
    until = gap.at + gap.took_ms / 1000
    return ", ".join(
        name
        for name, began, ended in waves
        if _unix(began) < until and (ended is None or gap.at < _unix(ended))
    )


def _unix(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


def totals(found: Iterable[Watched]) -> tuple[int, int]:
    """Packets sent and lost of all flows."""
    every = tuple(found)
    return sum(one.sent for one in every), sum(one.lost for one in every)
