"""The compute fabric of a new site: how many leaves, spines and links, and in how many tiers.

Everything is chosen at the maxima, without oversubscription: as much goes out of a leaf as its
nodes can send, and the same above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..schema import NodeProfile
from ..schema.topology import Kind
from .box import LEAF_SPINE_M, SPINE_SUPERSPINE_M, Box, ceil_div, largest_divisor
from .wish import CannotBuildError, Wish

# A `Count` of the schema ends here.
_MOST = 1024


@dataclass(frozen=True, slots=True)
class Nics:
    """What a node brings: leaves of a unit (in one plane of NICs), ports on each, their rate."""

    slots: int
    planes: int
    per_slot: int
    rate_gbps: float


@dataclass(frozen=True, slots=True)
class ComputeShape:
    """Counts of the compute fabric; `ways` are towards nodes, between leaves and spines, above.

    `nodes_per_unit` share a set of leaves; a pod has up to `max_units` such units.
    """

    kind: Kind
    slots: int
    planes: int
    nodes_per_unit: int
    max_units: int
    pods: int
    nodes_per_pod: int
    absent: int
    max_pods: int
    spines: int
    uplinks: int
    superspines: int
    top_uplinks: int
    ways: tuple[int, int, int]

    @property
    def three_tier(self) -> bool:
        """Whether there are superspines."""
        return self.superspines > 0

    @property
    def max_nodes_per_pod(self) -> int:
        """Nodes of a full pod."""
        return self.nodes_per_unit * self.max_units

    @property
    def max_leaves(self) -> int:
        """All leaves that can exist."""
        return self.max_pods * self.max_units * self.slots * self.planes

    @property
    def max_spines(self) -> int:
        """All spines that can exist."""
        return (self.max_pods if self.three_tier else 1) * self.planes * self.spines

    @property
    def max_superspines(self) -> int:
        """All superspines that can exist."""
        return self.planes * self.spines * self.superspines

    @property
    def max_links(self) -> int:
        """All links between switches that can exist."""
        below = self.max_leaves * self.spines * self.uplinks
        return below + self.max_spines * self.superspines * self.top_uplinks


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A full leaf: its nodes, its uplinks, how cages are split."""

    nodes: int
    uplinks: int
    node_ways: int
    link_ways: int


