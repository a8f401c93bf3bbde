"""The absence budget: how many nodes a gate may go on without, and which these are. Pure.

A large fleet always has a few nodes that do not answer: at 16,384 GPUs something fails every 1.8
hours (arXiv 2410.21680), so a gate that waits for all of them never opens. A small share may be
absent or open, where chance explains which they are. These are parked: named, unvalidated, in
nobody's count of what passes, and given back to service by nobody here. What fails is never parked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb, floor

from inventory.plan import Node, Plan, PortRef
from validation.verdict import Finding, Verdict

from .advisory import is_advisory

# So improbable that so many absent nodes share a rack, a leaf, a pod or a profile by chance, over
# all of these together, that it has a cause.
IMPROBABLE = 0.01
_ANSWERS = "answers"


@dataclass(frozen=True, slots=True)
class Absence:
    """`parked` nodes, of at most `allowed`; `why` nobody is, where some are open."""

    parked: tuple[str, ...] = ()
    allowed: int = 0
    why: str = ""


def allowance(plan: Plan) -> int:
    """How many nodes may be absent: a share of those in pods, rounded down; few nodes have none.

    Servers beside the pods (storage, logins) are not counted: others need each of them.
    """
    return floor(len(_members(plan)) * plan.absence_percent / 100)


def absence(plan: Plan, findings: Iterable[Finding]) -> Absence:
    """Who may be parked. All that are open are, or nobody is: above the budget, or in a pattern."""
    allowed, members = allowance(plan), _members(plan)
    if not allowed:
        return Absence()
    found = [
        finding
        for finding in findings
        if finding.verdict is not Verdict.PASS and not is_advisory(finding)
    ]
    open_ones = {name for finding in found if (name := _whose(finding)) in members}
    if len(open_ones) > allowed:
        why = f"{len(open_ones)} nodes are absent or open, the absence budget is {allowed}"
        return Absence((), allowed, why)
    parkable = tuple(sorted(name for name in open_ones if _may_park(plan, name, found)))
    if pattern := common_cause(plan, tuple(sorted(open_ones))):
        return Absence((), allowed, f"the nodes that are absent or open have {pattern} in common")
    return Absence(parkable, allowed)


def common_cause(plan: Plan, names: Sequence[str]) -> str:
    """What so many of these nodes share that it is no chance; empty where chance explains it."""
    members = _members(plan)
    domains = _domains([members[name] for name in sorted(members)])
    found = []
    for name, inside in domains.items():
        hit = len(inside.intersection(names))
        chance = len(domains) * _at_least(hit, len(inside), len(names), len(members))
        if hit > 1 and chance < IMPROBABLE:
            found.append((chance, name))
    return min(found)[1] if found else ""


def _members(plan: Plan) -> dict[str, Node]:
    missing = set(plan.undeployable)
    return {node.name: node for node in plan.nodes if node.pod and node.name not in missing}


def _domains(nodes: Sequence[Node]) -> dict[str, frozenset[str]]:
    """What nodes share, by name; of domains with the same nodes only the first is kept."""
    found: dict[str, set[str]] = {}
    for node in nodes:
        rack = [f"rack {node.rack} of pod {node.pod}, with its PDUs"] if node.rack else []
        leaves = [f"leaf {nic.leaf.device}" for nic in node.rails]
        leaves += [f"leaf {nic.leaf.device}" for nic in node.nics]
        shared = [f"pod {node.pod}", *rack, *leaves, f"profile {node.profile}"]
        shared.append(f"engine {node.engine}")
        for name in shared:
            found.setdefault(name, set()).add(node.name)
    kept: dict[frozenset[str], str] = {}
    for name, inside in found.items():
        kept.setdefault(frozenset(inside), name)
    return {name: inside for inside, name in kept.items() if len(inside) > 1}


def _at_least(hit: int, inside: int, drawn: int, total: int) -> float:
    """The chance that `hit` or more of `drawn` nodes are among `inside` of `total`."""
    ways = sum(
        comb(inside, one) * comb(total - inside, drawn - one)
        for one in range(hit, min(inside, drawn) + 1)
    )
    return ways / comb(total, drawn)


def _whose(one: Finding) -> str:
    """The device that is missing where a finding is open; empty where it is not that."""
    if one.verdict is not Verdict.INCONCLUSIVE:
        return ""
    word, _, name = one.suspect.partition(" ")
    if not one.suspect:
        return one.device
    return name if word == "device" else ""


def _may_park(plan: Plan, name: str, found: Sequence[Finding]) -> bool:
    """Nothing of the node fails, and what fails about it is only that it is not there.

    One that waits for a reboot is there: who went on would change all others before it has booted.
    """
    if any(finding.device == name and finding.waits for finding in found):
        return False
    about = [
        finding
        for finding in found
        if finding.verdict is Verdict.FAIL and _touches(plan, finding, name)
    ]
    if any(finding.device == name for finding in about):
        return False
    if not any(
        (finding.check, finding.device, _whose(finding)) == (_ANSWERS, name, name)
        for finding in found
    ):
        return not about
    absent = {f"device {name}", *(f"cable {plan.cable_at[end]}" for end in _ends(plan, name))}
    return all(finding.suspect in absent for finding in about)


def _touches(plan: Plan, one: Finding, name: str) -> bool:
    word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
    if one.device == name or word.search(one.expectation) or word.search(one.suspect):
        return True
    parts = one.expectation.split(":")
    port = PortRef(one.device, parts[2]) if len(parts) > 2 else None
    cable = plan.cable_at.get(port) if port else None
    return bool(cable and name in (cable.a.device, cable.b.device))


def _ends(plan: Plan, name: str) -> list[PortRef]:
    node = plan.node[name]
    ports = [*(nic.port for nic in node.rails), *(nic.port for nic in node.nics)]
    return [end for port in ports if (end := PortRef(name, port)) in plan.cable_at]


def told(found: Absence) -> str:
    """One sentence for people; empty where nobody is parked and nobody was refused."""
    if found.parked:
        count = f"{len(found.parked)} of at most {found.allowed}"
        return f"parked as unvalidated, {count}: {', '.join(found.parked)}"
    return found.why
