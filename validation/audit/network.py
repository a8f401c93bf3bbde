"""All boxes of an audit and the cables between them: what rules about paths look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from .box import Box
from .links import Cable, End, Link, links


@dataclass(frozen=True)
class Network:
    """Boxes by name, sorted, links between them, sorted, and cables as other sources list them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    cables: tuple[Cable, ...] = ()

    @cached_property
    def box(self) -> Mapping[str, Box]:
        """Each box by its name."""
        return {one.name: one for one in self.boxes}

    @cached_property
    def far_end(self) -> Mapping[tuple[str, str], End]:
        """The other end of the cable in a port, by the names of the box and the port."""
        found = {}
        for link in self.links:
            found[link.a.box.name, link.a.port.name] = link.b
            found[link.b.box.name, link.b.port.name] = link.a
        return found

    @cached_property
    def links_of(self) -> Mapping[str, tuple[Link, ...]]:
        """The links of each box that has any, by its name."""
        found: dict[str, list[Link]] = defaultdict(list)
        for link in self.links:
            for name in {link.a.box.name, link.b.box.name}:
                found[name].append(link)
        return {name: tuple(of_it) for name, of_it in found.items()}


def network(boxes: Iterable[Box], cables: Iterable[Cable] = ()) -> Network:
    """The boxes and what is between them."""
    ordered, known = tuple(sorted(boxes, key=lambda box: box.name)), tuple(cables)
    return Network(ordered, links(ordered, known), known)
