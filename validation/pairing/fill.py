"""How full pairs are expected to make uplinks, at every tier, if ECMP spreads evenly. Pure.

Each leaf spreads over its uplinks by their rates, each spine over its own. What two leaves
send each other turns round at a switch above both, the lowest there is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from inventory.plan import Plan

from .ground import ground


class Fill:
    """Gb/s that are expected to leave each switch upwards; pairs load both ways alike."""

    def __init__(self, plan: Plan) -> None:
        self._up, self._wanted = ground(plan).up, dict[str, float]()
        self._names: dict[tuple[str, str], frozenset[str]] = {}
        self._parts: dict[tuple[str, str], tuple[tuple[str, float], ...]] = {}

    def add(self, a: str, b: str, gbps: float) -> None:
        """A pair between two leaves."""
        for switch, part in self._both(a, b):
            self._wanted[switch] = self._wanted.get(switch, 0.0) + part * gbps

    def fits(self, a: str, b: str, gbps: float, most: float) -> bool:
        """Whether one more pair leaves every tier at `most` (a share) or below."""
        return all(
            self._wanted.get(switch, 0.0) + part * gbps <= self._up[switch].gbps * most + 1e-6
            for switch, part in self._both(a, b)
        )

    def has_room(self, leaf: str, gbps: float, most: float) -> bool:
        """Whether a leaf's own uplinks stay at `most` (a share) or below with so much more."""
        return self._wanted.get(leaf, 0.0) + gbps <= self._up[leaf].gbps * most + 1e-6

    def climbed(self, a: str, b: str) -> frozenset[str]:
        """The switches whose uplinks traffic between two leaves may use."""
        if (a, b) not in self._names:
            self._names[a, b] = frozenset(name for name, _ in self._both(a, b))
        return self._names[a, b]

    @property
    def shares(self) -> dict[str, float]:
        """Switch -> how much of its uplinks is expected to be in use, each way."""
        return {one: gbps / self._up[one].gbps for one, gbps in sorted(self._wanted.items())}

    def _both(self, a: str, b: str) -> tuple[tuple[str, float], ...]:
        if (a, b) not in self._parts:
            self._parts[a, b] = (*self._climb(a, b), *self._climb(b, a))
        return self._parts[a, b]

    def _climb(self, here: str, there: str) -> Iterable[tuple[str, float]]:
        """The switches that pass traffic on upwards, with the part that each gets of it."""
        level = {here: 1.0}
        while level and not self._meets(level, there):
            yield from level.items()
            following: dict[str, float] = {}
            for name, part in level.items():
                for peer, share in self._up[name].shares if name in self._up else ():
                    following[peer] = following.get(peer, 0.0) + part * share
            level = following

    def _meets(self, level: Iterable[str], leaf: str) -> bool:
        return any(one in self._above[leaf] for one in level)

    @cached_property
    def _above(self) -> dict[str, frozenset[str]]:
        """Leaf -> itself and every switch above it."""
        found: dict[str, frozenset[str]] = {}

        def above(name: str) -> frozenset[str]:
            if name not in found:
                peers = self._up[name].shares if name in self._up else ()
                found[name] = frozenset({name}.union(*(above(peer) for peer, _ in peers)))
            return found[name]

        for name in self._up:
            above(name)
        return found
