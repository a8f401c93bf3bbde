"""A plan that moved since it was last applied: one cause, told once and not port by port. Pure.

Until `apply` has run, machines are as the plan before said, and all of a kind differ from this one
in the same way. That is no fault of theirs and still no pass: only who is blamed changes here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from inventory.plan import Plan, PortRef
from validation.verdict import Finding, Verdict

CAUSE = "the plan, which moved since the last apply"
# A sentence that is the same under both plans has no earlier value to compare: two sick nodes
# look like two nodes of the plan before. So each stays its own suspect, unless every one of a
# kind is alike, and there are so many.
LEAST_UNSAID = 3
MAYBE = (
    "its part of the plan moved since the last apply, and whether it is as before is not known: "
    "run `railbed apply`; what stays after it is a fault of its own"
)
# Of a kind's members: fewer are parts that somebody changed, and each is its own suspect.
LEAST, SHARE = 2, 0.9
# Checks whose sentence is the same under every plan, and which compare with what it says: a cable
# or a daemon that fails on all of a kind is no setting of the plan before.
_SETTINGS = frozenset(
    {"files", "kernel", "lossless", "nic", "pfc", "running", "settings", "software", "state"}
)
_NAME = re.compile(r"([A-Za-z][\w.-]*)(?::([\w./-]*[\w-]))?")
_OWN = re.compile(r"\b\d+(?:\.\d+){3}(?:/\d+)?\b|\b[0-9a-f]{12,64}\b")
_WORD = re.compile(r"[\w./-]+")


@dataclass(frozen=True, slots=True)
class Before:
    """The plan that was applied last: what each expectation said when it passed under it.

    `changed` are the devices whose part of the plan is another one now; "" stands for all.
    """

    said: Mapping[str, str]
    changed: frozenset[str]


@dataclass(frozen=True, slots=True, order=True)
class _Kind:
    """What members of a kind have in common: who they are, the question, and how it moved."""

    members: str
    check: str
    asks: str
    wanted: str
    before: str


def one_cause(plan: Plan, findings: Sequence[Finding], before: Before) -> tuple[Finding, ...]:
    """The findings; those of a kind that (nearly) all are as `before` have the plan as suspect.

    So does what only follows from them: it names the same part, for the same value. No verdict
    changes, and the hint has each attribute with its count. A setting without an earlier value to
    compare keeps its suspect and gets a hint, unless every one of its kind is found alike.
    """
    asked, groups = Counter[_Kind](), dict[tuple[_Kind, str], list[Finding]]()
    unsaid = dict[tuple[_Kind, str], list[Finding]]()
    for one in findings:
        if one.verdict is Verdict.INCONCLUSIVE or one.expectation not in before.said:
            continue
        kind = _kind(plan, one, before.said[one.expectation])
        asked[kind] += 1
        if one.verdict is Verdict.FAIL and _is_as_before(one, before):
            groups.setdefault((kind, _shape(plan, one, one.found)), []).append(one)
        elif _may_be(one, before):
            unsaid.setdefault((kind, _shape(plan, one, one.found)), []).append(one)
    moved = {
        key: some
        for key, some in sorted(groups.items())
        if len(some) >= LEAST and len(some) >= SHARE * asked[key[0]]
    } | {
        key: some
        for key, some in sorted(unsaid.items())
        if len(some) >= LEAST_UNSAID and len(some) == asked[key[0]]
    }
    findings = [
        replace(finding, hint=f"{finding.hint}; {MAYBE}" if finding.hint else MAYBE)
        if _may_be(finding, before)
        else finding
        for finding in findings
    ]
    if not moved:
        return tuple(findings)
    counts = "; ".join(_told(kind, some, asked[kind]) for (kind, _), some in moved.items())
    hint = (
        f"the plan moved since the last apply, and these are alike as before it: {counts}. "
        "Run `railbed apply`; what stays after it is a fault of its own"
    )
    every = [finding for some in moved.values() for finding in some]
    theirs = {finding.expectation for finding in every}
    follows = {(finding.suspect, before.said[finding.expectation]) for finding in every}
    return tuple(
        replace(finding, suspect=CAUSE, hint=hint)
        if finding.expectation in theirs or _follows(finding, follows)
        else finding
        for finding in findings
    )


def _is_as_before(one: Finding, before: Before) -> bool:
    """Whether what was found has the value that the plan before wanted and this one does not.

    A number that was measured is no setting.
    """
    then = set(_WORD.findall(before.said[one.expectation])) - set(_WORD.findall(one.expected))
    return one.figure is None and bool(then) and then <= set(_WORD.findall(one.found))


def _may_be(one: Finding, before: Before) -> bool:
    """Whether it is a setting of a device that moved, with no earlier value to compare."""
    return (
        one.verdict is Verdict.FAIL
        and one.check in _SETTINGS
        and one.figure is None
        and before.said.get(one.expectation) == one.expected
        and not before.changed.isdisjoint({"", one.device})
    )


def _follows(one: Finding, moved: Iterable[tuple[str, str]]) -> bool:
    return one.verdict is Verdict.FAIL and any(
        one.suspect == suspect and _has(one.found, was) for suspect, was in moved
    )


def _has(text: str, words: str) -> bool:
    return bool(words) and re.search(rf"(?<![\w.]){re.escape(words)}(?![\w.])", text) is not None


def _kind(plan: Plan, one: Finding, was: str) -> _Kind:
    asks = _shape(plan, one, one.expectation)
    wanted = "" if was == one.expected else _shape(plan, one, one.expected)
    return _Kind(_members(plan, one.device, asks), one.check, asks, wanted, _shape(plan, one, was))


def _members(plan: Plan, device: str, asks: str) -> str:
    has_port = "a port" in asks
    if device in plan.node:
        return "NICs" if has_port else "nodes"
    if device in plan.any_switch:
        switches = f"{plan.any_switch[device].tier} switches"
        return f"ports of {switches}" if has_port else switches
    return device


def _shape(plan: Plan, one: Finding, text: str) -> str:
    """The text without what is each member's own: names, ports, addresses, digests."""
    own, made, at = PortRef(one.device, one.expectation.rpartition(":")[2]), list[str](), 0
    if own in plan.cable_at:
        text = re.sub(rf"(?<![\w./:-]){re.escape(own.port)}(?![\w/-])", "a port", text)
    while found := _NAME.search(text, at):
        name, port = found[1], found[2]
        made.append(text[at : found.start()])
        at = found.end(1)
        if name not in plan.management_mac:
            made.append(name)
        elif port and PortRef(name, port) in plan.cable_at:
            made.append("a port")
            at = found.end()
        else:
            made.append("a device")
    return _OWN.sub("...", "".join([*made, text[at:]]))


def _told(kind: _Kind, some: Sequence[Finding], asked: int) -> str:
    said = f": {kind.before}" if kind.wanted else ": their part of the plan moved"
    return f"{len(some)} of {asked} {kind.members} ({kind.check}{said})"
