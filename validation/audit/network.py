"""All boxes of an audit and the cables between them: what rules about paths look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from switch_configs.readback.facts import LOOPBACK

from .box import Box
from .links import End, Link, is_of_link, links


@dataclass(frozen=True)
class Network:
    """Boxes by name, sorted, and links between them, sorted."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]

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

    @cached_property
    def joined(self) -> tuple[tuple[Box, ...], ...]:
        """Boxes that links join, directly or over others; each group sorted, by its first."""
        near: dict[str, set[str]] = defaultdict(set)
        for link in self.links:
            near[link.a.box.name].add(link.b.box.name)
            near[link.b.box.name].add(link.a.box.name)
        found, seen = [], set[str]()
        for box in self.boxes:
            group, wave = set[str](), {box.name} - seen
            while wave:
                group |= wave
                wave = {far for name in wave for far in near[name]} - group
            seen |= group
            if group:
                found.append(tuple(self.box[name] for name in sorted(group)))
        return tuple(found)

    def of(self, names: Collection[str]) -> Network:
        """The same with only these boxes, and the links between them."""
        return Network(
            tuple(box for box in self.boxes if box.name in names),
            tuple(one for one in self.links if all(end.box.name in names for end in one.ends)),
        )

    @cached_property
    def unseen_ends(self) -> Mapping[str, tuple[str, ...]]:
        """By box, the ports that lead somewhere and whose other end is in none of the boxes.

        A port leads somewhere where it has a description, a session, or an address of a link.
        """
        found = {}
        for box in self.boxes:
            keys = {one.key for one in box.facts.sessions}
            leads = (
                port.name
                for port in box.facts.ports
                if (box.name, port.name) not in self.far_end and port.name != LOOPBACK
                if port.description or port.name in keys or any(map(is_of_link, port.addresses))
            )
            if names := tuple(leads):
                found[box.name] = names
        return found

    @cached_property
    def unseen_sessions(self) -> Mapping[str, tuple[str, ...]]:
        """By box, the sessions to addresses that no box has, or over ports of unseen ends."""
        addresses = {
            text.partition("/")[0]
            for box in self.boxes
            for port in box.facts.ports
            for text in port.addresses
        }
        found = {}
        for box in self.boxes:
            lost = (
                one.key
                for one in box.facts.sessions
                if one.key not in addresses and (box.name, one.key) not in self.far_end
            )
            if keys := tuple(lost):
                found[box.name] = keys
        return found


def network(boxes: Iterable[Box]) -> Network:
    """The boxes and what is between them."""
    ordered = tuple(sorted(boxes, key=lambda box: box.name))
    return Network(ordered, links(ordered))
