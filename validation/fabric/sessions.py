"""Which BGP sessions come up between boxes that were read: both ends must agree (RFC 4271, 6.2).

A session is known by the port or the address that it is configured on. Where the box at its other
end was not read, nothing is said of it: neither that it comes up nor that it does not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, NetmaskValueError

from switch_configs.readback.facts import LOOPBACK, PortFacts, SessionFacts, SwitchFacts
from validation.audit.box import Box
from validation.audit.network import Network

# A box that shows another AS to one neighbour: which AS the neighbour sees is not a fact.
_ANOTHER_AS = re.compile(r"\blocal-as\b|\blocal_asn?\b")


@dataclass(frozen=True, slots=True)
class Side:
    """One end of a session: what is configured there, on which port, by which addresses."""

    box: Box
    session: SessionFacts
    port: str
    addresses: tuple[IPv4Interface, ...]

    @property
    def cable(self) -> str:
        """The port that the cable is in, as `box:port`: a subinterface is on its port's cable."""
        return f"{self.box.name}:{cable_port(self.port)}"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two ends of one session that comes up."""

    a: Side
    b: Side

    @property
    def carries_ipv4(self) -> bool:
        """Whether both ends activated IPv4: else it is not negotiated (RFC 4760, 8)."""
        return self.a.session.carries_ipv4 and self.b.session.carries_ipv4


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A session that cannot come up although the box at its other end is here, and why not."""

    box: Box
    session: SessionFacts
    far: str
    why: str


@dataclass(frozen=True, slots=True)
class Sessions:
    """All sessions by how they end. `open_ended` are those whose other end was not read.

    `remote` lead to addresses that are on no cable of the box: overlays over loopbacks, which
    carry no packet of the fabric by themselves.
    """

    up: tuple[Pairing, ...]
    unmatched: tuple[Unmatched, ...]
    open_ended: tuple[tuple[str, SessionFacts], ...]
    remote: tuple[tuple[str, SessionFacts], ...]


def sessions(network: Network) -> Sessions:
    """Each session of each box: up, unmatched, open-ended or remote; by box, table and key."""
    places = _Places(network)
    up: dict[tuple[tuple[str, str, str], ...], Pairing] = {}
    unmatched: list[Unmatched] = []
    ends: list[tuple[str, SessionFacts]] = []
    remote: list[tuple[str, SessionFacts]] = []
    for box in network.boxes:
        for session in box.facts.sessions:
            side = places.side(box, session)
            found = places.other(side) if side else None
            if side is None and _ip(session.key) is not None:
                remote.append((box.name, session))
            elif side is None or found is None:
                ends.append((box.name, session))
            elif isinstance(found, Unmatched):
                unmatched.append(found)
            else:
                keys = tuple(sorted((_key(side), _key(found))))
                up.setdefault(keys, Pairing(side, found))
    return Sessions(tuple(up.values()), tuple(unmatched), tuple(ends), tuple(remote))


def cable_port(port: str) -> str:
    """The port below a subinterface (`swp1.300`), or the port itself."""
    below, dot, tag = port.rpartition(".")
    return below if dot and tag.isdecimal() else port


def address(text: str) -> IPv4Interface | None:
    """`address/bits` as one, None for what is none."""
    try:
        return IPv4Interface(text)
    except (AddressValueError, NetmaskValueError, ValueError):
        return None


def interfaces(facts: SwitchFacts) -> Iterator[tuple[str, str, IPv4Interface]]:
    """(table, port, address) of all that a box has addresses on, VLANs too."""
    for port in facts.ports:
        for text in port.addresses:
            if found := address(text):
                yield port.vrf, port.name, found
    for vlan in facts.vlans:
        if found := address(vlan.address or ""):
            yield vlan.vrf, f"vlan{vlan.id}", found


def _key(side: Side) -> tuple[str, str, str]:
    return side.box.name, side.session.vrf, side.session.key


