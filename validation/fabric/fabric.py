"""A network made ready to be solved: routing tables, directed sessions, sets of prefixes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network

from switch_configs.readback.facts import PolicyFacts, PortFacts, SwitchFacts
from switch_configs.readback.spoken import spoken
from validation.audit.box import Box
from validation.audit.network import Network

from .prefixes import Bits, Prefixes, prefix_of
from .sessions import Pairing, Sessions, Side, cable_port, interfaces, sessions

GRACEFUL_SHUTDOWN = "65535:0"
"""Use this route last (RFC 8326)."""
_WIDEST = 1 << 16
# Lines that no fact says: routes may come from them that are not known here.
_OTHER_ROUTES = re.compile(
    r"redistribute|ip route|static|aggregate|ospf|isis|default-originate|import|advertise"
)


@dataclass(frozen=True, slots=True)
class Table:
    """One routing table of a box. `origin` is what it announces itself, `drops` what it discards.

    `known` is False where lines that no fact says may bring it other routes.
    """

    box: Box
    vrf: str
    origin: Bits
    drops: Bits
    unbacked: tuple[str, ...]
    width: int
    relaxed: bool
    known: bool

    @property
    def asn(self) -> int:
        """The box's AS; 0 where it has none."""
        return self.box.facts.asn or 0

    def __str__(self) -> str:
        return f"{self.box.name} {self.vrf}".rstrip()


@dataclass(frozen=True, slots=True)
class Edge:
    """What `source` announces to `target`: packets go the other way, by the target's port.

    `allowed` passes both policies by prefix; `refused_out` and `refused_in` are communities
    whose routes do not, `adds_out` and `adds_in` those that are put on. `lossless` says that both
    ports pause a priority.
    """

    source: int
    target: int
    port: str
    far: str
    cables: tuple[str, str]
    rate_gbps: float | None
    internal: bool
    lossless: bool
    allowed: Bits
    adds_out: frozenset[str]
    adds_in: frozenset[str]
    refused_out: frozenset[str]
    refused_in: frozenset[str]
    drained_last: bool


@dataclass(frozen=True)
class Fabric:
    """Tables by number, edges in the order in which BGP prefers them, and what they are about."""

    network: Network
    sessions: Sessions
    prefixes: Prefixes
    tables: tuple[Table, ...]
    edges: tuple[Edge, ...]
    number: Mapping[tuple[str, str], int]
    shared_asns: frozenset[int]
    marks: frozenset[str] = frozenset()
    out: tuple[tuple[int, ...], ...] = field(default=())
    into: tuple[tuple[int, ...], ...] = field(default=())

    def open_boxes(self) -> frozenset[str]:
        """Boxes with a session whose other end was not read."""
        return frozenset(name for name, _ in self.sessions.open_ended)


def fabric(network: Network) -> Fabric:
    """Make a network ready: once for all failures of it."""
    held = sessions(network)
    nets = {net for box in network.boxes for net in _announced(box.facts)}
    nets |= {net for box in network.boxes for net in _nets(box.facts.discards)}
    prefixes = Prefixes(nets)
    tables = tuple(table for box in network.boxes for table in _tables(box, prefixes))
    number = {(table.box.name, table.vrf): at for at, table in enumerate(tables)}
    edges = tuple(
        sorted(_edges(held.up, prefixes, number), key=lambda one: _preference(one, tables))
    )
    out: list[list[int]] = [[] for _ in tables]
    into: list[list[int]] = [[] for _ in tables]
    for at, edge in enumerate(edges):
        out[edge.source].append(at)
        into[edge.target].append(at)
    asns = Counter(box.facts.asn for box in network.boxes if box.facts.asn is not None)
    return Fabric(
        network,
        held,
        prefixes,
        tables,
        edges,
        number,
        frozenset(asn for asn, count in asns.items() if count > 1),
        _marks(edges),
        tuple(map(tuple, out)),
        tuple(map(tuple, into)),
    )


def _preference(edge: Edge, tables: tuple[Table, ...]) -> tuple[int, int, str, str]:
    """By table, then by the neighbour's router id, as where all else is equal (RFC 4271, 9.1.2.2).

    FRR keeps the oldest path instead: which, no configuration says.
    """
    source = tables[edge.source]
    router_id = source.box.facts.router_id or "255.255.255.255"
    try:
        order = int(IPv4Address(router_id))
    except ValueError:
        order = 1 << 32
    return edge.target, order, source.box.name, edge.port


