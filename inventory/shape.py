"""Counts, names and positions of a two-tier rail-optimized fabric.

Every position is counted within the declared maxima and never within what is built, so
that growth inside the maxima renumbers nothing. Pods, nodes and spines count from 1, rails
from 0 as NICs do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True, order=True)
class LeafAt:
    """The position of a leaf: pod from 1, rail from 0."""

    pod: int
    rail: int


@dataclass(frozen=True, slots=True, order=True)
class NodeAt:
    """The position of a node: pod from 1, number in the pod from 1."""

    pod: int
    number: int


@dataclass(frozen=True)
class Shape:
    """What is built, and what it may grow to."""

    pods: int
    spines: int
    nodes_per_pod: int
    rails: int
    uplinks: int
    max_pods: int
    max_spines: int
    max_nodes_per_pod: int
    nodes_per_rack: int | None = None

    @property
    def max_leaves(self) -> int:
        """One leaf per rail in each pod."""
        return self.max_pods * self.rails

    @cached_property
    def at_maxima(self) -> Shape:
        """The same fabric, grown as far as it may."""
        return Shape(
            self.max_pods,
            self.max_spines,
            self.max_nodes_per_pod,
            self.rails,
            self.uplinks,
            self.max_pods,
            self.max_spines,
            self.max_nodes_per_pod,
            self.nodes_per_rack,
        )

    @cached_property
    def leaves(self) -> dict[str, LeafAt]:
        """The leaves built, by name, in position order."""
        places = (
            LeafAt(pod, rail) for pod in range(1, self.pods + 1) for rail in range(self.rails)
        )
        return {self.leaf_name(at): at for at in places}

    @cached_property
    def spine_numbers(self) -> dict[str, int]:
        """The spines built, by name, in position order."""
        return {self.spine_name(number): number for number in range(1, self.spines + 1)}

    @cached_property
    def nodes(self) -> dict[str, NodeAt]:
        """The nodes built, by name, in position order."""
        places = (
            NodeAt(pod, number)
            for pod in range(1, self.pods + 1)
            for number in range(1, self.nodes_per_pod + 1)
        )
        return {self.node_name(at): at for at in places}

    def leaf_index(self, at: LeafAt) -> int:
        """Return the leaf's place among all possible leaves, from 0."""
        return (at.pod - 1) * self.rails + at.rail

    def node_index(self, at: NodeAt) -> int:
        """Return the node's place among all possible nodes, from 0."""
        return (at.pod - 1) * self.max_nodes_per_pod + at.number - 1

    def rack(self, at: NodeAt) -> int | None:
        """Return the node's rack in its pod, from 1; None where no rule was stated."""
        return None if self.nodes_per_rack is None else (at.number - 1) // self.nodes_per_rack + 1

    def leaf_name(self, at: LeafAt) -> str:
        """`leaf-p1-r0`; zero-padded by the maxima, so that names sort as positions do."""
        pod = _padded(at.pod, self.max_pods)
        return f"leaf-p{pod}-r{_padded(at.rail, self.rails - 1)}"

    def spine_name(self, number: int) -> str:
        """`spine1`; zero-padded by the maxima."""
        return f"spine{_padded(number, self.max_spines)}"

    def node_name(self, at: NodeAt) -> str:
        """`node-p1-1`; zero-padded by the maxima."""
        pod = _padded(at.pod, self.max_pods)
        return f"node-p{pod}-{_padded(at.number, self.max_nodes_per_pod)}"

    def node_port(self, number: int) -> int:
        """Return the leaf port of the node with this number in its pod."""
        return number

    def uplink_port(self, spine: int, uplink: int) -> int:
        """Return the leaf port of uplink `uplink` (from 1) to `spine`: after all node ports."""
        return self.max_nodes_per_pod + (spine - 1) * self.uplinks + uplink

    def downlink_port(self, leaf: LeafAt, uplink: int) -> int:
        """Return the spine port that this leaf's uplink `uplink` (from 1) ends on."""
        return self.leaf_index(leaf) * self.uplinks + uplink

    def link_index(self, leaf: LeafAt, spine: int, uplink: int) -> int:
        """Return the place of a leaf-spine link among all possible ones, from 0."""
        per_leaf = self.max_spines * self.uplinks
        return self.leaf_index(leaf) * per_leaf + (spine - 1) * self.uplinks + uplink - 1


def _padded(number: int, largest: int) -> str:
    return str(number).zfill(len(str(largest)))
