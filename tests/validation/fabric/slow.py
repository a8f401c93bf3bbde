"""A second solver, as plain as can be: one prefix at a time, whole AS paths, rounds until nothing
moves. It knows the cables from how they were made, and shares no code with what it is held against.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from switch_configs.readback.facts import PolicyFacts, SessionFacts, SwitchFacts

from .made import Made

Hops = dict[tuple[str, str], frozenset[str]]


@dataclass(frozen=True)
class _Way:
    """(preference, AS path, communities) of a route, and the port that it came by."""

    preference: int
    path: tuple[int, ...]
    marks: frozenset[str]
    port: str = ""


def slow(made: Made, failed: Iterable[str] = ()) -> Hops:
    """Ports of all equal best paths by (box, prefix), for prefixes that are not its own."""
    gone = frozenset(failed)
    talks = [one for one in _talks(made) if not gone & _touched(one)]
    prefixes = {one for facts in made.facts.values() for one in facts.originates}
    found: Hops = {}
    for prefix in prefixes:
        found |= _of_prefix(made, prefix, talks, gone)
    return found


# (teller, its session, hearer, its session)
_Talk = tuple[str, SessionFacts, str, SessionFacts]


def _touched(talk: _Talk) -> set[str]:
    a, at_a, b, at_b = talk
    return {a, b, f"{a}:{at_a.key}", f"{b}:{at_b.key}"}


def _talks(made: Made) -> list[_Talk]:
    found = []
    for wire in made.wires:
        ends = []
        for name, port in (wire.low, wire.high):
            ends += [(name, s) for s in made.facts[name].sessions if s.key == port]
        if len(ends) == 2:
            (a, at_a), (b, at_b) = ends
            if not (at_a.carries_ipv4 and at_b.carries_ipv4):
                continue
            if at_a.peer_asn == made.facts[b].asn and at_b.peer_asn == made.facts[a].asn:
                found += [(a, at_a, b, at_b), (b, at_b, a, at_a)]
    return found


def _of_prefix(made: Made, prefix: str, talks: list[_Talk], gone: frozenset[str]) -> Hops:
    own = {
        name: _Way(1000, (), frozenset())
        for name, facts in made.facts.items()
        if prefix in facts.originates and name not in gone
    }
    best = dict(own)
    for _ in range(100):
        heard = {name: _heard(made, prefix, name, talks, best) for name in made.facts}
        after = dict(own)
        for name, ways in heard.items():
            if name not in own and ways:
                after[name] = ways[0]
        if after == best:
            break
        best = after
    else:
        raise AssertionError(f"{prefix} never settles")
    return {
        (name, prefix): frozenset(
            way.port
            for way in ways
            if (way.preference, len(way.path)) == (ways[0].preference, len(ways[0].path))
        )
        for name, ways in heard.items()
        if name not in own and name not in gone
    }


def _heard(
    made: Made, prefix: str, name: str, talks: list[_Talk], best: dict[str, _Way]
) -> list[_Way]:
    """What a box holds, best first."""
    found = []
    for teller, said, hearer, heard in talks:
        if hearer == name and teller in best:
            way = _passed(made.facts[teller], said, made.facts[name], heard, prefix, best[teller])
            if way:
                order = int(IPv4Address(made.facts[teller].router_id or "0.0.0.0"))
                found.append((-way.preference, len(way.path), order, teller, way.port, way))
    return [one[-1] for one in sorted(found, key=lambda one: one[:-1])]


def _passed(
    teller: SwitchFacts,
    said: SessionFacts,
    hearer: SwitchFacts,
    heard: SessionFacts,
    prefix: str,
    way: _Way,
) -> _Way | None:
    path = (teller.asn or 0, *way.path)
    if hearer.asn in path:
        return None
    marks = way.marks
    out = _applied(teller, said.policy_out, prefix, marks)
    if out is None:
        return None
    into = _applied(hearer, heard.policy_in, prefix, out)
    if into is None:
        return None
    return _Way(0 if "65535:0" in into else 100, path, into, heard.key)


def _applied(
    facts: SwitchFacts, name: str | None, prefix: str, marks: frozenset[str]
) -> frozenset[str] | None:
    if name is None:
        return None if facts.ebgp_requires_policy else marks
    policy: PolicyFacts = next(one for one in facts.policies if one.name == name)
    net = IPv4Network(prefix)
    fits = any(
        net.subnet_of(IPv4Network(rule.prefix))
        and rule.shortest_bits <= net.prefixlen <= rule.longest_bits
        for rule in policy.permits
    )
    if not fits or marks & set(policy.refuses):
        return None
    return marks | set(policy.adds)
