"""Mutants of servers' files, as roles write them: labelled by their own forms, and who tells.

Four forms, each by its own manual or head comment: `railbed-roce-nic` (a line is `mark`, `each`,
`only PORT` or `nic`, and what follows), `railbed/network` (lines of ip-route(8) and ip-rule(8)),
netplan(5), sysctl.d(5). A line that is no comment and says something else than before is a change;
the order of lines is none. The audit is given all switches and servers of the site.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import yaml

from inventory import open_site
from inventory.plan import Plan
from switch_configs import render
from tests.bench.results import result
from validation.audit.audit import Audit
from validation.audit.box import Box, box
from validation.audit.hosts.differences import differences
from validation.audit.hosts.host import Host, host
from validation.audit.hosts.join import nic_links
from validation.audit.hosts.planned import planned_host
from validation.audit.known import SERVERS, known
from validation.audit.network import Network, network
from validation.audit.rule import Problem, Rule
from validation.audit.rules import rules

from .second_reader.cumulus import _Unique
from .tokens import Mutant, Text, mutants

SITE = "pod-256"
# A node of each kind: all others are written by the same role from the same numbers.
_OF_KIND = 1
_FAMILIES = (
    ("marking", ("map", "trust", "pfc", "tos", "tclass", "cm_mode", "dcbx", "pause", "ets")),
    ("ecn/watchdog", ("ecn", "cnp_dscp", "cnp_priority")),
    ("buffers", ("buffer", "cable")),
    ("mtu", ("mtu",)),
)
Facts = dict[tuple[str, ...], object]


def facts(texts: Mapping[str, str]) -> Facts:
    """What the files of one server make it do, by their forms."""
    found: Facts = {}
    for path, text in texts.items():
        lines = [one.split() for one in text.splitlines() if one and not one.startswith("#")]
        if path.endswith((".yaml", ".yml")):
            found |= _netplan(path, text)
        elif path.endswith("railbed-roce-nic"):
            for words in lines:
                keys = 3 if words[0] in {"only", "nic"} else 2
                found[path, *words[:keys]] = " ".join(words[keys:])
        elif "sysctl" in path:
            for words in lines:
                name, _, value = " ".join(words).partition("=")
                found[path, name.strip()] = value.strip()
        else:
            for words in lines:
                kept = [one for at, one in enumerate(words) if "uuid" not in words[at - 1 : at + 1]]
                found[path, *kept] = True
    return found


def _netplan(path: str, text: str) -> Facts:
    try:
        made = yaml.load(text, Loader=_Unique)  # noqa: S506 # a safe loader, stricter
    except yaml.YAMLError:
        return {("refused", path): True}
    return {(path, *keys): said for keys, said in _ends(made)}


def _ends(root: object, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every end of a tree; the order of a list, and an element twice, are nothing."""
    if isinstance(root, dict):
        for key, value in root.items():
            yield from _ends(value, (*above, str(key)))
    else:
        # Keys of a mapping have no order (YAML 1.2.2, 3.2.1.1), in a list of routes neither.
        yield above, frozenset(map(_sorted, root)) if isinstance(root, list) else root


def _sorted(one: object) -> str:
    return json.dumps(one, sort_keys=True, default=str)


def family(keys: set[tuple[str, ...]]) -> str:
    """Of the facts that differ."""
    if any(key[0] == "refused" for key in keys):
        return "refused"
    words = {word for key in keys for word in key}
    found = (name for name, known in _FAMILIES if words & set(known))
    return next(found, "routing" if any("sysctl" not in key[0] for key in keys) else "tables/leaks")


@cache
def _plan() -> Plan:
    return open_site(SITE)


@cache
def _boxes() -> tuple[Box, ...]:
    plan = _plan()
    made = (box(name, {one.path: one.text for one in render(plan, name).files})
            for name in plan.switch)  # fmt: skip
    return tuple(one for one in made if isinstance(one, Box))


@cache
def _hosts() -> tuple[Host, ...]:
    plan, had = _plan(), Counter[tuple[str, str]]()
    found = []
    for name, node in sorted(plan.node.items()):
        had[node.kind, node.profile] += 1
        # Rules compare servers of a kind: a few of each are there, and one of each is changed.
        if had[node.kind, node.profile] <= 5 * _OF_KIND:
            found.append(planned_host(plan, name))
    return tuple(one for one in found if one.facts.nics)


