"""All boxes and hosts of an audit and the cables between them: what rules about paths look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from switch_configs.readback.facts import QosFacts

from .box import Box
from .hosts.facts import NicFacts
from .hosts.host import Host
from .hosts.join import NicLink, nic_links
from .links import End, Link, links


@dataclass(frozen=True)
class Network:
    """Boxes and hosts by name, sorted, and links between them, sorted."""

    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    hosts: tuple[Host, ...] = ()
    nic_links: tuple[NicLink, ...] = ()

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


def _lossless(qos: QosFacts) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple(
        (one.dscps, one.pfc_priority) for one in qos.classes if one.pfc_priority is not None
    )


def network(boxes: Iterable[Box], hosts: Iterable[Host] = ()) -> Network:
    """The boxes, the hosts and what is between them."""
    ordered = tuple(sorted(boxes, key=lambda box: box.name))
    servers = tuple(sorted(hosts, key=lambda host: host.name))
    return Network(ordered, links(ordered), servers, nic_links(servers, ordered))
