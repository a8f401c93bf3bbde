"""What a report says, before it is dressed: the record of one run against its plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from deploy.record.journal import Record
from deploy.record.rows import ChangeRow, RunRow, WaveRow
from deploy.switches.push_result import worst_impact
from inventory.plan import Assumption, Plan
from validation.counters.added import AllAdded, added
from validation.evidence.store import EvidenceStore
from validation.judging.gate import Word
from validation.ladder import ladder
from validation.verdict import Finding, Verdict, worst

from .coverage import Coverage, caveat, coverage
from .figures import Measured, measured
from .pairs import PairMap, pair_maps
from .rungs import Rung, State, rungs
from .suspects import Suspect, Weight, suspects, weights

_ORDER = attrgetter("stage", "check", "device", "expectation")
_VERDICTS = {
    str(Word.GO): Verdict.PASS,
    str(Word.STOP): Verdict.FAIL,
    str(Word.HOLD): Verdict.INCONCLUSIVE,
}


@dataclass(frozen=True, slots=True)
class StageLine:
    """One rung of the ladder: how many expectations ended how."""

    stage: int
    title: str
    verdict: Verdict
    passed: int
    failed: int
    inconclusive: int


@dataclass(frozen=True, slots=True)
class DeviceChange:
    """What a run did to one device: its phases, the diff it applied, its journal."""

    device: str
    wave: str
    impact: str
    phases: tuple[str, ...]
    diff: str
    journal: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """All that a report shows, sorted for reading. Every form of a report is made of it alone."""

    site: str
    planned: str
    plan_digest: str
    run: RunRow
    headline: str
    sentence: str
    caveat: str
    verdict: Verdict
    ladder: tuple[Rung, ...]
    suspects: tuple[Suspect, ...]
    weights: dict[str, Weight]
    coverage: Coverage
    figures: tuple[Measured, ...]
    counters: AllAdded
    pairs: tuple[PairMap, ...]
    parked: tuple[str, ...]
    waves: tuple[WaveRow, ...]
    changes: tuple[DeviceChange, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    assumptions: tuple[Assumption, ...]


def tell(plan: Plan, record: Record, run: RunRow, store: EvidenceStore | None = None) -> Story:
    """The story of one run; a run without findings is inconclusive, never a pass.

    Nor is a run that stopped before its gate: its last findings are those of the gate before.
    `store` is its evidence, for the counters that moved while loads ran.
    """
    findings = tuple(sorted(record.findings(run.id), key=_ORDER))
    waves = record.waves(run.id)
    gates = tuple(map(_gate, waves)) or (() if findings else (_nothing(run),))
    verdict = worst([finding.verdict for finding in (*findings, *gates)])
    parked = record.parked(run.id)
    steps = rungs(findings, record.asked(run.id))
    found = suspects(findings)
    return Story(
        site=plan.site,
        planned=_planned(plan),
        plan_digest=run.plan_digest,
        run=run,
        headline=_headline(run, verdict, findings),
        sentence=_sentence(verdict, steps, found, gates),
        caveat=caveat(plan),
        verdict=verdict,
        ladder=steps,
        suspects=found,
        weights=weights(found, findings),
        coverage=coverage(plan, findings, steps, parked),
        figures=measured(findings),
        counters=added(plan, store) if store else AllAdded(),
        pairs=pair_maps(plan, findings),
        parked=parked,
        waves=waves,
        changes=_device_changes(record.changes(run.id)),
        findings=findings,
        gates=gates,
        assumptions=plan.assumptions,
    )


def _planned(plan: Plan) -> str:
    return (
        f"{len(plan.switches):,} switches, {len(plan.nodes):,} nodes, {len(plan.cables):,} cables"
    )


def _gate(wave: WaveRow) -> Finding:
    """What a wave's gate decided, as one more finding."""
    verdict = _VERDICTS.get(wave.decision or "", Verdict.INCONCLUSIVE)
    said = "" if verdict is Verdict.PASS else "; ".join(wave.reasons) or "nothing was decided"
    name = f"gate:{wave.name}"
    return Finding(0, "gate", wave.step, name, verdict, f"wave {wave.name}", said, "go")


def _nothing(run: RunRow) -> Finding:
    said = run.outcome or "still running, or killed"
    return Finding(0, "run", "", f"run:{run.id}", Verdict.INCONCLUSIVE, "", said, "findings")


def stage_lines(findings: Iterable[Finding]) -> tuple[StageLine, ...]:
    """Findings counted by stage, in the order of the ladder."""
    stages = ladder()
    by_stage: dict[int, list[Verdict]] = {}
    for finding in findings:
        by_stage.setdefault(finding.stage, []).append(finding.verdict)
    return tuple(
        StageLine(
            stage,
            stages[stage].title if stage in stages else "",
            worst(verdicts),
            verdicts.count(Verdict.PASS),
            verdicts.count(Verdict.FAIL),
            verdicts.count(Verdict.INCONCLUSIVE),
        )
        for stage, verdicts in sorted(by_stage.items())
    )


def _headline(run: RunRow, verdict: Verdict, findings: tuple[Finding, ...]) -> str:
    good = sum(finding.verdict is Verdict.PASS for finding in findings)
    outcome = run.outcome or "still running, or killed"
    said = verdict if outcome == verdict else f"{outcome} ({verdict})"
    return f"{said}: {good:,} of {len(findings):,} expectations pass"


def _sentence(
    verdict: Verdict,
    steps: tuple[Rung, ...],
    found: tuple[Suspect, ...],
    gates: tuple[Finding, ...],
) -> str:
    """The verdict in one sentence, as one would say it aloud."""
    if verdict is Verdict.PASS:
        through = max((rung.stage for rung in steps if rung.state is State.PASS), default=0)
        return f"All that was asked passes, through stage {through:02d}."
    bad = [suspect for suspect in found if suspect.verdict is verdict]
    if not bad:
        said = next((finding.found for finding in gates if finding.verdict is verdict), "")
        return f"No finding says so, but a gate did: {said}" if said else "Nothing was measured."
    where = sorted({finding.stage for finding in bad[0].findings})
    fails, is_open = ("fails", "is open") if len(where) == 1 else ("fail", "are open")
    at = f"stage {where[0]:02d}" if len(where) == 1 else f"stages {where[0]:02d} to {where[-1]:02d}"
    others = "1 more suspect" if len(bad) == 2 else f"{len(bad) - 1} more suspects"
    more = f", and {others} below" if len(bad) > 1 else ""
    return (
        f"Look at {bad[0].name}: {at} {fails if verdict is Verdict.FAIL else is_open} there{more}."
    )


def _device_changes(rows: tuple[ChangeRow, ...]) -> tuple[DeviceChange, ...]:
    by_device: dict[tuple[str, str], list[ChangeRow]] = {}
    for row in rows:
        by_device.setdefault((row.wave, row.device), []).append(row)
    return tuple(
        DeviceChange(
            device,
            wave,
            worst_impact(row.impact for row in group),
            tuple(dict.fromkeys(row.phase for row in group if row.phase != "diff")),
            "\n".join(row.detail for row in group if row.phase == "diff"),
            tuple(f"{row.at} {row.detail}" for row in group if row.phase != "diff"),
        )
        for (wave, device), group in by_device.items()
    )
