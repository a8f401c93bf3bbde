"""`router bgp`: tables, templates of peers, neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, ip_interface
from typing import Literal

from switch_configs.readback.facts import Hazard, HazardKind, SessionFacts, TableFacts

from .reading import NxosReading, Port
from .tree import Node, number

# Keepalive, hold and connect in seconds where nothing is said: Cisco Nexus 9000 NX-OS Unicast
# Routing guide, default parameters of BGP.
_TIMES = (60, 180)
_CONNECT_S = 60
_TCAM_NEEDED = 768


@dataclass
class Peer:
    """A neighbour or a template, as its own lines say."""

    asn: int | None = None
    description: str = ""
    inherits: str = ""
    bfd: bool = False
    times: tuple[int, int] | None = None
    family: bool = False
    others: bool = False
    policy_in: str | None = None
    policy_out: str | None = None
    maximum: int | None = None
    warns: bool = False
    sends: bool = False


@dataclass
class Table:
    """One table's part."""

    router_id: str | None = None
    relaxed: bool = False
    restarts: bool = True
    helps: bool = False
    logs: bool = False
    connect_s: int = _CONNECT_S
    paths: int = 1
    networks: list[str] = field(default_factory=list)
    peers: dict[str, Peer] = field(default_factory=dict)


@dataclass
class Bgp:
    """The whole process."""

    asn: int | None = None
    drained: bool = False
    tables: dict[str, Table] = field(default_factory=lambda: {"": Table()})
    templates: dict[str, Peer] = field(default_factory=dict)


def line(node: Node, bgp: Bgp, found: NxosReading) -> bool:
    """Take `router bgp` with what is below it."""
    match node.words:
        case ["router", "bgp", asn] if number(asn) is not None and bgp.asn in (None, int(asn)):
            bgp.asn = int(asn)
            for one in node.children:
                if not _process(one, bgp, found):
                    found.unread += one.paths()
            return True
    return False


def _process(node: Node, bgp: Bgp, found: NxosReading) -> bool:
    match node.words:
        case ["vrf", name]:
            table = bgp.tables.setdefault(name, Table())
            for one in node.children:
                if not _table(one, table, found):
                    found.unread += one.paths()
        case ["template", "peer", name]:
            _peer(node, bgp.templates.setdefault(name, Peer()), found)
        case ["graceful-shutdown", "activate"]:
            bgp.drained = True
        case _:
            return _table(node, bgp.tables[""], found)
    return True


def _table(node: Node, own: Table, found: NxosReading) -> bool:
    match node.words:
        case ["router-id", address]:
            own.router_id = address
        case ["bestpath", "as-path", "multipath-relax"]:
            own.relaxed = True
        case ["no", "graceful-restart"]:
            own.restarts = False
        case ["graceful-restart-helper"]:
            own.helps = True
        case ["log-neighbor-changes"]:
            own.logs = True
        case ["reconnect-interval", seconds] if number(seconds) is not None:
            own.connect_s = int(seconds)
        case ["address-family", "ipv4", "unicast"]:
            for one in node.children:
                if not _family(one.words, own):
                    found.unread += one.paths()
        case ["neighbor", key, *asn]:
            peer = own.peers.setdefault(key, Peer())
            if asn and (asn[0] != "remote-as" or number(asn[-1]) is None):
                return False
            peer.asn = int(asn[1]) if asn else peer.asn
            _peer(node, peer, found)
        case _:
            return False
    return True


def _family(words: list[str], own: Table) -> bool:
    match words:
        case ["network", prefix]:
            own.networks.append(prefix)
        case ["maximum-paths", paths] if number(paths) is not None:
            own.paths = int(paths)
        case _:
            return False
    return True


def _peer(node: Node, own: Peer, found: NxosReading) -> None:
    for one in node.children:
        match one.words:
            case ["inherit", "peer", name]:
                own.inherits = name
            case ["remote-as", asn] if number(asn) is not None:
                own.asn = int(asn)
            case ["description", *_]:
                own.description = one.rest(1)
            case ["bfd"]:
                own.bfd = True
            case ["timers", keepalive, hold] if number(keepalive) is not None and number(hold):
                own.times = (int(keepalive), int(hold))
            case ["address-family", "l2vpn", "evpn"]:
                own.others = True
                found.unread += one.paths()
            case ["address-family", "ipv4", "unicast"]:
                own.family = True
                for inner in one.children:
                    if not _peer_family(inner.words, own):
                        found.unread += inner.paths()
            case _:
                found.unread += one.paths()


def _peer_family(words: list[str], own: Peer) -> bool:
    match words:
        case ["send-community"]:
            own.sends = True
        case ["route-map", name, "in"]:
            own.policy_in = name
        case ["route-map", name, "out"]:
            own.policy_out = name
        case ["maximum-prefix", most, *more] if number(most) is not None:
            own.maximum = int(most)
            if more and number(more[0]) is not None:
                more = more[1:]
            own.warns = more == ["warning-only"]
            return own.warns or not more
        case _:
            return False
    return True


def sessions(bgp: Bgp, found: NxosReading) -> Iterator[SessionFacts]:
    """Every neighbour with what it inherits."""
    for vrf, table in bgp.tables.items():
        for key, own in table.peers.items():
            yield _session(vrf, key, own, table, bgp, found)


