"""Whether what validation said of a fault is what a person wrote down of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validation.judging.advisory import is_advisory
from validation.judging.gate import Word, decide
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict

from .fault import Fault


@dataclass(frozen=True, slots=True)
class Outcome:
    """One fault and what was said: first stage, verdict, the suspects as a gate orders them."""

    fault: Fault
    stage: int | None
    verdict: Verdict
    suspects: tuple[str, ...]
    seconds: float

    @property
    def caught(self) -> bool:
        """It was not passed."""
        return self.verdict is not Verdict.PASS

    @property
    def in_place(self) -> bool:
        """At the stage and with the verdict that were written down."""
        return (self.stage, self.verdict) == (self.fault.stage, self.fault.verdict)

    @property
    def right(self) -> bool:
        """The first suspect is right, and nobody is named who has nothing to do with it."""
        named = set(self.suspects)
        first = self.suspects[:1] and self.suspects[0] in self.fault.suspects
        return bool(first) and named <= self.fault.suspects | self.fault.also


def outcome(fault: Fault, findings: Sequence[Finding], seconds: float) -> Outcome:
    """What findings say of a fault; those of hidden checks do not count.

    Suspects are those of the first stage that does not pass: what comes after rests on it.
    """
    seen = tuple(one for one in findings if one.check not in fault.hidden)
    bad = [one for one in seen if one.verdict is not Verdict.PASS and not is_advisory(one)]
    if not bad:
        return Outcome(fault, None, Verdict.PASS, (), seconds)
    stage = min(one.stage for one in bad)
    first = tuple(one for one in bad if one.stage == stage)
    verdict = Verdict.FAIL if any(_fails(one) for one in first) else Verdict.INCONCLUSIVE
    result = ValidationResult("", stage, first, {}, ())
    reasons = decide(result, [one.expectation for one in first]).reasons
    words = {Word.STOP} if verdict is Verdict.FAIL else {Word.HOLD}
    suspects = tuple(one.suspect for one in reasons if one.word in words)
    return Outcome(fault, stage, verdict, suspects, seconds)


def _fails(one: Finding) -> bool:
    return one.verdict is Verdict.FAIL


def line(one: Outcome) -> str:
    """One row of the table."""
    stage = f"{one.stage:>5}" if one.stage is not None else "    -"
    said = "; ".join(one.suspects) or "nobody"
    judged = "right" if one.right else "WRONG"
    place = "" if one.in_place else f"  (stage {one.fault.stage} {one.fault.verdict} was expected)"
    return f"{one.fault.name:38} {stage} {one.verdict:12} {judged}  {said}{place}"
