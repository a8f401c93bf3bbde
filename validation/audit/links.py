"""Which ports are at the two ends of one cable, as far as configurations alone say it.

Two addresses of one /30 or /31 are one link (RFC 3021). Where ports have none, a description that
names the other box and its port counts; both ends that name each other are surer than one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from switch_configs.readback.facts import PortFacts, SessionFacts

from .box import Box

_LINK_BITS = (30, 31)
_Addressed = tuple[IPv4Address, Box, PortFacts]


@dataclass(frozen=True, slots=True)
class End:
    """A port of a box, and the session over it, where one is known."""

    box: Box
    port: PortFacts
    session: SessionFacts | None

    def __str__(self) -> str:
        return f"{self.box.name}:{self.port.name}"


@dataclass(frozen=True, slots=True)
class Link:
    """Two ends, and what says that they belong together."""

    a: End
    b: End
    by: str

    @property
    def ends(self) -> tuple[End, End]:
        """Both, the first by name first."""
        return self.a, self.b


@dataclass(frozen=True, slots=True, order=True)
class Cable:
    """A cable as another source lists it: both ends by device and port, and the source."""

    a: tuple[str, str]
    b: tuple[str, str]
    by: str

    def __str__(self) -> str:
        return f"{':'.join(self.a)} -- {':'.join(self.b)}"


def links(boxes: Iterable[Box], cables: Iterable[Cable] = ()) -> tuple[Link, ...]:
    """Every link that configurations show, sorted; each port is in one at most.

    `cables` are what another source says of ports that configurations leave open.
    """
    every = sorted(boxes, key=lambda box: box.name)
    taken: set[str] = set()
    found: dict[tuple[str, str], Link] = {}
    for link in (*_by_address(every), *_by_description(every), *_by_cable(every, cables)):
        ends = {str(link.a), str(link.b)}
        if not ends & taken:
            taken |= ends
            found[str(link.a), str(link.b)] = link
    for link in (*_subinterfaces(tuple(found.values())),):
        if not {str(link.a), str(link.b)} & taken:
            found[str(link.a), str(link.b)] = link
    return tuple(found[key] for key in sorted(found))


def _subinterfaces(cables: Iterable[Link]) -> Iterator[Link]:
    """Subinterfaces (`swp1.300`) of both ends of a cable that have one tag."""
    for cable in cables:
        tags = [_tags(end) for end in cable.ends]
        for tag in tags[0].keys() & tags[1].keys():
            (box_a, a), (box_b, b) = (
                (end.box, mine[tag]) for end, mine in zip(cable.ends, tags, strict=True)
            )
            one, other = _session(box_a, a.name), _session(box_b, b.name)
            yield _sorted(End(box_a, a, one), End(box_b, b, other), f"tag {tag} of {cable.a}")


def _tags(end: End) -> dict[str, PortFacts]:
    """The subinterfaces of a port by tag."""
    return end.box.subinterfaces.get(end.port.name, {})


def _by_address(boxes: list[Box]) -> Iterator[Link]:
    """Two ends of one network: in one table, or else the only two that have it in any."""
    nets: dict[tuple[str, IPv4Network], list[_Addressed]] = defaultdict(list)
    alone: dict[IPv4Network, list[_Addressed]] = defaultdict(list)
    for box in boxes:
        for port in box.facts.ports:
            for text in port.addresses:
                address = _interface(text)
                if address and address.network.prefixlen in _LINK_BITS:
                    nets[port.vrf, address.network].append((address.ip, box, port))
    for (_, net), ends in nets.items():
        if len(ends) == 1:
            alone[net] += ends
    whole = [(net, ends) for (_, net), ends in nets.items() if len(ends) > 1]
    for net, ends in sorted((*whole, *alone.items()), key=lambda item: str(item[0])):
        if len(ends) == 2 and ends[0][1] is not ends[1][1] and ends[0][0] != ends[1][0]:
            (ip_a, box_a, port_a), (ip_b, box_b, port_b) = ends
            a = End(box_a, port_a, _session(box_a, str(ip_b)))
            b = End(box_b, port_b, _session(box_b, str(ip_a)))
            yield _sorted(a, b, f"addresses of {net}")


def _by_description(boxes: list[Box]) -> Iterator[Link]:
    ports = {(box.name, port.name): (box, port) for box in boxes for port in box.facts.ports}
    names = {box.name for box in boxes}
    for (name, port_name), (box, port) in ports.items():
        words = _words(port.description)
        for other in sorted(names.intersection(words) - {name}):
            far = [word for word in words if (other, word) in ports]
            if len(far) == 1:
                far_box, far_port = ports[other, far[0]]
                a = End(box, port, _session(box, port_name))
                b = End(far_box, far_port, _session(far_box, far_port.name))
                yield _sorted(a, b, "descriptions")


def _words(description: str) -> list[str]:
    """Its words, and their parts between underscores: `P2P_leaf1_Ethernet1` names a port too."""
    whole = re.split(r"[\s,;()]+", description.replace(":", " "))
    apart = (part for word in whole if "_" in word for part in word.split("_"))
    return list(dict.fromkeys((*whole, *apart)))


def _by_cable(boxes: list[Box], cables: Iterable[Cable]) -> Iterator[Link]:
    ports = {(box.name, port.name): (box, port) for box in boxes for port in box.facts.ports}
    for cable in sorted(cables):
        if cable.a in ports and cable.b in ports:
            a, b = (
                End(box, port, _session(box, port.name))
                for box, port in (ports[cable.a], ports[cable.b])
            )
            yield _sorted(a, b, cable.by)


def _session(box: Box, key: str) -> SessionFacts | None:
    return next((session for session in box.facts.sessions if session.key == key), None)


def _sorted(a: End, b: End, by: str) -> Link:
    return Link(a, b, by) if str(a) <= str(b) else Link(b, a, by)


def _interface(text: str) -> IPv4Interface | None:
    try:
        return IPv4Interface(text)
    except ValueError:
        return None
