"""What a picture shows: the devices of one plane on their rows, and the cables between rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from inventory.topology.media import Medium

from ...plan import Cable, Plan, Plane, PortRef
from ..view import PLANES, level, media, natural, nic_rails, rail_of, upward

__all__ = ["PLANES", "Hop", "Member", "Scene", "Wire", "scene_of"]

# What belongs to no pod, hangs on none, and is not above all of them.
BESIDE = 0
_FIRST_OOB_LEVEL = 4


@dataclass(frozen=True, slots=True)
class Member:
    """A device of the plane. `row` counts from 0 at the bottom."""

    name: str
    row: int
    word: str
    pod: int | None
    rail: int | None
    profile: str


@dataclass(frozen=True, slots=True)
class Wire:
    """A cable from a lower to an upper device."""

    lower: str
    upper: str
    rail: int | None
    rate_gbps: float
    cable_m: float
    medium: Medium


@dataclass(frozen=True, slots=True)
class Hop:
    """All wires between two rows: how many, over how many pairs, how fast, how long."""

    lower: int
    upper: int
    wires: int
    per_pair: tuple[int, ...]
    rates_gbps: tuple[float, ...]
    metres: tuple[float, ...]
    media: tuple[Medium, ...]


@dataclass(frozen=True)
class Scene:
    """The devices of a plane, in natural order of names, and its wires.

    `limits` are the oversubscription ratios that the site accepts, by tier.
    """

    site: str
    plane: Plane
    members: tuple[Member, ...]
    wires: tuple[Wire, ...]
    limits: tuple[tuple[str, float], ...]

    @cached_property
    def member(self) -> dict[str, Member]:
        """Members by name."""
        return {member.name: member for member in self.members}

    @cached_property
    def across(self) -> tuple[Wire, ...]:
        """The wires between rows: all but those of peers."""
        row = {member.name: member.row for member in self.members}
        return tuple(wire for wire in self.wires if row[wire.lower] != row[wire.upper])

    @cached_property
    def rows(self) -> dict[int, tuple[Member, ...]]:
        """Members by row, from the bottom."""
        found: dict[int, list[Member]] = defaultdict(list)
        for member in self.members:
            found[member.row].append(member)
        return {row: tuple(found[row]) for row in sorted(found)}

    @cached_property
    def hops(self) -> tuple[Hop, ...]:
        """The wires between each two rows, from the bottom."""
        found: dict[tuple[int, int], list[Wire]] = defaultdict(list)
        for wire in self.wires:
            found[self.member[wire.lower].row, self.member[wire.upper].row].append(wire)
        return tuple(_hop(*rows, wires) for rows, wires in sorted(found.items()))


def scene_of(plan: Plan, plane: Plane) -> Scene:
    """The scene of a plane; raises ExportError where it has no cables."""
    rails, medium_of = nic_rails(plan.nodes), media(plan)
    wires = []
    for cable, low, high in upward(plan, plane):
        rail = rail_of(plan, low, rails) if plane == "compute" else None
        wires.append(_wire(cable, low, high, rail, medium_of(cable)))
    names = {name for wire in wires for name in (wire.lower, wire.upper)}
    members = [_member(plan, plane, name) for name in sorted(names, key=natural)]
    limits = tuple(
        sorted(
            (capacity.tier, capacity.limit)
            for capacity in plan.capacities
            if capacity.plane == plane and capacity.limit is not None
        )
    )
    return Scene(plan.site, plane, tuple(_beside(members, wires)), tuple(wires), limits)


def _wire(cable: Cable, low: PortRef, high: PortRef, rail: int | None, kind: Medium) -> Wire:
    return Wire(low.device, high.device, rail, cable.rate_gbps, cable.cable_m, kind)


def _beside(members: list[Member], wires: list[Wire]) -> Iterator[Member]:
    """Members; those without a pod, where others of their row have one, where they hang."""
    highest = max((member.row for member in members if member.pod is not None), default=-1)
    pod = {member.name: member.pod for member in members if member.pod is not None}
    hangs: dict[str, int] = {}
    for wire in wires:
        if wire.upper in pod:
            hangs[wire.lower] = min(pod[wire.upper], hangs.get(wire.lower, pod[wire.upper]))
    for one in members:
        is_beside = one.pod is None and one.row <= highest
        yield replace(one, pod=hangs.get(one.name, BESIDE)) if is_beside else one


def _member(plan: Plan, plane: Plane, name: str) -> Member:
    row = level(plan, name)
    flat = plane == "oob"
    if flat:
        row = max(0, row - _FIRST_OOB_LEVEL + 1)
    if name in plan.oob_switch:
        oob = plan.oob_switch[name]
        return Member(name, row, oob.tier, None, None, oob.profile)
    if name in plan.switch:
        switch = plan.switch[name]
        pod, rail = (None, None) if flat else (switch.pod, switch.rail)
        return Member(name, row, switch.tier, pod, rail, switch.profile)
    if name in plan.node:
        node = plan.node[name]
        word = "node" if node.kind == "gpu" else node.kind
        return Member(name, row, word, None if flat else node.pod or None, None, node.profile)
    word = "OOB server" if name == plan.oob.name else "PDU"
    return Member(name, row, word, None, None, "")


def _hop(lower: int, upper: int, wires: list[Wire]) -> Hop:
    pairs: dict[tuple[str, str], int] = defaultdict(int)
    for wire in wires:
        pairs[wire.lower, wire.upper] += 1
    return Hop(
        lower,
        upper,
        len(wires),
        tuple(sorted(set(pairs.values()))),
        tuple(sorted({wire.rate_gbps for wire in wires})),
        tuple(sorted({wire.cable_m for wire in wires})),
        tuple(sorted({wire.medium for wire in wires})),
    )
