"""Ways that cables leave: up and then down, whatever BGP makes of them (RFC 7938, 3.2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

from .fabric import Fabric
from .roles import Roles


class Ways:
    """The cables of a network, and which boxes they join."""

    def __init__(self, made: Fabric, roles: Roles) -> None:
        self.made, self.tier = made, roles.tier

    @cached_property
    def _beside(self) -> Mapping[str, tuple[tuple[str, str, str], ...]]:
        """(other box, own end, far end) of each cable of a box."""
        found: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for link in self.made.network.links:
            a, b = link.a.box.name, link.b.box.name
            found[a].append((b, str(link.a), str(link.b)))
            found[b].append((a, str(link.b), str(link.a)))
        return {name: tuple(some) for name, some in found.items()}

    def exists(self, start: str, ends: Iterable[str], failed: Iterable[str] = ()) -> bool:
        """Whether cables that have not failed lead up from a box, and down to one of the others."""
        gone, wanted = frozenset(failed), frozenset(ends)
        seen = {(start, True)}
        queue = [(start, True)]
        while queue:
            name, rises = queue.pop()
            if name in wanted:
                return True
            for other, near, far in self._beside.get(name, ()):
                if not gone.isdisjoint((other, near, far)):
                    continue
                own, next_tier = self.tier.get(name), self.tier.get(other)
                if own is None or next_tier is None or own == next_tier:
                    continue
                step = (other, next_tier > own)
                if (rises or not step[1]) and step not in seen:
                    seen.add(step)
                    queue.append(step)
        return False
