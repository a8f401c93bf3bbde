"""What a report says, before it is dressed: the record of one run against its plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from deploy.push_result import worst_impact
from deploy.record import Record
from deploy.rows import ChangeRow, RunRow, WaveRow
from inventory.plan import Assumption, Plan
from validation.gate import Word
from validation.ladder import ladder
from validation.verdict import Finding, Verdict, worst

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
class Suspect:
    """One part to go and look at, and everything that points at it."""

    name: str
    verdict: Verdict
    findings: tuple[Finding, ...]


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
    """All that a report shows, sorted for reading."""

    site: str
    plan_digest: str
    run: RunRow
    headline: str
    caveat: str
    verdict: Verdict
    stages: tuple[StageLine, ...]
    suspects: tuple[Suspect, ...]
    waves: tuple[WaveRow, ...]
    changes: tuple[DeviceChange, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    assumptions: tuple[Assumption, ...]


def tell(plan: Plan, record: Record, run: RunRow) -> Story:
    """The story of one run; a run without findings is inconclusive, never a pass.

    Nor is a run that stopped before its gate: its last findings are those of the gate before.
    """
    findings = tuple(sorted(record.findings(run.id)))
    waves = record.waves(run.id)
    gates = tuple(map(_gate, waves)) or (() if findings else (_nothing(run),))
    verdict = worst([one.verdict for one in (*findings, *gates)])
    return Story(
        site=plan.site,
        plan_digest=run.plan_digest,
        run=run,
        headline=_headline(run, verdict, findings),
        caveat=_caveat(plan),
        verdict=verdict,
        stages=stage_lines(findings),
        suspects=suspects(findings),
        waves=waves,
        changes=_device_changes(record.changes(run.id)),
        findings=findings,
        gates=gates,
        assumptions=plan.assumptions,
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
    for one in findings:
        by_stage.setdefault(one.stage, []).append(one.verdict)
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


def suspects(findings: Iterable[Finding]) -> tuple[Suspect, ...]:
    """What did not pass, grouped by suspect, the most pointed-at first."""
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        if one.verdict is not Verdict.PASS:
            groups.setdefault(one.suspect or one.device, []).append(one)
    named = [
        Suspect(name, worst([one.verdict for one in group]), tuple(group))
        for name, group in groups.items()
    ]
    return tuple(
        sorted(
            named, key=lambda one: (one.verdict is not Verdict.FAIL, -len(one.findings), one.name)
        )
    )


def _headline(run: RunRow, verdict: Verdict, findings: tuple[Finding, ...]) -> str:
    good = sum(one.verdict is Verdict.PASS for one in findings)
    outcome = run.outcome or "still running, or killed"
    said = verdict if outcome == verdict else f"{outcome} ({verdict})"
    return f"{said}: {good} of {len(findings)} expectations pass"


def _caveat(plan: Plan) -> str:
    if plan.lossless.mode == "full":
        return ""
    if plan.lossless.mode == "ecn":
        return (
            "This fabric has classes and ECN, and no PFC: a switch drops what it cannot hold. "
            "Nothing here shows that a fabric is lossless."
        )
    return (
        "This fabric's switches are declared marking-only: they have no PFC, ECN or buffers. "
        "Its verdicts speak of cabling, routing, MTU and DSCP marking. "
        "Nothing here shows that a fabric is lossless."
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
