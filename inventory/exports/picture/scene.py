"""What a picture shows: the devices of one plane on their rows, and the cables between rows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from ...plan import Plan, Plane
from ..view import PLANES, level, natural, nic_rails, rail_of, upward

__all__ = ["PLANES", "Hop", "Member", "Scene", "Wire", "scene_of"]

_OOB_SWITCH, _OOB_SERVER = 4, 5


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


@dataclass(frozen=True, slots=True)
class Hop:
    """All wires between two rows: how many, over how many pairs, how fast, how long."""

    lower: int
    upper: int
    wires: int
    per_pair: tuple[int, ...]
    rates_gbps: tuple[float, ...]
    metres: tuple[float, ...]


@dataclass(frozen=True)
class Scene:
    """The devices of a plane, in natural order of names, and its wires."""

    site: str
    plane: Plane
    members: tuple[Member, ...]
    wires: tuple[Wire, ...]

    @cached_property
    def member(self) -> dict[str, Member]:
        """Members by name."""
        return {one.name: one for one in self.members}

    @cached_property
    def rows(self) -> dict[int, tuple[Member, ...]]:
        """Members by row, from the bottom."""
        found: dict[int, list[Member]] = defaultdict(list)
        for one in self.members:
            found[one.row].append(one)
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
    rails = nic_rails(plan.nodes)
    wires = []
    for cable, low, high in upward(plan, plane):
        rail = rail_of(plan, low, rails) if plane == "compute" else None
        wires.append(Wire(low.device, high.device, rail, cable.rate_gbps, cable.cable_m))
    names = {name for wire in wires for name in (wire.lower, wire.upper)}
    members = tuple(_member(plan, plane, name) for name in sorted(names, key=natural))
    return Scene(plan.site, plane, members, tuple(wires))


def _member(plan: Plan, plane: Plane, name: str) -> Member:
    row = level(plan, name)
    if plane == "oob":
        row = {_OOB_SWITCH: 1, _OOB_SERVER: 2}.get(row, 0)
    if name in plan.switch:
        switch = plan.switch[name]
        word: str = "OOB switch" if (plane, row) == ("oob", 1) else switch.tier
        pod, rail = (None, None) if plane == "oob" else (switch.pod, switch.rail)
        return Member(name, row, word, pod, rail, switch.profile)
    node = plan.node.get(name)
    if node is None:
        return Member(name, row, "OOB server", None, None, "")
    kind: str = getattr(node, "kind", "gpu")
    word = "node" if kind == "gpu" else kind
    return Member(name, row, word, None if plane == "oob" else node.pod, None, node.profile)


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
    )
