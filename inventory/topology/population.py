"""Which nodes there are: those of the pods, and groups of servers beside them. By position.

Nodes of pods come first, then the groups in the order of their ids, each with room for as many
servers as the maxima say.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

GPU = "gpu"


@dataclass(frozen=True, slots=True, order=True)
class NodeAt:
    """The position of a node: its pod, or its group's id; its number there, all from 1.

    `pod` is 0 for a server, `group` is 0 for a node of a pod.
    """

    pod: int
    group: int
    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """Servers beside the pods."""

    name: str
    id: int
    profile: str
    count: int


@dataclass(frozen=True)
class Population:
    """What is built, and what it may grow to. `pods` are numbers, ascending, from 1."""

    pods: tuple[int, ...]
    nodes_per_pod: int
    nodes_per_rack: int | None
    profile: str
    groups: tuple[Group, ...]
    max_pods: int
    max_nodes_per_pod: int
    max_groups: int
    max_per_group: int
    servers_per_rack: int
    absent: frozenset[str]

    @cached_property
    def group(self) -> dict[int, Group]:
        """Groups by id."""
        return {group.id: group for group in self.groups}

    @cached_property
    def nodes(self) -> dict[str, NodeAt]:
        """The nodes built, by name, in position order."""
        places = [
            NodeAt(pod, 0, number)
            for pod in self.pods
            for number in range(1, self.nodes_per_pod + 1)
        ]
        places += [
            NodeAt(0, one.id, number)
            for one in sorted(self.groups, key=lambda group: group.id)
            for number in range(1, one.count + 1)
        ]
        names = ((self.node_name(at), at) for at in places)
        return {name: at for name, at in names if name not in self.absent}

    @cached_property
    def at_maxima(self) -> Population:
        """The same site, grown as far as it may."""
        groups = tuple(replace(group, count=self.max_per_group) for group in self.groups)
        return replace(
            self,
            pods=tuple(range(1, self.max_pods + 1)),
            nodes_per_pod=self.max_nodes_per_pod,
            groups=groups,
            absent=frozenset(),
        )

    @property
    def max_nodes(self) -> int:
        """All nodes that can exist."""
        return self.max_pods * self.max_nodes_per_pod + self.max_groups * self.max_per_group

    def node_index(self, at: NodeAt) -> int:
        """The node's place among all possible nodes, from 0."""
        if at.pod:
            return (at.pod - 1) * self.max_nodes_per_pod + at.number - 1
        before = self.max_pods * self.max_nodes_per_pod
        return before + (at.group - 1) * self.max_per_group + at.number - 1

    def node_name(self, at: NodeAt) -> str:
        """`node-p1-1`, or `storage-1`; zero-padded, so that names sort as positions do."""
        if at.pod:
            pod = str(at.pod).zfill(len(str(self.max_pods)))
            return f"node-p{pod}-{str(at.number).zfill(len(str(self.max_nodes_per_pod)))}"
        number = str(at.number).zfill(len(str(self.max_per_group)))
        return f"{self.group[at.group].name.replace('_', '-')}-{number}"

    def profile_of(self, at: NodeAt) -> str:
        """The profile of the node at this place."""
        return self.profile if at.pod else self.group[at.group].profile

    def kind_of(self, at: NodeAt) -> str:
        """`gpu`, or the name of its group."""
        return GPU if at.pod else self.group[at.group].name

    def rack(self, at: NodeAt) -> int | None:
        """The node's rack in its pod or group, from 1; None where no rule was stated."""
        per_rack = self.nodes_per_rack if at.pod else self.servers_per_rack
        return None if per_rack is None else (at.number - 1) // per_rack + 1
