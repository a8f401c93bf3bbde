"""Runs as the record keeps them, for tests of reports: recorded evidence, and figures made up.

Rates are made up with a fixed seed: a share of the planned rate, a little noise, and faults that
the caller names. Nothing here says what a report must make of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from deploy.record.journal import Record
from deploy.record.rows import RunRow
from inventory.plan import Plan
from tests.validation.recorded import EVIDENCE, everything, judged, lab, recorded
from validation.evidence.store import EvidenceStore
from validation.expect import expectations
from validation.expectation import Expectation
from validation.ladder import ladder
from validation.run import validate
from validation.stages.s50_pairs.expect import BandwidthExpected
from validation.verdict import Figure, Finding, Verdict

Judge = Callable[[Expectation], Finding]
TERMS = "made up for tests"


def finding(
    one: Expectation,
    verdict: Verdict = Verdict.PASS,
    suspect: str = "",
    found: str = "",
    hint: str = "",
) -> Finding:
    """The answer to an expectation."""
    expected = "" if verdict is Verdict.PASS else one.says
    return Finding(
        one.stage, one.check, one.device, one.id, verdict, suspect, found, expected, hint
    )


def rates(
    plan: Plan, seed: int, slow: dict[str, tuple[float, str]], wanted: Iterable[Expectation]
) -> Iterator[Finding]:
    """Answers to all expectations; flows of a node in `slow` get a share, and name a suspect."""
    noise = random.Random(seed)
    for one in wanted:
        if not isinstance(one, BandwidthExpected):
            yield finding(one)
            continue
        share, flow = noise.gauss(0.975, 0.006), one.probe
        ends = {f"{flow.sender}:{flow.rail}", f"{flow.receiver}:{flow.rail}"}
        ends |= {flow.sender, flow.receiver}
        hit = min((slow[end] for end in ends if end in slow), default=None)
        share = share * hit[0] if hit else share
        value = share * flow.rate_gbps
        found = f"{value:.3g} Gb/s, {share:.0%} of {flow.rate_gbps:g}"
        hint = "compare the counters of both ends, then exchange the cable"
        bad = finding(one, Verdict.FAIL, hit[1], found, hint) if hit else finding(one)
        yield replace(bad, figure=Figure(value, "Gb/s", TERMS))


def keep(
    record: Record, plan: Plan, findings: Iterable[Finding], asked: Iterable[int], outcome: str
) -> RunRow:
    """A validation that is over, on record."""
    run = record.begin_run(plan.site, plan.digest)
    record.add_findings(run, "validate", findings, asked)
    record.end_run(run, outcome)
    return next(one for one in record.runs() if one.id == run)


def lab_run(folder: Path, evidence: str = "link_down") -> tuple[Plan, Record, RunRow]:
    """The lab as it was recorded with a fault: quiet stages only, as loads then do not run."""
    plan, record = lab(), Record(folder / "record.sqlite")
    found = judged(recorded(evidence), 40).findings
    return plan, record, keep(record, plan, found, (10, 20, 30, 40), "fail")


def slow_lab_run(folder: Path) -> tuple[Plan, Record, RunRow]:
    """The lab as it was recorded with one NIC at a tenth of its rate, and healthy otherwise."""
    plan, record = lab(), Record(folder / "record.sqlite")
    store = EvidenceStore()
    for one in (recorded("healthy"), EvidenceStore.load(EVIDENCE / "pairs" / "slow_nic")):
        # Recorded on two days: as if of one plan and one boot.
        store.add(
            replace(
                frame, plan_digest=plan.digest, identity=replace(frame.identity, boot_id="1-2-3")
            )
            for frame in one
        )
    asked = frozenset({20, 40, 50})
    left = frozenset(ladder()) - asked
    # No counters of switch ports were recorded with it.
    known = {one.check for one in expectations(plan, everything(), 50, left)} - {"coverage"}
    answer = validate(plan, 50, store, None, everything(), leave_out=left, checks=frozenset(known))
    return plan, record, keep(record, plan, answer.findings, asked, "fail")


def fleet(
    plan: Plan, seed: int, partners: int, slow: dict[str, tuple[float, str]]
) -> tuple[Finding, ...]:
    """Flows of every rail NIC to so many others, and collectives; 4 of 10 slowly bimodal.

    One pod of nodes is a little slower than the rest, as by a firmware of its own.
    """
    noise = random.Random(seed)
    nodes, found = plan.nodes, list[Finding]()
    for at, node in enumerate(nodes):
        for rail in node.rails:
            for step in range(1, partners + 1):
                peer = nodes[(at + step * step) % len(nodes)]
                found.append(_flow(noise, node.name, peer.name, rail.index, slow))
    found += _collectives(noise, len(nodes))
    return tuple(sorted(found))


def _flow(
    noise: random.Random, a: str, b: str, rail: int, slow: dict[str, tuple[float, str]]
) -> Finding:
    share = noise.gauss(0.975, 0.004) - (0.03 if "-p3-" in a else 0.0)
    hit = slow.get(f"{a}:{rail}") or slow.get(f"{b}:{rail}") or slow.get(a)
    share = min(1.0, share * hit[0] if hit else share)
    figure = Figure(400 * share, "Gb/s", TERMS)
    verdict = Verdict.FAIL if hit else Verdict.PASS
    said = f"{figure.value:.3g} Gb/s, {share:.0%} of 400" if hit else ""
    name, hint = f"bw:rail{rail}:{a}>{b}", "exchange the cable" if hit else ""
    return Finding(50, "bw", a, name, verdict, hit[1] if hit else "", said, "", hint, figure)


def _collectives(noise: random.Random, most: int) -> Iterator[Finding]:
    """Bus bandwidth over nodes: an all_to_all that does not scale, and an all_reduce that does."""
    for check, top, loss in (("all_reduce", 380.0, 0.01), ("alltoall", 49.0, 0.09)):
        for size, reached in (("1M", 0.2), ("64M", 0.8), ("8G", 1.0)):
            nodes, doublings = 2, 0
            while nodes <= most:
                value = top * reached * (1 - loss * doublings) + noise.gauss(0, top * 0.004)
                verdict = Verdict.FAIL if loss * doublings > 0.5 else Verdict.PASS
                name = f"{check}:{size}:{nodes}nodes"
                figure = Figure(value, "GB/s", TERMS)
                yield Finding(70, check, "node-p1-1", name, verdict, figure=figure)
                nodes, doublings = nodes * 2, doublings + 1
