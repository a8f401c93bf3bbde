"""BGP between boxes, and what must be one box's own: sessions, addresses, announcements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from ipaddress import IPv4Address

from switch_configs.readback.facts import LOOPBACK, PortFacts
from validation.audit.box import Box
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule
from validation.fabric.failures import whole
from validation.fabric.sessions import Unmatched, address


class SessionsMatch(Rule):
    """A session to a box that was read has its other end there."""

    id = "session-unmatched"
    severity = "critical"
    why = "a session with one end never comes up, and its cable carries nothing (RFC 4271, 8)"
    needs = frozenset({"session.peer_asn"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        for one in whole(network).made.sessions.unmatched:
            if not self._is_of_asn_ends(network, one):
                found = f"to {one.far}: {one.why}"
                fix = "the same session at both ends: addresses or ports, AS, table"
                yield self.problem(one.box, one.session.key, found, fix)

    def _is_of_asn_ends(self, network: Network, one: Unmatched) -> bool:
        """Two numbers that differ over a known cable are told by `asn-ends`."""
        name, _, port = one.far.partition(":")
        is_known = (name, port) in network.far_end
        return is_known and "expects AS" in one.why and isinstance(one.session.peer_asn, int)


def is_of_one(port: PortFacts) -> bool:
    """Whether a port's addresses are one switch's alone: pairs share loopbacks and gateways."""
    return port.name != LOOPBACK and not port.name.lower().startswith("vlan")


class AddressesAreOnce(Rule):
    """An address of a port is one box's alone."""

    id = "address-twice"
    of = "port.addresses"
    severity = "critical"
    why = "packets for it go to either box, and answers come from the wrong one (RFC 5227)"

    def of_network(self, network: Network) -> Iterator[Problem]:
        owners: dict[tuple[str, IPv4Address], list[tuple[Box, str]]] = defaultdict(list)
        for box in network.boxes:
            for port in box.facts.ports:
                # The peer links of pairs begin at 169.254 anew.
                for text in port.addresses if is_of_one(port) else ():
                    if (one := address(text)) and not one.ip.is_link_local:
                        owners[port.vrf, one.ip].append((box, port.name))
        for (_, ip), some in sorted(owners.items()):
            if len({box.name for box, _ in some}) > 1:
                box, port_name = some[-1]
                others = ", ".join(f"{other.name}:{name}" for other, name in some[:-1][:3])
                found_words = f"{ip} is on {others} too"
                yield self.problem(box, port_name, found_words, "an address of its own")


class RouterIdsAreOnce(Rule):
    """A router id is one box's alone."""

    id = "router-id-twice"
    of = "router_id"
    severity = "major"
    why = (
        "sessions inside an AS are refused, and elsewhere nobody can tell the two apart "
        "(RFC 4271, 4.2; RFC 6286)"
    )

    def of_network(self, network: Network) -> Iterator[Problem]:
        by_id: dict[str, list[Box]] = defaultdict(list)
        for box in network.boxes:
            if box.facts.router_id and box.facts.asn is not None:
                by_id[box.facts.router_id].append(box)
        for router_id, some in sorted(by_id.items()):
            for box in some[1:]:
                found = f"router id {router_id}, as {some[0].name}"
                yield self.problem(box, router_id, found, "its own loopback address")


class AnnouncedIsThere(Rule):
    """What a box announces is in its own table."""

    id = "announced-without-route"
    of = "originates"
    severity = "critical"
    why = "BGP announces a prefix only while the table has exactly it: nobody learns of this one"
    needs = frozenset({"originates", "discards"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        for table in whole(network).made.tables:
            for prefix in (one for one in table.unbacked if _says_addresses(table.box, one)):
                found = f"announces {prefix}, and no port and no discard route has it"
                yield self.problem(table.box, prefix, found, f"a discard route of {prefix}")


def _says_addresses(box: Box, prefix: object) -> bool:
    """Whether the texts say addresses of that kind: beside a lone frr.conf other files do."""
    if not str(prefix).endswith("/32"):
        return any(port.addresses for port in box.facts.ports)
    loopback = box.port(LOOPBACK)
    return loopback is not None and bool(loopback.addresses)


class LimitsHold(Rule):
    """A neighbour announces no more prefixes than the session may take."""

    id = "prefix-limit"
    of = "session.maximum_prefix"
    severity = "major"
    why = "beyond the limit a session is torn down or its routes are not taken (RFC 4486)"
    needs = frozenset({"session.maximum_prefix"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        seen = whole(network)
        limits = {
            (box.name, one.vrf, one.key): one.maximum_prefix
            for box in network.boxes
            for one in box.facts.sessions
            if one.maximum_prefix is not None
        }
        ends = {
            (side.box.name, side.port): side.session
            for pairing in seen.made.sessions.up
            if pairing.carries_ipv4
            for side in (pairing.a, pairing.b)
        }
        for e, edge in enumerate(seen.made.edges):
            table = seen.made.tables[edge.target]
            session = ends[table.box.name, edge.port]
            most = limits.get((table.box.name, session.vrf, session.key))
            taken = (seen.routes.told(e) & ~table.origin).bit_count()
            if most is not None and taken > most:
                found = f"at most {most} prefixes, and {edge.far} announces {taken}"
                yield self.problem(table.box, session.key, found, "a limit above what is planned")