class _Places:
    """Where addresses and sessions are."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.ports: dict[str, dict[str, PortFacts]] = {}
        self.own: dict[str, list[tuple[str, str, IPv4Interface]]] = {}
        self.by_key: dict[str, dict[str, list[SessionFacts]]] = {}
        for box in network.boxes:
            self.ports[box.name] = {port.name: port for port in box.facts.ports}
            self.own[box.name] = [*interfaces(box.facts)]
            keys = self.by_key.setdefault(box.name, defaultdict(list))
            for session in box.facts.sessions:
                keys[session.key].append(session)

    @cached_property
    def owners(self) -> Mapping[IPv4Address, list[tuple[Box, str, str]]]:
        """(box, table, port) of each address that is not a loopback's."""
        found = defaultdict(list)
        for box in self.network.boxes:
            for vrf, port, one in self.own[box.name]:
                if port != LOOPBACK:
                    found[one.ip].append((box, vrf, port))
        return found

    def side(self, box: Box, session: SessionFacts) -> Side | None:
        """The end on this box; None where it is on no port: over loopbacks, or on a bond."""
        peer = _ip(session.key)
        if peer is None:
            port = self.ports[box.name].get(session.key)
            below = self.ports[box.name].get(cable_port(session.key))
            if port is None and below is None:
                return None
            mine = [one for _, name, one in self.own[box.name] if name == session.key]
            return Side(box, session, session.key, tuple(mine))
        for vrf, port_name, one in self.own[box.name]:
            if vrf == session.vrf and port_name != LOOPBACK and peer in one.network:
                return Side(box, session, port_name, (one,))
        return None

    def other(self, side: Side) -> Side | Unmatched | None:
        """The other end of a session, why there is none, or None where its box was not read."""
        found = self._across(side)
        if found is None:
            return None
        box, port = found
        why = self._own_fault(side)
        if why is None:
            candidates = [far for far in self._sides(box, port) if self._meet(side, far)]
            if not candidates and box.facts.asn is None and not box.facts.sessions:
                return Unmatched(side.box, side.session, f"{box.name}:{port}", "no BGP there")
            if not candidates:
                why = "no session there leads here"
            else:
                far = candidates[0]
                why = _refused(side, far) or self._own_fault(far)
                if why is None:
                    return far
        return Unmatched(side.box, side.session, f"{box.name}:{port}", why)

    def _across(self, side: Side) -> tuple[Box, str] | None:
        """The box and port that the session leads to."""
        end = self.network.far_end.get((side.box.name, side.port))
        suffix = ""
        if end is None:
            below = cable_port(side.port)
            end = self.network.far_end.get((side.box.name, below))
            suffix = side.port[len(below) :]
        peer = _ip(side.session.key)
        if peer is None:
            return (end.box, end.port.name + suffix) if end else None
        owners = [(box, port) for box, _, port in self.owners.get(peer, ()) if box is not side.box]
        linked = [one for one in owners if end and one[0] is end.box]
        if linked or len(owners) == 1:
            return (linked or owners)[0]
        return (end.box, end.port.name + suffix) if end and not owners else None

    def _own_fault(self, side: Side) -> str | None:
        port = self.ports[side.box.name].get(side.port)
        if port is not None and port.vrf != side.session.vrf:
            return f"the port is in table {port.vrf or 'default'}"
        return None

    def _sides(self, box: Box, port: str) -> Iterator[Side]:
        """Sessions of a box that are on this port, by its name or by an address beside it."""
        mine = tuple(one for _, name, one in self.own[box.name] if name == port)
        for session in self.by_key[box.name].get(port, ()):
            yield Side(box, session, port, mine)
        for one in mine:
            if one.network.num_addresses <= _FEW:
                near = (str(ip) for ip in one.network if ip != one.ip)
            else:
                near = (key for key in self.by_key[box.name] if _within(key, one))
            for key in near:
                for session in self.by_key[box.name].get(key, ()):
                    yield Side(box, session, port, (one,))

    def _meet(self, a: Side, b: Side) -> bool:
        """Each end speaks to the other: by its address, or over the port alone."""
        return _leads(a, b) and _leads(b, a)


_FEW = 4


def _leads(side: Side, far: Side) -> bool:
    peer = _ip(side.session.key)
    return peer is None or any(peer == one.ip for one in far.addresses)


def _refused(side: Side, far: Side) -> str | None:
    """Why a message OPEN of one of both is refused (RFC 4271, 6.2: Bad Peer AS)."""
    for here, there in ((side, far), (far, side)):
        asked, own, has = here.session.peer_asn, here.box.facts.asn, there.box.facts.asn
        if own is None or has is None:
            return f"{(here if own is None else there).box.name} has no AS"
        fits = {"external": has != own, "internal": has == own}.get(str(asked), asked == has)
        if not fits and not _shows_another(there.box):
            return f"{here.box.name} expects AS {_told(asked)}, and {there.box.name} is AS {has}"
    return None


def _told(asked: object) -> str:
    return "of nobody: none is said" if asked is None else str(asked)


def _shows_another(box: Box) -> bool:
    return any(_ANOTHER_AS.search(text) for text in box.texts.values())


def _ip(key: str) -> IPv4Address | None:
    try:
        return IPv4Address(key)
    except AddressValueError:
        return None


def _within(key: str, one: IPv4Interface) -> bool:
    ip = _ip(key)
    return ip is not None and ip in one.network
