"""Ports, sessions and switches beside each other say the same: one that does not was forgotten.

What most of at least three say is taken for what is meant. Ports are compared with those of their
rate and cable, switches with those of their system and tier.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import groupby

from switch_configs.readback.facts import (
    LOOPBACK,
    AclFacts,
    ClassFacts,
    PortFacts,
    QosFacts,
    SessionFacts,
)
from validation.audit.box import Box
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule
from validation.fabric.sessions import interfaces

from .announced import net_of
from .odd import TWO, odd

_LONG = 120


# What is compared of a port: the fact, as rules name it.
def _of_port(port: PortFacts, qos: QosFacts | None) -> Iterator[tuple[str, Hashable]]:
    yield "port.ip_mtu_bytes", port.ip_mtu_bytes
    yield "port.fec", port.fec
    yield "port.autoneg", port.autoneg
    if qos is None:
        return
    yield "qos.pfc_priorities", qos.pfc_priorities
    yield "qos.watchdog", qos.watchdog
    yield "qos.headroom", qos.headroom
    yield "class.dscps", tuple(one.dscps for one in qos.classes)
    for field in ("strict", "weight_percent", "rate_cap_percent", "ecn"):
        yield f"class.{field}", tuple(_of_class(one, field) for one in qos.classes)


def _of_class(one: ClassFacts, field: str) -> tuple[int, Hashable]:
    return one.dscps[0] if one.dscps else -1, getattr(one, field)


class PortsAreAlike(Rule):
    """Ports of one rate and cable are configured alike."""

    id = "odd-port"
    severity = "major"
    why = "flows over one port are marked, paused or served otherwise than over all others"
    needs = frozenset({"port.ip_mtu_bytes"})

    def of_network(self, network: Network) -> Iterator[Problem]:
        for box in network.boxes:
            yield from self.inside(network, box)

    def inside(self, network: Network, box: Box) -> Iterator[Problem]:
        """What differs among the ports of one box."""
        groups: dict[tuple[Hashable, ...], dict[str, Hashable]] = defaultdict(dict)
        for port in box.facts.ports:
            qos = port.qos
            if port.name == LOOPBACK or (qos is None and not port.description):
                continue
            is_up = (box.name, port.name) in network.far_end
            form = (port.vrf, bool(port.vlans), port.bond is None, "." in port.name)
            kind = (is_up, port.rate_gbps, qos and qos.cable_m, form)
            for one, value in _of_port(port, qos):
                groups[kind, qos is None, bool(port.addresses), one][port.name] = value
            groups[kind, qos is None, None, "port.addresses"][port.name] = _bits(port)
            groups[is_up, form, None, "port.rate_gbps"][port.name] = port.rate_gbps
        for (*_, fact), said in groups.items():
            for name, mine, usual in odd(said):
                # Ports may have many rates; more addresses than the others have are meant.
                is_meant = usual == () if fact == "port.addresses" else mine is not None
                end = network.far_end.get((box.name, name))
                is_meant |= end is not None and _bits(end.port) == mine  # both ends say it
                if not is_meant or fact not in ("port.addresses", "port.rate_gbps"):
                    yield self.differs(box, name, str(fact), mine, usual)

    def differs(self, box: Box, name: str, fact: str, mine: Hashable, usual: Hashable) -> Problem:
        """A problem at the line of the fact that differs."""
        found = f"{_plain(fact)} is {told(mine)}, of the other ports {told(usual)}"
        problem = self.problem(box, name, found, "as on the other ports")
        return at_fact(problem, box, name, fact, mine)


def _bits(port: PortFacts) -> tuple[str, ...]:
    """How long the networks of its addresses are."""
    return tuple(one.rpartition("/")[2] for one in port.addresses)


_SESSION = frozenset(
    {"keepalive_s", "hold_s", "connect_s", "bfd", "bfd_interval_ms", "bfd_multiplier"}
    | {"maximum_prefix", "over_maximum", "policy_in", "policy_out"}
)
# Said of a session only where it has the thing that they belong to.
_FOLLOWS = frozenset({"bfd_interval_ms", "bfd_multiplier", "over_maximum"})


class SessionsAreAlike(Rule):
    """Sessions to the same tier are configured alike."""

    id = "odd-session"
    severity = "major"
    why = "the session that is not as its neighbours is the one that fails otherwise, or leaks"
    needs = frozenset({"session.hold_s"})

    def of_box(self, box: Box) -> Iterator[Problem]:
        tables: dict[tuple[str, bool, bool], list[SessionFacts]] = defaultdict(list)
        for session in box.facts.sessions:
            inside = session.peer_asn in ("internal", box.facts.asn)
            tables[session.vrf, inside, session.carries_ipv4].append(session)
        beside: dict[tuple[str, bool], dict[str, bool]] = defaultdict(dict)
        for session in _on_cables(box):
            inside = session.peer_asn in ("internal", box.facts.asn)
            beside[session.vrf, inside][session.key] = session.carries_ipv4
        for said in beside.values():
            for key, mine, usual in odd(said):
                if usual is True:
                    yield self.differs(box, key, "session.carries_ipv4", mine, usual)
        for sessions in tables.values():
            yield from self._crossed(box, sessions)
            for field in fields(SessionFacts):
                if field.name not in _SESSION:
                    continue
                said = {one.key: getattr(one, field.name) for one in sessions}
                for key, mine, usual in odd(said):
                    # More than the others have is meant; times that are not there have no value.
                    if usual in (None, False) or (mine is None and field.name in _FOLLOWS):
                        continue
                    yield self.differs(box, key, f"session.{field.name}", mine, usual)

    def of_network(self, network: Network) -> Iterator[Problem]:
        """Sessions of a box to switches that stand alike have one policy each way."""
        tier = {box.name: at for at, some in enumerate(network.tiers) for box in some}
        groups: dict[tuple[str, str, int], list[SessionFacts]] = defaultdict(list)
        for link in network.links:
            for near, far in (link.ends, link.ends[::-1]):
                if near.session and far.box.name in tier:
                    kind = near.box.name, near.session.vrf, tier[far.box.name]
                    groups[kind].append(near.session)
        for (name, vrf, _), sessions in groups.items():
            box = network.box[name]
            for field in ("policy_in", "policy_out"):
                every = [one for one in box.facts.sessions if one.vrf == vrf]
                among = {one.key: getattr(one, field) for one in every}
                of_box = {key for key, *_ in odd(among)}
                said = {one.key: among.get(one.key) for one in sessions}
                for key, mine, usual in odd(said):
                    if key not in of_box and usual is not None:
                        yield self.differs(box, key, f"session.{field}", mine, usual)

    def differs(self, box: Box, key: str, fact: str, mine: Hashable, usual: Hashable) -> Problem:
        """A problem at the line of the fact that differs."""
        found = f"{_plain(fact)} is {told(mine)}, of the other sessions {told(usual)}"
        problem = self.problem(box, key, found, "as on the other sessions")
        return at_fact(problem, box, key, fact, mine)

    def _crossed(self, box: Box, sessions: list[SessionFacts]) -> Iterator[Problem]:
        """A session that takes in as those of one side do, and sends out as those of the other."""
        for one in sessions:
            rest = [other for other in sessions if other.key != one.key]
            out = {other.policy_out for other in rest if other.policy_in == one.policy_in}
            takes = {other.policy_in for other in rest if other.policy_out == one.policy_out}
            if out and takes and one.policy_out not in out and one.policy_in not in takes:
                found = f"policies {one.policy_in} in and {one.policy_out} out, as on no other"
                problem = self.problem(box, one.key, found, "both of one side")
                yield at_fact(problem, box, one.key, "session.policy_out", one.policy_out)


def _on_cables(box: Box) -> Iterator[SessionFacts]:
    """Sessions over a port or to an address beside it: what is far away may be an overlay's."""
    own = {(vrf, one.network) for vrf, _, one in interfaces(box.facts)}
    lengths = {net.prefixlen for _, net in own}
    for one in box.facts.sessions:
        near = (net_of(f"{one.key}/{bits}") for bits in lengths)
        if one.key in box.ports or any((one.vrf, net) in own for net in near):
            yield one


