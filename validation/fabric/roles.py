"""What boxes are to each other, as far as configurations show it: edges, tiers, who needs whom.

An edge announces prefixes of users: none of a loopback, none of a link. Other boxes are as many
tiers above it as there are cables to the nearest edge. A box with neighbours that were not read has
no tier unless it is an edge: what is below it is not known.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from switch_configs.readback.facts import LOOPBACK
from validation.audit.box import Box

from .fabric import Fabric
from .prefixes import Bits
from .sessions import interfaces

_LINK_BITS = 30


@dataclass(frozen=True)
class Roles:
    """By table: `wants`, prefixes of users that others announce in the same connected part."""

    made: Fabric

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """The connected part of each table, by the number of its first table."""
        part = [*range(len(self.made.tables))]

        def top(at: int) -> int:
            while part[at] != at:
                part[at] = part[part[at]]
                at = part[at]
            return at

        for edge in self.made.edges:
            low, high = sorted((top(edge.source), top(edge.target)))
            part[high] = low
        return tuple(map(top, range(len(part))))

    @cached_property
    def edges(self) -> frozenset[str]:
        """Boxes at the edge; of two neighbours that look so, the one with fewer such neighbours."""
        looks = {
            table.box.name
            for table, users in zip(self.made.tables, self._of_users, strict=True)
            if users or table.box.facts.vlans
        }
        beside = {name: self.neighbours[name] & looks for name in looks}
        return frozenset(
            name
            for name in looks
            if all(len(beside[other]) >= len(beside[name]) for other in beside[name])
        )

    @cached_property
    def neighbours(self) -> Mapping[str, frozenset[str]]:
        """Boxes with a session to each box; those of its own AS and its pair left out."""
        found: dict[str, set[str]] = defaultdict(set)
        tables = self.made.tables
        for edge in self.made.edges:
            near, far = tables[edge.target].box, tables[edge.source].box
            if not edge.internal and not _is_pair(near, far):
                found[near.name].add(far.name)
        return defaultdict(frozenset, {name: frozenset(some) for name, some in found.items()})

    @cached_property
    def tier(self) -> Mapping[str, int]:
        """Cables to the nearest edge, of each box of which that is known."""
        hidden = self.made.open_boxes() - self.edges
        found = dict.fromkeys(sorted(self.edges), 0)
        queue = deque(found)
        while queue:
            name = queue.popleft()
            for other in sorted(self.neighbours[name]):
                if other not in found:
                    found[other] = found[name] + 1
                    queue.append(other)
        return {name: tier for name, tier in found.items() if name not in hidden}

    @cached_property
    def wants(self) -> tuple[Bits, ...]:
        """What each table at the edge must reach; 0 for the others."""
        tables = self.made.tables
        of_part: dict[int, Bits] = defaultdict(int)
        spare: dict[int, Bits] = defaultdict(int)
        for at, table in enumerate(tables):
            if table.box.name in self.edges:
                of_part[self.parts[at]] |= self._of_users[at]
                spare[self.parts[at]] |= table.origin
        return tuple(
            (of_part[self.parts[at]] or spare[self.parts[at]]) & ~table.origin
            if table.box.name in self.edges
            else 0
            for at, table in enumerate(tables)
        )

    @cached_property
    def known(self) -> tuple[Bits, ...]:
        """All prefixes of each table's connected part."""
        of_part: dict[int, Bits] = defaultdict(int)
        for at, table in enumerate(self.made.tables):
            of_part[self.parts[at]] |= table.origin
        return tuple(of_part[part] for part in self.parts)

    @cached_property
    def _of_users(self) -> tuple[Bits, ...]:
        return tuple(table.origin & ~self._own(table.box, table.vrf) for table in self.made.tables)

    def _own(self, box: Box, vrf: str) -> Bits:
        """Prefixes that are a box's loopbacks or links."""
        return self.made.prefixes.bits(
            one.network
            for table, port, one in interfaces(box.facts)
            if table == vrf and (port == LOOPBACK or one.network.prefixlen >= _LINK_BITS)
        )


def _is_pair(a: Box, b: Box) -> bool:
    return a.facts.pair is not None and b.facts.pair is not None
