"""What is built, and what it may grow to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .types import Closed, Count


class Maxima(Closed):
    """What the site may grow to. Allocation by position counts with these, for ever."""

    pods: Count = Field(description="most pods the cabling leaves room for")
    spines: Count = Field(description="most spines the leaves leave uplinks for")
    nodes_per_pod: Count = Field(description="most nodes of a pod: node ports of a leaf")


class Topology(Closed):
    """What is built: in each pod one leaf per rail, and every leaf on every spine."""

    kind: Literal["rail-optimized-two-tier"]
    pods: Count = Field(description="pods built")
    spines: Count = Field(description="spines built")
    nodes_per_pod: Count = Field(description="nodes in each pod")
    uplinks_per_spine: Count = Field(description="links from each leaf to each spine")
    nodes_per_rack: Count | None = Field(
        default=None,
        description="nodes that share a rack, by position in the pod, if one rule holds",
    )
    fabric_links: Literal["unnumbered", "numbered"] = Field(
        description="unnumbered: RFC 5549 next hops; numbered: a /31 on each (RFC 3021)"
    )
    maxima: Maxima