_Facet = tuple[str, str, str]
"""A fact, the port, session or policy that stands for it ("" the switch), and how it is called."""


def _of_box(box: Box) -> Iterator[tuple[_Facet, Hashable]]:
    facts, services = box.facts, box.facts.services
    for name in ("ecmp_width", "hash_seed", "lldp_hold_s", "ebgp_requires_policy", "buffers"):
        yield (name, "", _plain(name)), getattr(facts, name)
    for name in ("ntp", "syslog", "tacacs", "snmp_users", "gnmi_port"):
        value = getattr(services, name)
        yield (
            (f"services.{name}", "", _plain(name)),
            frozenset(value) if isinstance(value, tuple) else value,
        )
    if facts.sessions:
        lo = box.ports[LOOPBACK].addresses if LOOPBACK in box.ports else ()
        is_known = any(one in facts.originates for one in lo)
        yield ("originates", "", "whether its loopback is announced"), is_known
        yield ("isolated_ports", "", "number of ports that are apart"), len(facts.isolated_ports)
    for name in ("management_vrf", "management_gateway"):
        yield (f"services.{name}", "", _plain(name)), getattr(services, name)
    net = net_of(services.management_address or "")
    yield ("services.management_address", "", "network of management"), net and str(net)
    for table in facts.tables:
        yield ("ecmp_width", "", f"ecmp width of table {table.vrf}"), table.ecmp_width
    for vlan in (one for one in facts.vlans if one.address or one.gateway):
        same = (vlan.vrf, vlan.ip_mtu_bytes, _in_runs(vlan.acl))
        yield ("vlans", "", f"VLAN {vlan.id}"), same
        net = net_of(vlan.address or vlan.gateway or "")
        yield ("vlans", "", f"the gateway of VLAN {vlan.id} in {net}"), vlan.gateway
    if said := box.reserved:
        yield ("qos.headroom", "", "buffer"), (said.pools, said.over_subscription)
        small = said.small_packet_percentage
        yield ("qos.headroom", "", "share of small packets that headroom is for"), small
        shares = frozenset((one.way, one.who, one.share) for one in said.users)
        yield ("qos.headroom", "", "shares of the buffer"), shares
    if pair := facts.pair:
        yield ("pair.domain", "", "domain of the pair"), pair.domain
        for bond in facts.bonds:
            own = [box.ports[name] for name in bond.ports if name in box.ports]
            # Of a trunk that tags all, the first is not untagged.
            tagged = {True: ("all tagged",), False: ()}
            carried = frozenset((*port.vlans, *tagged[port.trunk]) for port in own)
            yield ("port.vlans", bond.ports[0], f"VLANs of bond {bond.number}"), carried
            mtus = frozenset(port.ip_mtu_bytes for port in own)
            yield ("port.ip_mtu_bytes", bond.ports[0], f"MTU of bond {bond.number}"), mtus
    yield from _policies_of(box)
    yield from _sessions_of(box)
    yield from _qos_of(box)


