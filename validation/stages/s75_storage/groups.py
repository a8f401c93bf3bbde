"""Which nodes load a mount together: 1, 2, 4 ... and then everybody. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inventory.plan import Mount, Node, Plan
from validation.parse.loads.fio import Way
from validation.probes.disk_io import Files

from .terms import terms


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """The nodes of one step on one mount, and what each of their NICs can carry, Gb/s.

    `number` counts the groups of a size: everybody may be more than can start at once.
    """

    mount: Mount
    size: int
    number: int
    nodes: tuple[str, ...]
    nic_gbps: tuple[float, ...]

    @property
    def id(self) -> str:
        """`/mnt/data:4.1`."""
        return f"{self.mount.path}:{self.size}.{self.number}"

    @property
    def files(self) -> Files:
        """What each of them writes and reads."""
        asked = terms().fio
        return Files(
            place=self.mount.path,
            files=asked.files,
            mib=asked.mib,
            seconds=asked.seconds,
            depth=asked.depth,
            block=asked.block,
            spare_percent=round(asked.spare * 100),
            mounted=True,
        )

    @property
    def command(self) -> str:
        """The frame that each of them leaves."""
        return f"probe store {self.size}.{self.number} {self.files.asked}"

    def total_gbps(self, way: Way) -> float:
        """What they can get together: the mount's promise, or what their NICs carry."""
        promised = self.mount.read_gbps if way == "read" else self.mount.write_gbps
        return min(promised, sum(self.nic_gbps))

    def part_gbps(self, node: str, way: Way) -> float:
        """What one of them can get while all are served alike."""
        promised = self.mount.read_gbps if way == "read" else self.mount.write_gbps
        return min(self.nic_gbps[self.nodes.index(node)], promised / len(self.nodes))


def groups(plan: Plan, configured: frozenset[str]) -> tuple[Group, ...]:
    """The groups of every mount, small ones first; none where nobody has a mount."""
    out: list[Group] = []
    for mount in plan.mounts:
        mine = [node for node in plan.nodes if node.kind in mount.kinds and node.name in configured]
        out += _groups(mount, _spread(mine), terms().fio.together)
    return tuple(out)


def nic_gbps(node: Node) -> float:
    """What all NICs of the storage plane carry together."""
    return sum(nic.rate_gbps for nic in node.nics if nic.plane == "storage")


def _groups(mount: Mount, nodes: Sequence[Node], most: int) -> list[Group]:
    out = []
    size = 1
    while size < min(len(nodes), most):
        out.append(_group(mount, size, 1, nodes[:size]))
        size *= 2
    # Everybody is in one of the last groups, and these are of one size but for one node.
    count = -(-len(nodes) // most)
    for number in range(count):
        mine = nodes[number::count]
        out.append(_group(mount, len(mine), number + 1, mine))
    return out


def _group(mount: Mount, size: int, number: int, nodes: Sequence[Node]) -> Group:
    some = sorted(nodes, key=lambda one: one.name)
    names, rates = tuple(node.name for node in some), tuple(nic_gbps(node) for node in some)
    return Group(mount, size, number, names, rates)


def _spread(nodes: Sequence[Node]) -> list[Node]:
    """Neighbours in the list stand in different pods and racks, as jobs are not placed."""
    return sorted(nodes, key=lambda one: (one.position, one.pod, one.name))
