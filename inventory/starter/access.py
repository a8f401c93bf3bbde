"""The storage and business fabrics of a new site: two tiers, a pair of leaves for each block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inventory.switches.abilities import cannot
from inventory.topology.fabric_build import PEER_LINKS
from inventory.topology.fabrics import DEFAULT_VRF

from ..schema import NodeProfile
from .box import LEAF_SPINE_M, Box, ceil_div, largest_divisor
from .wish import CannotBuildError

HOMES = 2
# What is aimed at, and the most that is accepted where ports are few.
AIM, MOST = 2.0, 4.0
_MOST_COUNT = 1024


@dataclass(frozen=True, slots=True)
class Load:
    """What one place on a leaf takes: ports, their fastest rate, Gb/s in all; peer links.

    `nics` is the most NICs of a node in one plane; `homes` are the leaves that they end on.
    """

    homes: int
    nics: int
    ports: int
    rate_gbps: float
    gbps: float
    peer_links: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """What hangs on the leaves: pods and their nodes, groups of servers and theirs, at most."""

    max_pods: int
    max_nodes_per_pod: int
    groups: int
    servers_per_group: int


@dataclass(frozen=True, slots=True)
class AccessShape:
    """Counts of one fabric; `ratio` is its oversubscription when it is full."""

    homes: int
    pods_per_block: int
    places: int
    max_blocks: int
    spines: int
    uplinks: int
    ways: tuple[int, int]
    ratio: float

    @property
    def max_leaves(self) -> int:
        """All leaves that can exist."""
        return self.max_blocks * self.homes

    @property
    def max_links(self) -> int:
        """All links between leaves and spines that can exist."""
        return self.max_leaves * self.spines * self.uplinks


def homes_of(planes: tuple[str, ...], dialect: str) -> int:
    """Leaves that a node's NICs end on: two, but for bonds of a dialect without MLAG."""
    return 1 if "business" in planes and cannot("bonds over two leaves", dialect) else HOMES


def table_of_users(dialect: str) -> str:
    """Their routing table: one of their own, but where a dialect cannot have it on its links."""
    return DEFAULT_VRF if cannot("routing tables", dialect) else "users"


def load(profiles: list[NodeProfile], planes: tuple[str, ...], dialect: str) -> Load:
    """The largest load of a place, of all profiles; bonds need links between the leaves."""
    homes = homes_of(planes, dialect)
    ports, gbps, rate = 0, 0.0, 0.0
    most = max(len(getattr(profile, plane)) for profile in profiles for plane in planes)
    for plane in planes:
        nics = [getattr(profile, plane) for profile in profiles]
        ports += ceil_div(max(most, HOMES), homes)
        rate = max([rate, *(nic.rate_gbps for one in nics for nic in one)])
        gbps += max(sum(nic.rate_gbps for nic in one[::homes]) for one in nics)
    peers = PEER_LINKS if homes > 1 and "business" in planes else 0
    return Load(homes, max(most, HOMES), ports, rate, gbps, peers)


def most_places(box: Box, asked: Load) -> int:
    """Places on a leaf, with uplinks for the most oversubscription that is accepted."""
    return max((one for ways in _splits(box) for one in _fitting(box, asked, ways)), default=0)


def _splits(box: Box) -> list[int]:
    return list(box.link_ways(LEAF_SPINE_M))


def _fitting(box: Box, asked: Load, ways: int) -> Iterator[int]:
    node_ways = box.node_ways(asked.rate_gbps)
    for places in range(box.cages * node_ways // asked.ports, 0, -1):
        if _uplinks(box, asked, places, ways, MOST) is not None:
            yield places
            return


def _uplinks(box: Box, asked: Load, places: int, ways: int, ratio: float) -> int | None:
    """Uplinks (an even number) of a full leaf for this ratio; None where its cages do not do."""
    uplinks = 2 * ceil_div(places * asked.gbps / ratio, 2 * box.rate(ways))
    nodes = ceil_div(places * asked.ports, box.node_ways(asked.rate_gbps))
    needed = nodes + ceil_div(uplinks, ways) + asked.peer_links
    return uplinks if needed <= box.cages else None


def access_shape(plane: str, box: Box, asked: Load, blocks: Blocks) -> AccessShape:
    """The smallest fabric with the least oversubscription; CannotBuildError where none fits."""
    for ratio in (AIM, MOST):
        found = next(_shapes(box, asked, blocks, ratio), None)
        if found is not None:
            return found
    found_words = f"{blocks.max_pods} pods of {blocks.max_nodes_per_pod} nodes in `{plane}`"
    expected = f"fewer: two tiers of {box.name}, at most {MOST:g} : 1 oversubscribed"
    hint = "a smaller --growth, --business own, a plane less, or a switch with more ports"
    raise CannotBuildError(f"--{plane}", found_words, expected, hint)


def _shapes(box: Box, asked: Load, blocks: Blocks, ratio: float) -> Iterator[AccessShape]:
    for ways in _splits(box):
        for pods in range(1, blocks.max_pods + 1):
            places = max(pods * blocks.max_nodes_per_pod, blocks.servers_per_group)
            uplinks = _uplinks(box, asked, places, ways, ratio)
            if uplinks is None:
                break
            count = ceil_div(blocks.max_pods, pods) + blocks.groups
            room = box.cages * ways // (count * asked.homes)
            each = largest_divisor(uplinks, min(room, max(uplinks // 2, 1)))
            if not room or uplinks // each > _MOST_COUNT:
                continue
            yield AccessShape(
                homes=asked.homes,
                pods_per_block=pods,
                places=places,
                max_blocks=count,
                spines=uplinks // each,
                uplinks=each,
                ways=(box.node_ways(asked.rate_gbps), ways),
                ratio=places * asked.gbps / (uplinks * box.rate(ways)),
            )
