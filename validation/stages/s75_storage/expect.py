"""What mounts must give: to each node of a step, to all of it together, and fairly. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Mount, Plan
from validation.expectation import Expectation
from validation.parse.loads.fio import WAYS, Way

from .groups import Group, groups, nic_gbps
from .work import gds_command


@dataclass(frozen=True, slots=True)
class PartExpected(Expectation):
    """A node gets its part of a mount's rate while its group loads it."""

    stage: ClassVar[int] = 75
    check: ClassVar[str] = "store"
    group: Group
    way: Way


@dataclass(frozen=True, slots=True)
class TotalExpected(Expectation):
    """The nodes of a group get the mount's rate together."""

    stage: ClassVar[int] = 75
    check: ClassVar[str] = "store_total"
    group: Group
    way: Way


@dataclass(frozen=True, slots=True)
class FairExpected(Expectation):
    """No node of a group gets much less than another."""

    stage: ClassVar[int] = 75
    check: ClassVar[str] = "store_fair"
    group: Group
    way: Way


@dataclass(frozen=True, slots=True)
class DirectExpected(Expectation):
    """A GPU reads from the mount past the CPU, at the node's part of its rate."""

    stage: ClassVar[int] = 75
    check: ClassVar[str] = "store_gds"
    mount: Mount
    part_gbps: float
    nic_gbps: float
    command: str


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """All of it; nothing where the site declares no mount."""
    for group in groups(plan, configured):
        for way in WAYS:
            yield from _of(group, way)
    for mount in plan.mounts:
        nodes = [one for one in plan.nodes if one.kind in mount.kinds and one.name in configured]
        for node in nodes if mount.gds else ():
            nic = nic_gbps(node)
            part = min(nic, mount.read_gbps / len(nodes))
            says = f"a GPU of {node.name} reads {mount.path} directly, {part:g} Gb/s"
            key = f"store_gds:{mount.path}:{node.name}"
            yield DirectExpected(key, node.name, says, mount, part, nic, gds_command(mount))


def _of(group: Group, way: Way) -> Iterator[Expectation]:
    path, count = group.mount.path, len(group.nodes)
    does = "reads from" if way == "read" else "writes to"
    for node in group.nodes:
        part = f"{group.part_gbps(node, way):g} Gb/s"
        says = f"{node} {does} {path} at its part of {part}, {count} nodes at once"
        yield PartExpected(f"store:{group.id}:{way}:{node}", node, says, group, way)
    if count == 1:
        return
    first = group.nodes[0]
    says = f"{count} nodes {way} {path} at {group.total_gbps(way):g} Gb/s together"
    yield TotalExpected(f"store_total:{group.id}:{way}", first, says, group, way)
    says = f"{count} nodes that {way} {path} are served alike"
    yield FairExpected(f"store_fair:{group.id}:{way}", first, says, group, way)
