"""What is built, and what it may grow to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .types import Closed, Count, Name, Ratio

Kind = Literal["two-tier", "rail-optimized-two-tier", "rail-optimized-three-tier"]
Ways = Annotated[int, Field(ge=1, le=8)]


class Maxima(Closed):
    """What the site may grow to. Allocation by position counts with these, for ever."""

    pods: Count = Field(description="most pods the cabling leaves room for")
    spines: Count = Field(description="most spines the leaves leave uplinks for")
    nodes_per_pod: Count = Field(description="most nodes of a pod: node ports of a leaf")
    nodes_per_unit: Count | None = Field(
        default=None,
        description="nodes under one set of leaves; a pod of more has several such units",
    )
    superspines: Count | None = Field(
        default=None, description="most superspines of a group, for three tiers"
    )
    server_groups: Annotated[int, Field(ge=0, le=32)] = Field(
        default=0, description="most groups of `servers`"
    )
    servers_per_group: Count = Field(default=64, description="most servers of a group")
    servers_per_rack: Count = Field(default=16, description="servers that share a rack")


class BreakoutUse(Closed):
    """How many ports a cage is split into, by what it faces."""

    nodes: Ways = Field(default=1, description="ports of a leaf's cage towards nodes")
    fabric: Ways = Field(default=1, description="ports of a cage between leaves and spines")
    top: Ways = Field(default=1, description="ports of a cage between spines and superspines")


class Oversubscription(Closed):
    """The most that may enter from below for each unit that can leave above."""

    leaf: Ratio | None = Field(default=None, description="bandwidth of nodes to that of uplinks")
    spine: Ratio | None = Field(
        default=None, description="bandwidth of leaves to that of superspines"
    )


class Topology(Closed):
    """What is built: pods of nodes, the leaves that they hang on, and what is above."""

    kind: Kind
    pods: Count = Field(description="pods built")
    spines: Count = Field(description="spines built; with three tiers, in each pod")
    nodes_per_pod: Count = Field(description="nodes in each pod")
    uplinks_per_spine: Count = Field(description="links from each leaf to each spine")
    superspines: Count | None = Field(
        default=None, description="superspines of each group: spine n of every pod is on group n"
    )
    uplinks_per_superspine: Count = Field(
        default=1, description="links from each spine to each superspine of its group"
    )
    homes: Literal[1, 2] = Field(
        default=1, description="leaves that the NICs of a node are spread over, for `two-tier`"
    )
    breakout: BreakoutUse = Field(default_factory=BreakoutUse)
    oversubscription: Oversubscription = Field(default_factory=Oversubscription)
    nodes_per_rack: Count | None = Field(
        default=None,
        description="nodes that share a rack, by position in the pod, if one rule holds",
    )
    fabric_links: Literal["unnumbered", "numbered"] = Field(
        description="unnumbered: RFC 5549 next hops; numbered: a /31 on each (RFC 3021)"
    )
    absent: list[Name] = Field(
        default_factory=list, description="nodes, spines or superspines that are not built"
    )
    only_pods: list[Count] = Field(
        default_factory=list,
        description="the pods that are there, by number, where it is not each up to `pods`",
    )
    maxima: Maxima

    @property
    def built_pods(self) -> tuple[int, ...]:
        """The pods that are there, by number from 1."""
        return tuple(sorted({*self.only_pods})) or tuple(range(1, self.pods + 1))


class ServerGroup(Closed):
    """Servers beside the pods: storage, login, management. `id` is their place for ever."""

    id: Annotated[int, Field(ge=1, le=32)] = Field(description="place among the groups, from 1")
    profile: Name = Field(description="a profile of profiles/nodes.yml")
    count: Count = Field(description="servers built")
