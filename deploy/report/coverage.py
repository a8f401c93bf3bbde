"""How much a run covered, and what it did not prove. What is left out here would be believed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from inventory.plan import Plan
from validation.ladder import unasked
from validation.pairing.matchings import Matchings, asked_by
from validation.verdict import Finding, Verdict

from .figures import flow_of
from .rungs import Rung, State

_RAIL = re.compile(r"rail\d+")
_CAVEATS = {
    "ecn": (
        "This fabric has classes and ECN, and no PFC: a switch drops what it cannot hold. "
        "Nothing here shows that a fabric is lossless."
    ),
    "marking-only": (
        "This fabric's switches are declared marking-only: they have no PFC, ECN or buffers. "
        "Its verdicts speak of cabling, routing, MTU and DSCP marking. "
        "Nothing here shows that a fabric is lossless."
    ),
}


_SINGLE = 45


@dataclass(frozen=True, slots=True)
class Coverage:
    """`judged` of `asked` expectations got an answer, from `devices` of `planned_devices`.

    `unproved` are sentences, the gravest first; `matched` tells of random matchings that were
    asked beyond the plan, and for how long a soak watched.
    """

    asked: int
    judged: int
    devices: int
    planned_devices: int
    nics: int
    planned_nics: int
    unproved: tuple[str, ...]
    matched: tuple[str, ...] = ()


def caveat(plan: Plan) -> str:
    """What no run on this fabric can show; empty where it has all of the lossless class."""
    return _CAVEATS.get(plan.lossless.mode, "")


def coverage(
    plan: Plan, findings: Sequence[Finding], ladder: Iterable[Rung], parked: Sequence[str] = ()
) -> Coverage:
    """What was judged, and all that was not."""
    judged = [finding for finding in findings if finding.verdict is not Verdict.INCONCLUSIVE]
    nics = sum(len(node.rails) for node in plan.nodes)
    return Coverage(
        asked=len(findings),
        judged=len(judged),
        devices=len({finding.device for finding in judged} & set(plan.devices)),
        planned_devices=len(plan.devices),
        nics=min(len(_loaded(judged)), nics),
        planned_nics=nics,
        unproved=tuple(_unproved(plan, tuple(ladder), parked)),
        matched=(*_matched(findings), *_watched(findings)),
    )


def _matched(findings: Iterable[Finding]) -> Iterator[str]:
    """What came of each request for random matchings, and how to have the same pairs again."""
    found: dict[Matchings, list[Verdict]] = {}
    for finding in findings:
        for asked in asked_by([finding.expectation]):
            found.setdefault(asked, []).append(finding.verdict)
    for asked, verdicts in sorted(found.items()):
        good, every = verdicts.count(Verdict.PASS), len(verdicts)
        yield f"{asked.words}: {good:,} of {every:,} flows pass; the same pairs: {asked.again}"


def _watched(findings: Sequence[Finding]) -> Iterator[str]:
    """For how long the fabric was watched, and what of all frames was lost meanwhile."""
    streams = [one for one in findings if one.check == "soak" and one.figure]
    for terms in sorted({one.figure.terms for one in streams if one.figure}):
        mine = [one for one in streams if one.figure and one.figure.terms == terms]
        good = sum(one.verdict is Verdict.PASS for one in mine)
        yield f"{terms}: {good:,} of {len(mine):,} streams pass"
    for one in findings:
        if one.expectation == "loss:fabric" and one.figure:
            said = f"{one.figure.value:.2g} {one.figure.unit} sent, of all ports together"
            yield f"{one.figure.terms}: {said}: {one.verdict}"


def _loaded(judged: Iterable[Finding]) -> set[tuple[str, str]]:
    """(node, rail) of every flow that was measured."""
    found: set[tuple[str, str]] = set()
    for finding in judged:
        flow = flow_of(finding.expectation)
        if finding.figure and flow:
            words = finding.expectation.split(":")
            rail = next((word for word in words if _RAIL.fullmatch(word)), words[1])
            found |= {(flow[0], rail), (flow[1], rail)}
    return found


def _unproved(plan: Plan, ladder: Sequence[Rung], parked: Sequence[str]) -> Iterable[str]:
    if parked:
        yield f"Not validated, parked within the absence budget: {', '.join(parked)}"
    if said := caveat(plan):
        yield said
    for one in ladder:
        name = f"Stage {one.stage:02d}, {one.title}"
        if one.state is State.NOT_RUN:
            yield f"{name}: not run, {one.why}"
        elif one.inconclusive:
            yield f"{name}: {one.inconclusive} of {one.asked} expectations are open"
    quiet = [rung for rung in ladder if rung.state is State.NOT_ASKED]
    if quiet:
        names = ", ".join(f"{rung.stage:02d} {rung.title}" for rung in quiet)
        yield f"Not asked in this run: {names}"
    asked = {rung.stage for rung in ladder if rung.state is not State.NOT_ASKED}
    yield from _untested(plan, asked)
    for number in sorted(asked):
        yield from (f"Stage {number} {said}" for said in unasked(number, plan))
    if unmeasured := sum(not assumption.measured for assumption in plan.assumptions):
        yield f"{unmeasured} values of the assumption ledger below were not measured here"
    if plan.undeployable:
        names = _few(plan.undeployable)
        yield f"{len(plan.undeployable)} planned devices have no as-built row: {names}"


_TESTS = {
    "scratch": "no scratch disk",
    "stream": "no STREAM",
    "dcgm_level": "no DCGM",
    "burn": "no burn",
    "all_reduce": "no all_reduce inside the node",
}


def _untested(plan: Plan, asked: Collection[int]) -> Iterable[str]:
    """What stages that were asked leave out, because no profile and no site names it."""
    lacking: dict[str, tuple[str, ...]] = {}
    waits: dict[str, tuple[str, ...]] = {}
    for node in plan.nodes if _SINGLE in asked else ():
        known = (name for name in _TESTS if node.gpus or name in ("scratch", "stream"))
        off = [name for name in known if getattr(node.acceptance, name) is None]
        unlocked = {one.option for one in node.software.waiting}
        waiting = [name for name in off if f"acceptance.{name}" in unlocked]
        waits[node.profile] = tuple(_TESTS[name] for name in waiting)
        lacking[node.profile] = tuple(_TESTS[name] for name in off if name not in waiting)
    for found, why in (
        (lacking, "its `acceptance` names none"),
        (waits, "what they need is not locked yet"),
    ):
        for profile, tests in sorted(found.items()):
            if tests:
                said = ", ".join(tests)
                yield f"Stage {_SINGLE} runs {said} on {profile}: {why}"


def _few(names: Sequence[str], most: int = 8) -> str:
    more = len(names) - most
    return f"{', '.join(names[:most])}{f' and {more} more' if more > 0 else ''}"