def _nets(texts: Iterable[str]) -> Iterator[IPv4Network]:
    return (net for net in map(prefix_of, texts) if net is not None)


def _announced(facts: SwitchFacts) -> Iterator[IPv4Network]:
    yield from _nets(facts.originates)
    for table in facts.tables:
        yield from _nets(table.originates)


def _tables(box: Box, prefixes: Prefixes) -> Iterator[Table]:
    facts = box.facts
    known = not any(
        line.topic in ("routing", "policies", "EVPN", "other") and _OTHER_ROUTES.search(line.kind)
        for line in facts.unread
    )
    vrfs = {"": (facts.originates, facts.ecmp_width)}
    vrfs |= {one.vrf: (one.originates, one.ecmp_width) for one in facts.tables}
    for session in facts.sessions:
        vrfs.setdefault(session.vrf, ((), facts.ecmp_width))
    for vrf, (originates, width) in vrfs.items():
        drops = set(_nets(facts.discards)) if not vrf else set()
        backed = drops | {one.network for table, _, one in interfaces(facts) if table == vrf}
        nets = [*_nets(originates)]
        unbacked = [net for net in nets if net not in backed]
        yield Table(
            box,
            vrf,
            prefixes.bits(nets if not known else backed.intersection(nets)),
            prefixes.bits(drops),
            tuple(map(str, unbacked)) if known else (),
            width or _WIDEST,
            not any(one.kind == "paths-not-shared" for one in facts.hazards),
            known,
        )


def _edges(
    up: Iterable[Pairing], prefixes: Prefixes, number: Mapping[tuple[str, str], int]
) -> Iterator[Edge]:
    for pairing in (one for one in up if one.carries_ipv4):
        for said, heard in ((pairing.a, pairing.b), (pairing.b, pairing.a)):
            yield _edge(said, heard, prefixes, number)


def _edge(
    said: Side, heard: Side, prefixes: Prefixes, number: Mapping[tuple[str, str], int]
) -> Edge:
    internal = said.box.facts.asn == heard.box.facts.asn
    leaves = _policy(said.box, said.session.policy_out)
    enters = _policy(heard.box, heard.session.policy_in)
    allowed = prefixes.all
    for side, policy in ((said, leaves), (heard, enters)):
        if policy is not None:
            allowed &= prefixes.permitted(policy.permits)
        elif side.box.facts.ebgp_requires_policy and not internal:
            allowed = 0
    adds_out = leaves.adds if leaves else ()
    if said.box.facts.drained:
        adds_out = (*adds_out, GRACEFUL_SHUTDOWN)
    ports = [_cable_port(side) for side in (said, heard)]
    rate = ports[1].rate_gbps if ports[1] else None
    return Edge(
        source=number[said.box.name, said.session.vrf],
        target=number[heard.box.name, heard.session.vrf],
        port=heard.port,
        far=f"{said.box.name}:{said.port}",
        cables=(said.cable, heard.cable),
        rate_gbps=rate,
        internal=internal,
        lossless=all(port and port.qos and port.qos.pfc_priorities for port in ports),
        allowed=allowed,
        adds_out=frozenset(adds_out),
        adds_in=frozenset(enters.adds if enters else ()),
        refused_out=frozenset(leaves.refuses if leaves else ()),
        refused_in=frozenset(enters.refuses if enters else ()),
        drained_last=spoken(heard.box.system).drains_by_itself
        or bool(enters and enters.drained_last),
    )


def _cable_port(side: Side) -> PortFacts | None:
    return side.box.port(cable_port(side.port))


def _policy(box: Box, name: str | None) -> PolicyFacts | None:
    """The policy; one that is named and not defined lets nothing pass, unless the box passes all.

    None is no policy.
    """
    if name is None:
        return None
    found = next((one for one in box.facts.policies if one.name == name), None)
    if found is None and not spoken(box.system).undefined_policy_passes:
        return PolicyFacts(name, ())
    return found


def _marks(edges: Iterable[Edge]) -> frozenset[str]:
    """Communities that decide anything."""
    every = [*edges]
    found = {mark for edge in every for mark in edge.refused_out | edge.refused_in}
    if any(GRACEFUL_SHUTDOWN in edge.adds_out | edge.adds_in for edge in every):
        found.add(GRACEFUL_SHUTDOWN)
    return frozenset(found)
