"""What somebody asks of a new site, and how it is said that it cannot be built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inventory.load.refused import why_refused

from ..problems import ExpectedError, close_to
from ..schema import AsicProfile, NodeProfile, SwitchProfile
from ..schema.topology import Kind

StorageWish = Literal["none", "roce", "tcp"]
BusinessWish = Literal["none", "own", "storage"]


class CannotBuildError(ExpectedError):
    """A wish that no site can fulfil: which flag, what was found, what was expected, a hint."""

    def __init__(self, flag: str, found: str, expected: str, hint: str = "") -> None:
        super().__init__(f"{flag}: found {found}, expected {expected}", hint)
        self.flag, self.found, self.expected = flag, found, expected


@dataclass(frozen=True, slots=True)
class Wish:
    """A new site in a few words.

    `nodes` are built at first; `growth` is how many times as many the maxima leave room for.
    `kind` is None where the number of nodes decides, `oob_switches` where the power of a node
    does: without it there are no racks, and the OOB server has a port for each device.
    """

    name: str
    nodes: int
    node_profile: str
    switch_profile: str
    kind: Kind | None = None
    storage: StorageWish = "none"
    business: BusinessWish = "none"
    oob_switches: bool | None = None
    growth: float = 2.0

    @property
    def max_nodes(self) -> int:
        """Nodes that the maxima leave room for, at least."""
        return max(self.nodes, round(self.nodes * self.growth))


@dataclass(frozen=True)
class Shelf:
    """The profiles to choose from, by name."""

    nodes: dict[str, NodeProfile]
    switches: dict[str, SwitchProfile]
    asics: dict[str, AsicProfile]

    def node(self, name: str) -> NodeProfile:
        """The node profile of this name; CannotBuildError where no fabric can be made of it."""
        node = self.nodes.get(name)
        if node is not None and node.rails:
            return node
        known = sorted(one for one, profile in self.nodes.items() if profile.rails)
        found = f"`{name}`" + ("" if node is None else ", which has no rail NICs")
        hint = why_refused(name) or close_to(name, known)
        raise CannotBuildError("--node-profile", found, f"one of {', '.join(known)}", hint)

    def switch(self, name: str) -> SwitchProfile:
        """The switch profile of this name; CannotBuildError where there is none."""
        if name in self.switches:
            return self.switches[name]
        known = sorted(self.switches)
        hint = close_to(name, known)
        raise CannotBuildError("--switch-profile", f"`{name}`", f"one of {', '.join(known)}", hint)

    def of_dialect(self, dialect: str) -> str:
        """The largest switch of a dialect; CannotBuildError where there is none."""
        # Of two of one size the one that can be split in more ways.
        sizes = {
            name: (one.ports.count * one.ports.rate_gbps, len(one.ports.breakout))
            for name, one in sorted(self.switches.items())
            if one.dialect == dialect
        }
        if sizes:
            return max(sizes, key=lambda name: sizes[name])
        known = sorted({profile.dialect for profile in self.switches.values()})
        hint = close_to(dialect, known)
        raise CannotBuildError("--dialect", f"`{dialect}`", f"one of {', '.join(known)}", hint)


def gpus_of(node: NodeProfile) -> int:
    """GPUs of a node; where its profile lists none, as the lab's, its rails stand for them."""
    return len(node.gpus) or len(
        {port.rail if port.rail is not None else port.port for port in node.rails}
    )


def nodes_for(gpus: int, node: NodeProfile) -> int:
    """Nodes that have so many GPUs in all; CannotBuildError where the last one is not whole."""
    each = gpus_of(node)
    nodes, rest = divmod(gpus, each)
    if rest:
        expected = f"whole nodes, of {each} each"
        raise CannotBuildError("--gpus", str(gpus), expected, f"{(nodes + 1) * each} would do")
    return nodes


def usual_planes(node: NodeProfile) -> tuple[StorageWish, BusinessWish]:
    """The planes that a node has NICs for."""
    return "roce" if node.storage else "none", "own" if node.business else "none"
