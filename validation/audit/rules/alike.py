"""Ports, sessions and switches beside each other say the same: one that does not was forgotten.

What most of at least four say is taken for what is meant. Ports are compared with those of their
rate and cable, switches with those of their system that have the same neighbours.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace

from switch_configs.readback.facts import ClassFacts, PortFacts, SessionFacts
from validation.audit.box import Box
from validation.audit.network import Network
from validation.audit.rule import Problem, Rule

from .marking import carriers

_LEAST = 4
_MOST_PERCENT = 25


def odd(said: Mapping[str, Hashable]) -> Iterator[tuple[str, Hashable, Hashable]]:
    """Names of the few that say another thing than nearly all: theirs, and the usual one."""
    if len(said) < _LEAST:
        return
    (usual, count), *others = Counter(said.values()).most_common()
    if others and (len(said) - count) * 100 <= len(said) * _MOST_PERCENT:
        yield from ((name, mine, usual) for name, mine in sorted(said.items()) if mine != usual)


# What is compared of a port: the fact, as rules name it.
def _of_port(port: PortFacts) -> Iterator[tuple[str, Hashable]]:
    qos = port.qos
    yield "port.ip_mtu_bytes", port.ip_mtu_bytes
    yield "port.fec", port.fec
    yield "port.autoneg", port.autoneg
    if qos is None:
        return
    yield "qos.pfc_priorities", qos.pfc_priorities
    yield "qos.watchdog", qos.watchdog
    yield "qos.headroom", qos.headroom
    for field in ("strict", "weight_percent", "rate_cap_percent", "ecn"):
        yield f"class.{field}", tuple(_of_class(one, field) for one in qos.classes)


def _of_class(one: ClassFacts, field: str) -> tuple[int, Hashable]:
    return one.dscps[0] if one.dscps else -1, getattr(one, field)


class PortsAreAlike(Rule):
    """Ports of one rate and cable treat the lossless class alike."""

    id = "odd-port"
    severity = "major"
    why = "flows over one port are marked, paused or served otherwise than over all others"
    needs = frozenset({"qos.pfc_priorities"})

    def of_box(self, box: Box) -> Iterator[Problem]:
        groups: dict[tuple[Hashable, ...], list[PortFacts]] = defaultdict(list)
        for port in carriers(box):
            groups[port.rate_gbps, port.qos.cable_m if port.qos else None].append(port)
        for ports in groups.values():
            facets: dict[str, dict[str, Hashable]] = defaultdict(dict)
            for port in ports:
                for fact, value in _of_port(port):
                    facets[fact][port.name] = value
            for fact, said in facets.items():
                for name, mine, usual in odd(said):
                    yield self.differs(box, name, fact, mine, usual)

    def differs(self, box: Box, name: str, fact: str, mine: Hashable, usual: Hashable) -> Problem:
        """A problem at the line of the fact that differs."""
        found = f"{_plain(fact)} is {told(mine)}, of the other ports {told(usual)}"
        problem = self.problem(box, name, found, "as on the other ports")
        return at_fact(problem, box, name, fact, mine)


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
        tables: dict[tuple[str, bool], list[SessionFacts]] = defaultdict(list)
        for session in box.facts.sessions:
            inside = session.peer_asn in ("internal", box.facts.asn)
            tables[session.vrf, inside].append(session)
        for sessions in tables.values():
            for field in fields(SessionFacts):
                if field.name not in _SESSION:
                    continue
                said = {one.key: getattr(one, field.name) for one in sessions}
                for key, mine, usual in odd(said):
                    # More than the others have is meant; times that are not there have no value.
                    if usual in (None, False) or (mine is None and field.name in _FOLLOWS):
                        continue
                    fact = f"session.{field.name}"
                    found = f"{_plain(fact)} is {told(mine)}, of the other sessions {told(usual)}"
                    problem = self.problem(box, key, found, "as on the other sessions")
                    yield at_fact(problem, box, key, fact, mine)


def tiers(network: Network) -> Iterator[list[Box]]:
    """Switches of one system with the same neighbours, leaves apart from what is above."""
    far: dict[str, set[str]] = defaultdict(set)
    for (name, _), end in network.far_end.items():
        far[name].add(end.box.name)
    groups: dict[tuple[str, bool, frozenset[str]], list[Box]] = defaultdict(list)
    for box in network.boxes:
        if far[box.name]:
            has_hosts = box.name in network.unseen_ends
            groups[box.system, has_hosts, frozenset(far[box.name])].append(box)
    yield from groups.values()


def _of_box(box: Box) -> Iterator[tuple[str, Hashable]]:
    facts = box.facts
    yield "ecmp_width", facts.ecmp_width
    yield "hash_seed", facts.hash_seed
    yield "lldp_hold_s", facts.lldp_hold_s
    yield "ebgp_requires_policy", facts.ebgp_requires_policy
    yield "services.ntp", facts.services.ntp
    yield "services.syslog", facts.services.syslog
    yield "services.tacacs", facts.services.tacacs
    yield "services.management_vrf", facts.services.management_vrf
    yield "buffers.alpha", facts.buffers.alpha
    used = {name for one in facts.sessions for name in (one.policy_in, one.policy_out)}
    for policy in (one for one in facts.policies if one.name in used):
        yield f"policy {policy.name}", policy
    kinds = {(port.rate_gbps, port.qos) for port in carriers(box)}
    if len(kinds) == 1:
        yield "qos", next(iter(kinds))


class SwitchesAreAlike(Rule):
    """Switches beside each other are configured alike."""

    id = "odd-switch"
    severity = "major"
    why = "one switch of a tier that does otherwise than its neighbours is seen by its flows alone"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for boxes in tiers(network):
            facets: dict[str, dict[str, Hashable]] = defaultdict(dict)
            for box in boxes:
                for fact, value in _of_box(box):
                    facets[fact][box.name] = value
            for fact, said in facets.items():
                for name, mine, usual in odd(said):
                    box = network.box[name]
                    policy = fact.removeprefix("policy ") if fact.startswith("policy ") else ""
                    what = f"policy {policy}" if policy else _plain(fact)
                    values = "" if fact == "qos" or policy else f": {told(mine)}, not {told(usual)}"
                    found = f"{what} is not as on the {len(said) - 1} switches beside it{values}"
                    problem = self.problem(box, policy, found, "as on the others, or say why not")
                    yield at_fact(problem, box, policy, "policy.permits" if policy else fact, mine)


class ReleasesAreOne(Rule):
    """Switches beside each other run one release."""

    id = "releases"
    severity = "minor"
    why = "two releases in a tier have two sets of defaults and of faults"
    needs = frozenset({"release"})
    of = "release"

    def of_network(self, network: Network) -> Iterator[Problem]:
        for boxes in tiers(network):
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
    if isinstance(value, tuple):
        return ", ".join(map(told, value)) or "none"
    if is_dataclass(value):
        parts = ((one.name, getattr(value, one.name)) for one in fields(value))
        return " ".join(f"{_plain(name)} {told(part)}" for name, part in parts if part is not None)
    return str(value)


def _words(value: object) -> list[str]:
    return [word for word in re.findall(r"[\w./-]+", told(value)) if word[0].isdigit()]


def _plain(fact: str) -> str:
    return fact.rpartition(".")[2].replace("_", " ")
