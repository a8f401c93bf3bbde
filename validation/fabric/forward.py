"""What becomes of packets: delivered, dropped or in circles; and what each cable carries.

The longest prefix that a table has decides (RFC 1812, 5.2.4.3), so a lost route may fall back on a
wider one, and a discarded prefix swallows what it covers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .prefixes import Bits, numbers
from .roles import Roles
from .routes import Routes


@dataclass(frozen=True)
class Forwarding:
    """Routes as packets meet them. Sets by table and by edge are numbered as `Fabric` does."""

    routes: Routes
    roles: Roles

    @cached_property
    def sends(self) -> tuple[Bits, ...]:
        """By edge: prefixes whose packets its target sends over it."""
        made, routes = self.routes.fabric, self.routes
        sends = [*routes.hops]
        for at, table in enumerate(made.tables):
            swallowed = table.drops & ~table.origin
            if swallowed:
                for e in made.into[at]:
                    sends[e] &= ~swallowed
        if made.prefixes.cover:
            for at, missing, wider in self._fallbacks():
                for e in made.into[at]:
                    if sends[e] >> wider & 1:
                        sends[e] |= 1 << missing
        return tuple(sends)

    def _fallbacks(self) -> Iterator[tuple[int, int, int]]:
        """(table, prefix without a route, the wider one that is used instead)."""
        made, cover = self.routes.fabric, self.routes.fabric.prefixes.cover
        covered = sum(1 << at for at in cover)
        for at, table in enumerate(made.tables):
            held = self.routes.reached[at] | table.drops
            for missing in numbers(self.roles.known[at] & covered & ~held):
                wider = cover.get(missing)
                while wider is not None and not held >> wider & 1:
                    wider = cover.get(wider)
                if wider is not None:
                    yield at, missing, wider

    @cached_property
    def delivered(self) -> tuple[Bits, ...]:
        """By table: prefixes whose packets arrive whichever of the equal paths they take."""
        made, sends = self.routes.fabric, self.sends
        found = [
            0 if table.box.name in self.routes.failed else table.origin for table in made.tables
        ]
        moved = True
        while moved:
            moved = False
            for at, edges in enumerate(made.into):
                some, every = 0, -1
                for e in edges:
                    some |= sends[e]
                    every &= ~sends[e] | found[made.edges[e].source]
                more = found[at] | some & every
                if more != found[at]:
                    found[at], moved = more, True
        return tuple(found)

    @cached_property
    def looped(self) -> tuple[Bits, ...]:
        """By table: prefixes whose packets may come back to a table that they were at."""
        made, sends = self.routes.fabric, self.sends
        found = [~table.origin & made.prefixes.all for table in made.tables]
        moved = True
        while moved:
            moved = False
            for at, edges in enumerate(made.into):
                some = 0
                for e in edges:
                    some |= sends[e] & found[made.edges[e].source]
                less = found[at] & some
                if less != found[at]:
                    found[at], moved = less, True
        return tuple(found)

    @cached_property
    def present(self) -> tuple[Bits, ...]:
        """By table: users' prefixes of which packets get there, its own edge's among them."""
        made, sends = self.routes.fabric, self.sends
        found = [
            0 if table.box.name in self.routes.failed else self.roles.wants[at]
            for at, table in enumerate(made.tables)
        ]
        moved = True
        while moved:
            moved = False
            for e, edge in enumerate(made.edges):
                more = found[edge.target] & sends[e] & ~found[edge.source]
                if more:
                    found[edge.source] |= more
                    moved = True
        return tuple(found)

    @cached_property
    def carries(self) -> tuple[Bits, ...]:
        """By edge: users' prefixes of which packets are on its cable, towards its source."""
        return tuple(
            self.present[edge.target] & bits
            for edge, bits in zip(self.routes.fabric.edges, self.sends, strict=True)
        )

    @cached_property
    def valleys(self) -> tuple[tuple[int, Bits], ...]:
        """(table, prefixes): packets come down to it and are sent up again."""
        made, tier = self.routes.fabric, self.roles.tier
        names = [tier.get(table.box.name) for table in made.tables]
        down, up = [0] * len(names), [0] * len(names)
        for edge, bits in zip(made.edges, self.carries, strict=True):
            start, end = names[edge.target], names[edge.source]
            if bits and start is not None and end is not None:
                if start > end:
                    down[edge.source] |= bits
                elif start < end:
                    up[edge.target] |= bits
        return tuple((at, a & b) for at, (a, b) in enumerate(zip(down, up, strict=True)) if a & b)

    def lost(self) -> tuple[tuple[int, Bits], ...]:
        """(table at the edge, prefixes that it wants and does not surely reach)."""
        made, failed = self.routes.fabric, self.routes.failed
        found = []
        for at, wanted in enumerate(self.roles.wants):
            missing = wanted & ~self.delivered[at]
            if missing and made.tables[at].box.name not in failed:
                found.append((at, missing))
        return tuple(found)