@cache
def _rules() -> tuple[Rule, ...]:
    """Those that ask servers: what all others say of the switches stays."""
    return tuple(one for one in rules() if known(one, SERVERS).how != "-")


def _beside(hosts: list[Host]) -> Network:
    """The site's switches, whose links stay, and these servers."""
    return replace(_switches(), hosts=tuple(hosts), nic_links=nic_links(hosts, _boxes()))


@cache
def _switches() -> Network:
    return network(_boxes())


def _texts(one: Host) -> dict[str, str]:
    return {f"/{path.partition('/')[2]}": text for path, text in one.texts.items()}


def _told(seen: Network, one: Host | None) -> frozenset[str]:
    """What rules say, and why nobody may call it good, as the audit does of switches."""
    found: list[Problem] = []
    for rule in _rules():
        if one is not None:
            found += rule.of_host(one)
            found += (problem for link in seen.nic_links if link.host is one
                      for problem in rule.of_nic(link))  # fmt: skip
        found += rule.of_network(seen)
    unread = Counter((each.name, line.topic) for each in seen.hosts
                     for line in each.facts.unread_lines)  # fmt: skip
    words = Audit(seen, (), (), unread).inconclusive
    return frozenset({*(f"{each.rule} {each.subject}: {each.found}" for each in found), *words})


def main(seed: int, count: int = 500) -> int:
    """Draw, label, ask and print; survivors one by one."""
    rng, plan = random.Random(seed), _plan()
    firsts: dict[str, Host] = {}
    for one in _hosts():
        firsts.setdefault(plan.node[one.name].profile, one)
    texts = [Text(SITE, "host", one.name, path, text)
             for one in firsts.values() for path, text in _texts(one).items()]  # fmt: skip
    had, told, proved, alarms = Counter[str](), Counter[str](), Counter[str](), 0
    groups: dict[str, list[Mutant]] = defaultdict(list)
    for made in mutants(texts, count, rng):
        before = next(one for one in firsts.values() if one.name == made.of.device)
        kind, said, differs = _one(before, made)
        had[kind] += 1
        told[kind] += bool(said)
        proved[kind] += bool(differs)
        alarms += bool(said) and not kind
        if kind and not said:
            groups[kind].append(made)
        if said and not kind:
            print(f"told of no change: {made}: {min(said)}"[:240])
        if differs and not kind:
            print(f"differs by no change: {made}: {differs[0]}"[:240])
        if kind and not differs:
            print(f"not proved, {kind}: {made}"[:200])
    for kind, lost in sorted(groups.items()):
        for made in lost:
            print(f"survived, {kind}: {made}"[:200])
    print(f"seed {seed}; {sum(had.values())} mutants of {len(firsts)} kinds of servers")
    for kind in sorted(had):
        if kind:
            name = f"audit_hosts_{kind}".replace("/", "_")
            print(result(name, 100 * told[kind] / had[kind], "%", 99, most=False))
            name = name.replace("audit", "proof", 1)
            print(result(name, 100 * proved[kind] / had[kind], "%", 99, most=False))
    changed = sum(had.values()) - had[""]
    for name, by_kind in (("audit", told), ("proof", proved)):
        share = 100 * (by_kind.total() - by_kind[""]) / changed
        print(result(f"{name}_hosts_all", share, "%", 99, most=False))
    print(result("audit_hosts_told_unchanged", alarms, "", 0))
    print(result("proof_hosts_told_unchanged", proved[""], "", 0))
    return 0


def _one(before: Host, made: Mutant) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """The family of what changed, what the audit says of it, and what is not as planned."""
    texts = _texts(before)
    old = facts(texts)
    texts[made.of.path] = made.text
    new = facts(texts)
    keys = {key for key in {*old, *new} if old.get(key) != new.get(key)}
    kind = family(keys) if keys else ""
    after = host(before.name, texts)
    if after is None:
        return kind, frozenset({"it is not read"}), ("it is not read",)
    others = [one for one in _hosts() if one is not before]
    seen = _beside(sorted([*others, after], key=lambda one: one.name))
    return kind, _told(seen, after) - _healthy(before.name), differences(before, after)


@cache
def _healthy(name: str) -> frozenset[str]:
    return _told(_beside([*_hosts()]), next(one for one in _hosts() if one.name == name))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:] or ["1"])))