def _in_runs(rules: tuple[AclFacts, ...]) -> tuple[tuple[str, frozenset[AclFacts]], ...]:
    """An access list; the order of rules side by side that do the same says nothing."""
    runs = groupby(rules, key=lambda rule: rule.action)
    return tuple((action, frozenset(some)) for action, some in runs)


def _policies_of(box: Box) -> Iterator[tuple[_Facet, Hashable]]:
    used = {name for one in box.facts.sessions for name in (one.policy_in, one.policy_out) if name}
    own = {*box.facts.originates, *(text for one in box.facts.tables for text in one.originates)}
    for one in (one for one in box.facts.policies if one.name in used):
        # What stands twice is said once.
        ways = (frozenset(one.adds), frozenset(one.refuses), one.drained_last)
        others = tuple(permit for permit in one.permits if permit.prefix not in own)
        yield ("policy.permits", one.name, f"policy {one.name}"), (frozenset(others), *ways)
        yield ("policy.permits", one.name, f"what policy {one.name} adds or refuses"), ways


def _sessions_of(box: Box) -> Iterator[tuple[_Facet, Hashable]]:
    """What sessions by one pair of policies say, each field by itself."""
    groups: dict[tuple[str, str | None, str | None], list[SessionFacts]] = defaultdict(list)
    for one in box.facts.sessions:
        groups[one.vrf, one.policy_in, one.policy_out].append(one)
    near = {(one.vrf, one.key) for one in _on_cables(box)}
    for (vrf, policy_in, policy_out), sessions in groups.items():
        if policy_in is None and policy_out is None:  # of all kinds, then: nothing sorts them
            continue
        fields_of = dict.fromkeys(sorted(_SESSION - {"policy_in", "policy_out"}), sessions)
        fields_of["carries_ipv4"] = [one for one in sessions if (one.vrf, one.key) in near]
        for field, some in fields_of.items():
            values = frozenset(getattr(one, field) for one in some)
            called = f"{_plain(field)} of sessions by {policy_in} and {policy_out}"
            called += f" in table {vrf}" if vrf else ""
            if some:
                yield (f"session.{field}", some[0].key, called), _alone(values)