def nics_of(node: NodeProfile, kind: Kind | None) -> Nics:
    """What the rails of a node are to leaves; a `two-tier` fabric spreads them over two."""
    rate = max(port.rate_gbps for port in node.rails)
    if kind == "two-tier":
        homes = 2 if len(node.rails) > 1 else 1
        return Nics(homes, 1, ceil_div(len(node.rails), homes), rate)
    planes = 1 + max(port.nic_plane for port in node.rails)
    return Nics(len(node.rails) // planes, planes, 1, rate)


def compute_shape(wish: Wish, node: NodeProfile, box: Box, most_per_pod: int) -> ComputeShape:
    """The smallest fabric for the wish; CannotBuildError where the switch is too small for it.

    `most_per_pod` is what the leaves of the other planes can take from one pod.
    """
    box.node_ways(nics_of(node, wish.kind).rate_gbps)
    found = next(_shapes(wish, node, box, most_per_pod), None)
    if found is None:
        raise _too_many(wish, node, box, most_per_pod)
    return found


def _shapes(wish: Wish, node: NodeProfile, box: Box, most_per_pod: int) -> Iterator[ComputeShape]:
    nics = nics_of(node, wish.kind)
    for leaf in _leaves(wish, nics, box, most_per_pod):
        if wish.kind != "rail-optimized-three-tier":
            yield from _two_tiers(wish, nics, box, leaf)
    for leaf in _leaves(wish, nics, box, most_per_pod):
        if wish.kind in (None, "rail-optimized-three-tier"):
            yield from _three_tiers(wish, nics, box, leaf, most_per_pod)


def _leaves(wish: Wish, nics: Nics, box: Box, most_per_pod: int) -> Iterator[_Leaf]:
    """A full leaf for each way to split its uplinks: as many nodes as pass without loss."""
    node_ways = box.node_ways(nics.rate_gbps)
    asked = 4 * ceil_div(wish.max_nodes, 4)
    most = min(box.cages * node_ways // nics.per_slot, asked, most_per_pod, _MOST)
    for ways in box.link_ways(LEAF_SPINE_M, nics.rate_gbps):
        for nodes in range(most, 0, -1):
            ports = nodes * nics.per_slot
            uplinks = ceil_div(ports * nics.rate_gbps, box.rate(ways))
            if ceil_div(ports, node_ways) + ceil_div(uplinks, ways) <= box.cages:
                yield _Leaf(nodes, uplinks, node_ways, ways)
                break


def _two_tiers(wish: Wish, nics: Nics, box: Box, leaf: _Leaf) -> Iterator[ComputeShape]:
    pods = ceil_div(wish.max_nodes, leaf.nodes)
    room = box.cages * leaf.link_ways // (pods * nics.slots)
    if not room or pods > _MOST:
        return
    # At least two spines, where there are two uplinks.
    uplinks = largest_divisor(leaf.uplinks, min(room, max(leaf.uplinks // 2, 1)))
    kind: Kind = "two-tier" if wish.kind == "two-tier" else "rail-optimized-two-tier"
    shape = _shape(wish, nics, leaf, kind, 1, pods)
    yield replace(shape, spines=leaf.uplinks // uplinks, uplinks=uplinks)


def _three_tiers(
    wish: Wish, nics: Nics, box: Box, leaf: _Leaf, most_per_pod: int
) -> Iterator[ComputeShape]:
    kind: Kind = "rail-optimized-three-tier"
    for top_ways in box.link_ways(SPINE_SUPERSPINE_M, nics.rate_gbps):
        for units in range(1, min(most_per_pod, _MOST) // leaf.nodes + 1):
            pods = ceil_div(wish.max_nodes, leaf.nodes * units)
            for uplinks, tops, top_uplinks in _spines(box, nics, leaf, top_ways, (units, pods)):
                shape = _shape(wish, nics, leaf, kind, units, pods)
                yield replace(
                    shape,
                    spines=leaf.uplinks // uplinks,
                    uplinks=uplinks,
                    superspines=tops,
                    top_uplinks=top_uplinks,
                    ways=(leaf.node_ways, leaf.link_ways, top_ways),
                )


def _spines(
    box: Box, nics: Nics, leaf: _Leaf, top_ways: int, size: tuple[int, int]
) -> Iterator[tuple[int, int, int]]:
    """Uplinks to each spine, superspines of a group, uplinks to each: the fewest spines first."""
    units, pods = size
    room = box.cages * top_ways // pods
    if not room or pods > _MOST:
        return
    for uplinks in range(max(leaf.uplinks // 2, 1), 0, -1):
        below = nics.slots * units * uplinks
        above = ceil_div(below * box.rate(leaf.link_ways), box.rate(top_ways))
        cages = ceil_div(below, leaf.link_ways) + ceil_div(above, top_ways)
        if leaf.uplinks % uplinks or cages > box.cages:
            continue
        each = largest_divisor(above, min(room, max(above // 2, 1)))
        if above // each <= _MOST:
            yield uplinks, above // each, each


def _shape(
    wish: Wish, nics: Nics, leaf: _Leaf, kind: Kind, units: int, max_pods: int
) -> ComputeShape:
    """A shape without its spines: nodes are spread evenly over as few pods as hold them."""
    pods = ceil_div(wish.nodes, leaf.nodes * units)
    per_pod = ceil_div(wish.nodes, pods)
    return ComputeShape(
        kind=kind,
        slots=nics.slots,
        planes=nics.planes,
        nodes_per_unit=leaf.nodes,
        max_units=units,
        pods=pods,
        nodes_per_pod=per_pod,
        absent=pods * per_pod - wish.nodes,
        max_pods=max(max_pods, pods),
        spines=0,
        uplinks=0,
        superspines=0,
        top_uplinks=1,
        ways=(leaf.node_ways, leaf.link_ways, 1),
    )


def _too_many(wish: Wish, node: NodeProfile, box: Box, most_per_pod: int) -> CannotBuildError:
    """Say how many nodes there may be, found by halving."""
    fits, over = 0, wish.max_nodes
    while over - fits > 1:
        middle = (fits + over) // 2
        smaller = replace(wish, nodes=middle, growth=1.0)
        if next(_shapes(smaller, node, box, most_per_pod), None):
            fits = middle
        else:
            over = middle
    found = f"{wish.max_nodes:,} nodes after growth"
    kind = wish.kind or "two or three tiers"
    expected = f"at most {fits:,} ({kind} of {box.name}, without oversubscription)"
    hint = "a smaller --growth, another --kind, or a switch with more ports"
    if most_per_pod < _MOST:
        hint += f"; leaves of the other planes take {most_per_pod} nodes of a pod at most"
    return CannotBuildError("--nodes", found, expected, hint)
