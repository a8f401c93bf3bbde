"""`router policy` -> policies in neutral words. Source: NVUE Command Reference, Router Policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from typing import TypeVar

from switch_configs.readback.facts import Hazard, PermitFacts, PolicyFacts

from .reading import CumulusReading
from .take import Node, here, is_whole, node, number, text

T = TypeVar("T")

_DRAINED = "65535:0"
# Every prefix of any length (NVUE Command Reference, Router Policy: `match any`).
_ANY = {"any": "0.0.0.0/0"}
_WORDS = {"graceful-shutdown": _DRAINED}


@dataclass
class Rule:
    """One rule of a route map."""

    number: int
    action: str
    prefixes: str | None
    communities: str | None
    preference: int | None
    adds: list[str] = field(default_factory=list)


def read(tree: Node, found: CumulusReading) -> None:
    """Takes the policies out of the tree."""
    at = node(tree, "router", "policy")
    lists = {name: _prefixes(at, name, found) for name in list(node(at, "prefix-list"))}
    marks = {name: _communities(at, name, found) for name in list(node(at, "community-list"))}
    for name in list(node(at, "route-map")):
        rules = sorted(_rules(at, name, found), key=lambda one: one.number)
        found.policies.append(_policy(name, rules, lists, marks, found))
    _used(found)


def _used(found: CumulusReading) -> None:
    names = {one.name for one in found.policies}
    for one in found.sessions:
        for policy in (one.policy_in, one.policy_out):
            if policy and policy not in names:
                words = f"policy {policy} is used and not defined"
                found.hazards.append(Hazard(words, "undefined-policy", policy))
    out = {session.policy_out for session in found.sessions}
    adds = [one.adds for one in found.policies if one.name in out]
    found.drained |= bool(adds) and all(_DRAINED in one for one in adds)


def _action(rule: Node) -> str:
    if here(rule, "action", "permit"):
        return "permit"
    if here(rule, "action", "deny"):
        return "deny"
    return text(rule, "action") or ""


def _prefixes(at: Node, name: str, found: CumulusReading) -> list[PermitFacts]:
    if (text(at, "prefix-list", name, "type") or "ipv4") != "ipv4":
        found.hazards.append(f"prefix list {name} is not of IPv4")
    out = []
    for key in list(node(at, "prefix-list", name, "rule")):
        rule = node(at, "prefix-list", name, "rule", key)
        if _action(rule) != "permit":
            found.hazards.append(f"rule {key} of prefix list {name} does not permit")
        for prefix in list(node(rule, "match")):
            least = number(rule, "match", prefix, "min-prefix-len")
            most = number(rule, "match", prefix, "max-prefix-len")
            here(rule, "match", prefix)
            bits = _bits(_ANY.get(prefix, prefix))
            if bits is None:
                found.hazards.append(f"prefix list {name} has '{prefix}', which is no prefix")
                continue
            is_any = prefix in _ANY
            longest = most or (32 if least or is_any else bits)
            out.append(PermitFacts(_ANY.get(prefix, prefix), least or bits, longest))
    return sorted(out)


def _bits(prefix: str) -> int | None:
    try:
        return ip_network(prefix).prefixlen
    except ValueError:
        return None


def _communities(at: Node, name: str, found: CumulusReading) -> list[str]:
    out = []
    for key in list(node(at, "community-list", name, "rule")):
        rule = node(at, "community-list", name, "rule", key)
        if _action(rule) != "permit":
            found.hazards.append(f"rule {key} of community list {name} does not permit")
        said = [one for one in list(node(rule, "community")) if here(rule, "community", one)]
        out += [_WORDS.get(one, one) for one in said]
    return out


def _rules(at: Node, name: str, found: CumulusReading) -> list[Rule]:
    out = []
    for key in list(node(at, "route-map", name, "rule")):
        rule = node(at, "route-map", name, "rule", key)
        kind = text(rule, "match", "type")
        found.says("its family", f"rule {key} of route map {name}", kind is not None)
        if kind not in (None, "ipv4"):
            found.hazards.append(f"rule {key} of route map {name} is not for IPv4")
        one = Rule(
            int(key) if is_whole(key) else 0,
            _action(rule),
            text(rule, "match", "ip-prefix-list"),
            text(rule, "match", "community-list"),
            number(rule, "set", "local-preference"),
        )
        for community in list(node(rule, "set", "community")):
            if here(rule, "set", "community", community):
                one.adds.append(_WORDS.get(community, community))
        out.append(one)
    return out


def _policy(
    name: str,
    rules: list[Rule],
    lists: dict[str, list[PermitFacts]],
    marks: dict[str, list[str]],
    found: CumulusReading,
) -> PolicyFacts:
    """What passes: rules that drop come first, then those for the drained, then the rest."""
    permits: list[PermitFacts] = []
    refuses: list[str] = []
    adds: set[tuple[str, ...]] = set()
    drained: list[PermitFacts] | None = None
    for rule in rules:
        held = _list(name, rule.prefixes, lists, found)
        marked = _list(name, rule.communities, marks, found)
        passed = bool(permits) or drained is not None
        if rule.action == "deny" and rule.communities and not rule.prefixes and not passed:
            refuses += marked
        elif rule.action == "permit" and marked == [_DRAINED] and rule.preference == 0:
            drained = held
            adds.add(tuple(rule.adds))
            if permits:
                found.hazards.append(f"route map {name} lets the drained pass before it sees them")
        elif rule.action == "permit" and rule.prefixes and not rule.communities:
            permits += held
            adds.add(tuple(rule.adds))
            if rule.preference is not None:
                found.hazards.append(f"route map {name} prefers by {rule.preference}")
        else:
            found.hazards.append(f"rule {rule.number} of route map {name} is not understood")
    if len(adds) > 1 or (drained is not None and sorted(drained) != sorted(permits)):
        found.hazards.append(f"route map {name} treats the drained otherwise than by preference")
    return PolicyFacts(
        name=name,
        permits=tuple(sorted(permits)),
        adds=next(iter(adds), ()) if len(adds) == 1 else (),
        refuses=tuple(refuses),
        drained_last=drained is not None,
    )


def _list(
    name: str, used: str | None, known: Mapping[str, list[T]], found: CumulusReading
) -> list[T]:
    if used is not None and used not in known:
        found.hazards.append(f"route map {name} uses the list {used}, which is not defined")
    return known.get(used or "", [])
