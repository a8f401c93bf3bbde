"""The ladder of one run: how each stage ended, and why one has no answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from validation.judging.advisory import is_advisory
from validation.ladder import ladder
from validation.stage import Stage
from validation.verdict import Finding, Verdict, worst


class State(StrEnum):
    """How a rung ended. Only PASS proves anything."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not run"
    NOT_ASKED = "not asked"


_OF_VERDICT = {
    Verdict.PASS: State.PASS,
    Verdict.FAIL: State.FAIL,
    Verdict.INCONCLUSIVE: State.INCONCLUSIVE,
}


@dataclass(frozen=True, slots=True)
class Rung:
    """One stage: how many of its expectations ended how, and a reason where it says nothing."""

    stage: int
    title: str
    state: State
    passed: int = 0
    failed: int = 0
    inconclusive: int = 0
    why: str = ""

    @property
    def asked(self) -> int:
        """How many expectations there were."""
        return self.passed + self.failed + self.inconclusive


def rungs(
    findings: Iterable[Finding],
    asked: frozenset[int] | None = None,
    stages: Mapping[int, Stage] | None = None,
) -> tuple[Rung, ...]:
    """Every stage that there is. `asked` are those that the run was for; None: not known."""
    known = ladder() if stages is None else stages
    by_stage: dict[int, list[Finding]] = {}
    for one in findings:
        by_stage.setdefault(one.stage, []).append(one)
    open_ones = {
        number
        for number, found in by_stage.items()
        if any(
            finding.verdict is not Verdict.PASS and not is_advisory(finding) for finding in found
        )
    }
    return tuple(
        _rung(number, known.get(number), by_stage.get(number, []), asked, open_ones)
        for number in sorted({*known, *by_stage})
    )


def _rung(
    number: int,
    stage: Stage | None,
    found: list[Finding],
    asked: frozenset[int] | None,
    open_ones: set[int],
) -> Rung:
    title = stage.title if stage else ""
    if not found:
        return Rung(number, title, State.NOT_ASKED, why=_unasked(number, stage, asked))
    verdicts = [finding.verdict for finding in found]
    rung = Rung(
        number,
        title,
        _OF_VERDICT[worst(verdicts)],
        verdicts.count(Verdict.PASS),
        verdicts.count(Verdict.FAIL),
        verdicts.count(Verdict.INCONCLUSIVE),
    )
    if stage and stage.loads and set(verdicts) == {Verdict.INCONCLUSIVE}:
        below = {one for one in open_ones if one < number and _blocks(one, stage)}
        if below and not any(finding.figure for finding in found):
            why = f"stage {min(below):02d} below it does not pass, so nothing was loaded"
            return replace(rung, state=State.NOT_RUN, why=why)
    return rung


def _blocks(number: int, stage: Stage) -> bool:
    """Whether loads of a stage wait for another: for all that load nothing, and what it needs."""
    below = ladder().get(number)
    return number in stage.needs or below is None or not below.loads


def _unasked(number: int, stage: Stage | None, asked: frozenset[int] | None) -> str:
    if asked is not None and number in asked:
        return "the plan has nothing to ask here"
    if stage and stage.loads:
        return f"it loads nodes or links: ask for it by `railbed validate --through {number}`"
    return f"`railbed validate --through {number}` asks it" if asked is not None else ""
