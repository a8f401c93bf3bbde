"""Which uplinks two leaves of a rail share the use of: up, a turn, and down. Pure.

Shortest valley-free paths over configured switches (RFC 7938); what one leaf climbs towards
another, the other's traffic comes down, so a climb is the cables of both directions.
"""

from __future__ import annotations

from collections.abc import Iterable

from inventory.plan import Plan, PortRef

Above = frozenset[str]
_NEVER = 99


class Reach:
    """Climbs over the switches of `configured`, each found once."""

    def __init__(self, plan: Plan, configured: frozenset[str]) -> None:
        self._ups = {
            switch.name: tuple(
                (port.name, port.peer.device)
                for port in switch.ports
                if port.direction == "up" and port.peer.device in configured
            )
            for switch in plan.switches
            if switch.name in configured
        }
        self._above: dict[str, Above] = {}
        self._heights: dict[tuple[str, Above], int] = {}

    def connected(self, a: str, b: str) -> bool:
        """Whether there is a way between two leaves."""
        both = a in self._ups and b in self._ups
        return both and self._height(a, self._over(b)) < _NEVER

    def climbed(self, leaves: Iterable[tuple[str, str]]) -> frozenset[PortRef]:
        """The uplinks, by their lower ends, that traffic between these leaves may use."""
        todo = [step for a, b in leaves for step in ((a, self._over(b)), (b, self._over(a)))]
        seen, found = set(todo), set[tuple[str, str]]()
        while todo:
            switch, over = todo.pop()
            for port, peer in self._best(switch, over):
                found.add((switch, port))
                if (peer, over) not in seen:
                    seen.add((peer, over))
                    todo.append((peer, over))
        return frozenset(PortRef(*one) for one in found)

    def _over(self, leaf: str) -> Above:
        """The switches from which the leaf lies straight below."""
        if leaf not in self._above:
            peers = {peer for _, peer in self._ups.get(leaf, ())}
            self._above[leaf] = frozenset(peers.union(*(self._over(peer) for peer in peers)))
        return self._above[leaf]

    def _height(self, switch: str, over: Above) -> int:
        """How many hops up until it goes down."""
        if switch in over:
            return 0
        key = switch, over
        if key not in self._heights:
            peers = {peer for _, peer in self._ups.get(switch, ())}
            nearest = min((self._height(peer, over) for peer in peers), default=_NEVER)
            self._heights[key] = min(_NEVER, nearest + 1)
        return self._heights[key]

    def _best(self, switch: str, over: Above) -> list[tuple[str, str]]:
        """The ports that are on a shortest way up."""
        least = self._height(switch, over) - 1
        if not 0 <= least < _NEVER - 1:
            return []
        return [one for one in self._ups[switch] if self._height(one[1], over) == least]