def _qos_of(box: Box) -> Iterator[tuple[_Facet, Hashable]]:
    """What ports of one rate say, each field by itself."""
    groups: dict[float | None, list[PortFacts]] = defaultdict(list)
    for port in box.facts.ports:
        if port.qos:
            groups[port.rate_gbps].append(port)
    for rate, ports in groups.items():
        values: dict[str, set[Hashable]] = defaultdict(set)
        values["port.ip_mtu_bytes"] = {port.ip_mtu_bytes for port in ports}
        # Ports that are alike in all are looked at once.
        for qos, port in {port.qos: port for port in ports if port.qos}.items():
            values["qos.cable_m"].add(qos.cable_m)
            for fact, value in _of_port(port, qos):
                if not fact.startswith("port."):
                    values[fact].add(value)
        for fact, some in values.items():
            called = f"{_plain(fact)} of ports at {rate} Gb/s"
            yield (fact, ports[0].name, called), _alone(frozenset(some))


def _alone(values: frozenset[Hashable]) -> Hashable:
    """The one value, or all of them."""
    return next(iter(values)) if len(values) == 1 else values


class SwitchesAreAlike(Rule):
    """Switches beside each other are configured alike."""

    id = "odd-switch"
    severity = "major"
    why = "one switch of a tier that does otherwise than its neighbours is seen by its flows alone"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for boxes in network.tiers:
            facets: dict[tuple[str, Hashable], dict[str, Hashable]] = defaultdict(dict)
            spots: dict[tuple[str, str], tuple[str, str]] = {}
            for box in boxes:
                for (fact, at, called), value in _of_box(box):
                    # What hosts have on their bonds is one pair's alone.
                    among = network.pair_of(box) if fact == "port.vlans" else None
                    facets[called, among][box.name] = value
                    spots[called, box.name] = fact, at
            for (called, _), said in facets.items():
                for name, mine, usual in odd(said, TWO):
                    # A gateway, or a server, that the others lack: these may, and `servers` tells.
                    is_optional = spots[called, name][0].startswith(("vlans", "services."))
                    if is_optional and usual in (None, (), frozenset()):
                        continue
                    (fact, at), box = spots[called, name], network.box[name]
                    values = f"{told(mine)}, not {told(usual)}"
                    values = f": {values}" if len(values) < _LONG else ""
                    beside = [one for one in said if one != name]
                    where = beside[0] if len(beside) == 1 else f"{len(beside)} switches of its tier"
                    found = f"{called} is not as on {where}{values}"
                    problem = self.problem(box, at, found, "as on the others, or say why not")
                    yield at_fact(problem, box, at, fact, mine)


class ReleasesAreOne(Rule):
    """Switches beside each other run one release."""

    id = "releases"
    severity = "minor"
    why = "two releases in a tier have two sets of defaults and of faults"
    needs = frozenset({"release"})
    of = "release"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for boxes in network.tiers:
            said = {box.name: box.facts.release for box in boxes if box.facts.release}
            counts = Counter(said.values()).most_common()
            for name, release in sorted(said.items()) if len(counts) > 1 else ():
                if release != counts[0][0]:
                    found = f"release {release}, and {counts[0][1]} beside it run {counts[0][0]}"
                    box = network.box[name]
                    yield self.problem(box, "", found, "one release", values=(release,))


def at_fact(problem: Problem, box: Box, at: str, fact: str, value: Hashable) -> Problem:
    """The same problem at the line of another fact."""
    place = box.place(at, fact, _words(value))
    return replace(problem, place=place, lines=(place,))


def told(value: object) -> str:
    """A value for people."""
    if value is None:
        return "none"
    if isinstance(value, tuple | frozenset):
        some = sorted(map(told, value)) if isinstance(value, frozenset) else map(told, value)
        return ", ".join(some) or "none"
    if is_dataclass(value):
        parts = ((one.name, getattr(value, one.name)) for one in fields(value))
        return " ".join(f"{_plain(name)} {told(part)}" for name, part in parts if part is not None)
    return str(value)


def _words(value: object) -> list[str]:
    return [word for word in re.findall(r"[\w./-]+", told(value)) if word[0].isdigit()]


def _plain(fact: str) -> str:
    return fact.rpartition(".")[2].replace("_", " ")