def _session(
    vrf: str, key: str, own: Peer, table: Table, bgp: Bgp, found: NxosReading
) -> SessionFacts:
    group = bgp.templates.get(own.inherits, Peer())
    if own.inherits and own.inherits not in bgp.templates:
        found.hazards.append(f"session {key} inherits {own.inherits}, which is not defined")
    port = _port(key, vrf, found)
    keepalive_s, hold_s = own.times or group.times or _TIMES
    with_bfd = own.bfd or group.bfd
    interval_ms, multiplier = port.bfd if port and port.bfd else found.bfd
    owner = own if own.maximum is not None else group
    made = SessionFacts(
        key=key,
        peer_asn=own.asn if own.asn is not None else group.asn,
        description=own.description or group.description,
        policy_in=own.policy_in or group.policy_in,
        policy_out=own.policy_out or group.policy_out,
        keepalive_s=keepalive_s,
        hold_s=hold_s,
        connect_s=table.connect_s,
        bfd=with_bfd,
        bfd_interval_ms=interval_ms if with_bfd else None,
        bfd_multiplier=multiplier if with_bfd else None,
        maximum_prefix=owner.maximum,
        over_maximum=_over(owner),
        vrf=vrf,
        carries_ipv4=own.family or group.family or not (own.others or group.others),
    )
    found.hazards += _odd(made, own, group, port, found)
    return made


def _over(owner: Peer) -> Literal["warn", "reset"] | None:
    if owner.maximum is None:
        return None
    return "warn" if owner.warns else "reset"


def _port(key: str, vrf: str, found: NxosReading) -> Port | None:
    """The interface of a session: of its name, or with an address beside it."""
    if key in found.ports:
        return found.ports[key]
    try:
        peer = IPv4Address(key)
    except AddressValueError:
        return None
    return next(
        (
            port
            for port in found.ports.values()
            if port.vrf == vrf
            if any(peer in IPv4Interface(own).network for own in port.addresses)
        ),
        None,
    )


def _odd(
    made: SessionFacts, own: Peer, group: Peer, port: Port | None, found: NxosReading
) -> Iterator[str]:
    key = made.key
    if not made.carries_ipv4:
        return
    if not (own.family or group.family):
        yield f"session {key} carries no IPv4: no address family"
    if not (own.sends or group.sends):
        words = f"session {key} sends no communities: what they mark is lost"
        yield Hazard(words, "no-communities")
    ways: tuple[tuple[str, str | None, HazardKind], ...] = (
        ("in", made.policy_in, "no-policy-in"),
        ("out", made.policy_out, "no-policy-out"),
    )
    for way, name, kind in ways:
        if name is None:
            yield Hazard(f"session {key} has no policy {way}: everything passes", kind, key)
        elif name not in found.maps:
            yield Hazard(f"policy {name} is used and not defined", "undefined-policy", name)
    if port is None:
        if "/" not in key or key.startswith("Ethernet"):  # neighbours of a network are over any
            yield f"session {key} has no port"
        return
    if port.vrf != made.vrf:
        yield f"session {key} is in table {made.vrf or 'default'}, its port in {port.vrf}"
    if made.bfd and port.echo:
        yield f"session {key}: BFD echo is on, which not every neighbour answers"
    # An unnumbered session speaks over IPv6.
    families = {"ip", "ipv6"} if key == port.name else {"ip"}
    if made.bfd and families & port.redirects:
        yield f"session {key}: ICMP redirects are on beside BFD, which Cisco forbids"
    if key == port.name:
        yield from _unnumbered(port, found)


def _unnumbered(port: Port, found: NxosReading) -> Iterator[str]:
    if not (port.link_local and port.forwards):
        yield f"port {port.name} has a session and does not forward IPv4 without an address"
    if not port.own_link_local:
        yield f"port {port.name} may share its link-local address with another port"
    if found.ing_sup is not None and found.ing_sup < _TCAM_NEEDED:
        yield f"TCAM region ing-sup is {found.ing_sup}: {_TCAM_NEEDED} hold BGP over link-local"


def tables(bgp: Bgp, found: NxosReading) -> tuple[TableFacts, ...]:
    """Tables beside the default one; and what is odd in any of them."""
    for vrf, table in bgp.tables.items():
        if bgp.asn is not None:
            found.hazards += _odd_table(vrf, table, bgp, found)
    return tuple(
        TableFacts(vrf, tuple(sorted(one.networks)), one.paths)
        for vrf, one in sorted(bgp.tables.items())
        if vrf
    )


def _odd_table(vrf: str, own: Table, bgp: Bgp, found: NxosReading) -> Iterator[str]:
    where = f"table {vrf or 'default'}"
    if vrf and vrf not in found.tables:
        yield f"{where}: BGP runs in it, and it is not defined"
    if not own.relaxed:
        words = f"{where}: paths over different ASNs are not shared: no multipath-relax"
        yield Hazard(words, "paths-not-shared")
    if own.restarts or not own.helps:
        yield f"{where}: graceful restart is not helper only, and holds dead paths against BFD"
    if not own.logs:
        yield f"{where}: BGP logs no changes of its neighbours"
    if own.router_id != bgp.tables[""].router_id:
        yield f"{where}: its router ID is {own.router_id}"
    there = _there(vrf, found)
    for one in own.networks:
        if one not in there:
            yield f"{where}: {one} is announced only while another protocol brings it"


def _there(vrf: str, found: NxosReading) -> set[str]:
    discards = found.tables[vrf].discards if vrf in found.tables else []
    own = (
        address for port in found.ports.values() if port.vrf == vrf for address in port.addresses
    )
    return {*discards, *(str(ip_interface(one).network) for one in own)}
