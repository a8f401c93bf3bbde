"""All boxes and hosts of an audit and the cables between them: what rules about paths look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from inventory.exports.view import natural
from switch_configs.readback.facts import LOOPBACK, PortFacts, QosFacts

from .box import Box
from .hosts.facts import NicFacts
from .hosts.host import Host
from .hosts.join import NicLink, nic_links
from .links import Cable, End, Link, links

# So many times neighbours are asked what they are: leaf, spine, superspine, border.
_TIERS = 4


@dataclass(frozen=True)
class Network:
    """Boxes and hosts by name, links between them, and cables as other sources list them."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    hosts: tuple[Host, ...] = ()
    nic_links: tuple[NicLink, ...] = ()
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

    @cached_property
    def loose_nics(self) -> tuple[tuple[Host, NicFacts], ...]:
        """The NICs with RoCE whose cable nothing says."""
        linked = {(link.host.name, link.nic.name) for link in self.nic_links}
        return tuple(
            (host, nic)
            for host in self.hosts
            for nic in host.facts.roce_nics
            if (host.name, nic.name) not in linked
        )

    @cached_property
    def near(self) -> Mapping[str, Collection[str]]:
        """The boxes at the other ends of each box's links, by names."""
        found: dict[str, set[str]] = defaultdict(set)
        for link in self.links:
            found[link.a.box.name].add(link.b.box.name)
            found[link.b.box.name].add(link.a.box.name)
        return found

    def pair_of(self, box: Box) -> frozenset[str]:
        """A leaf of a pair, and the other one: by the cables between them, or by management."""
        pair = box.facts.pair
        if pair is None:
            return frozenset({box.name})
        far = {end.box.name for at in pair.ports if (end := self.far_end.get((box.name, at)))}
        if not far and pair.peer_management:
            far = {
                one.name
                for one in self.boxes
                if (one.facts.services.management_address or "").partition("/")[0]
                == pair.peer_management
            }
        return frozenset({box.name, *far})

    def leads_to_switch(self, box: Box, name: str) -> bool | None:
        """Whether a port, or a port of an EOS bond, leads to a switch; None where no text says."""
        ports = [one for one in box.facts.ports if name in (one.name, f"Port-Channel{one.bond}")]
        hosts = {(one.box.name, one.port.name) for one in self.nic_links}
        ends = [self.far_end.get((box.name, one.name)) for one in ports
                if (box.name, one.name) not in hosts]  # fmt: skip
        if any(end and (end.port.vlans or end.port.bond is not None) for end in ends):
            return True
        return None if not ports or None in ends else False

    @cached_property
    def tiers(self) -> tuple[tuple[Box, ...], ...]:
        """Switches of one system that stand alike among the others, as leaves of one plane do.

        Alike is whether they have hosts, whether they route, and what their neighbours are in turn.
        """
        found: list[tuple[Box, ...]] = []
        for joined in self.joined:
            role: dict[str, Hashable] = {
                box.name: (box.system, box.name in self.edge, bool(box.facts.sessions))
                for box in joined
            }
            for _ in range(_TIERS):
                known = {one: at for at, one in enumerate(dict.fromkeys(role.values()))}
                seen = {name: known[one] for name, one in role.items()}
                role = {
                    box.name: (
                        seen[box.name],
                        frozenset(seen[name] for name in self.near.get(box.name, ())),
                    )
                    for box in joined
                }
            groups: dict[Hashable, list[Box]] = defaultdict(list)
            for box in joined:
                groups[role[box.name]].append(box)
            found += map(tuple, groups.values())
        return tuple(found)

    @cached_property
    def joined(self) -> tuple[tuple[Box, ...], ...]:
        """Boxes that links join, directly or over others; each group sorted, by its first."""
        found, seen = [], set[str]()
        for box in self.boxes:
            group, wave = set[str](), {box.name} - seen
            while wave:
                group |= wave
                wave = {far for name in wave for far in self.near.get(name, ())} - group
            seen |= group
            if group:
                found.append(tuple(self.box[name] for name in sorted(group)))
        return tuple(found)

    def of(self, names: Collection[str]) -> Network:
        """The same with only these boxes, and the links between them."""
        return Network(
            tuple(box for box in self.boxes if box.name in names),
            tuple(one for one in self.links if all(end.box.name in names for end in one.ends)),
            self.hosts,
            tuple(one for one in self.nic_links if one.box.name in names),
            self.cables,
        )

    @cached_property
    def unseen_ends(self) -> Mapping[str, tuple[str, ...]]:
        """By box, the ports that lead somewhere, and no text says what is there.

        A port leads somewhere where it, or a subinterface of it, has an address, a description, a
        bond, VLANs or a session.
        """
        seen = {(box, _below(name)) for box, name in self.far_end}
        seen |= {(one.box.name, _below(one.port.name)) for one in self.nic_links}
        found = {}
        for box in self.boxes:
            keys = {one.key for one in box.facts.sessions}
            leads = {_below(one.name) for one in box.facts.ports if _leads_somewhere(one, keys)}
            if names := {name for name in leads if (box.name, name) not in seen}:
                found[box.name] = tuple(sorted(names, key=natural))
        return found

    @cached_property
    def edge(self) -> frozenset[str]:
        """The boxes with something beside them that is no box of these: a server, or nobody's."""
        return frozenset(self.unseen_ends) | {one.box.name for one in self.nic_links}

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

    @cached_property
    def one_qos(self) -> QosFacts | None:
        """What every switch port that pauses does with DSCPs; None where they are not alike.

        What a NIC whose cable is not known must fit to.
        """
        found = {
            (_lossless(port.qos), port.qos.pfc_priorities): port.qos
            for box in self.boxes
            for port in box.facts.ports
            if port.qos and port.qos.pfc_priorities
        }
        return next(iter(found.values())) if len(found) == 1 else None


def _below(port: str) -> str:
    """The port that a subinterface is of; a port is its own."""
    return port.partition(".")[0]


def _leads_somewhere(port: PortFacts, keys: Collection[str]) -> bool:
    held = port.addresses or port.description or port.vlans or port.bond is not None
    return port.name != LOOPBACK and (bool(held) or port.name in keys)


def _lossless(qos: QosFacts) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple(
        (one.dscps, one.pfc_priority) for one in qos.classes if one.pfc_priority is not None
    )


def network(
    boxes: Iterable[Box], hosts: Iterable[Host] = (), cables: Iterable[Cable] = ()
) -> Network:
    """The boxes, the hosts and what is between them."""
    ordered = tuple(sorted(boxes, key=lambda box: box.name))
    servers, known = tuple(sorted(hosts, key=lambda host: host.name)), tuple(cables)
    between = links(ordered, known)
    return Network(ordered, between, servers, nic_links(servers, ordered), known)
