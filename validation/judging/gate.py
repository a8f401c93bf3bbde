"""The gate: what findings mean for going on.

Fail stops, missing knowledge holds, and nothing that worked before may be lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from validation.verdict import Finding, Verdict

from .absence import Absence, told
from .advisory import asks_for_a_reboot, is_advisory

if TYPE_CHECKING:  # brings pytest, which takes longer than all else here
    from validation.run import ValidationResult


class Word(StrEnum):
    """What to do next."""

    GO = "go"
    HOLD = "hold"
    STOP = "stop"


EXIT_CODES = {Word.GO: 0, Word.STOP: 1, Word.HOLD: 3}
BUDGET = "absence budget"  # not a suspect: it says who is parked, or why nobody is
_RANK = {Word.STOP: 0, Word.HOLD: 1, Word.GO: 2}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a gate did not say go: one suspect, and all expectations that point at it.

    `found`, `expected` and `hint` are those of the first, `lost` tells whether any of
    them worked before. A reason of word GO is a fault that the gate did not ask about. `devices`
    are those on which it was found, as gravely as `word`.
    """

    word: Word
    suspect: str
    expectations: tuple[str, ...]
    found: str
    expected: str
    hint: str
    lost: bool = False
    devices: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = f" (and {len(self.expectations) - 1} more)" if len(self.expectations) > 1 else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.suspect}: {self.found or 'not as expected'}{more}{hint}"


@dataclass(frozen=True, slots=True)
class GateDecision:
    """The gate's word, its exit code, and its reasons: gravest first, most blamed first.

    What waits for a reboot comes before what is open because of it. `parked` nodes it went on
    without: they are unvalidated. Of those that `reboot` more is known once they have booted anew.
    """

    word: Word
    reasons: tuple[Reason, ...]
    parked: tuple[str, ...] = ()
    reboot: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 go, 1 stop, 3 hold."""
        return EXIT_CODES[self.word]

    @property
    def mended_by(self) -> str:
        """What people do about it, before they run it again."""
        mend, boots = "mend the suspect", f"drain and reboot {', '.join(self.reboot)}"
        if self.word is not Word.HOLD or not self.reboot:
            return mend
        counting = [reason for reason in self.reasons if reason.word is not Word.GO]
        alone = all(set(reason.devices) <= set(self.reboot) for reason in counting)
        return boots if alone else f"{mend}, {boots}"

    @property
    def suspects(self) -> tuple[str, ...]:
        """The parts to go and look at, in the order of the reasons that count."""
        return tuple(reason.suspect for reason in self.reasons if reason.word is not Word.GO)


def decide(
    result: ValidationResult,
    required: Iterable[str],
    worked_before: Iterable[str] = (),
    away: Absence | None = None,
) -> GateDecision:
    """What the gate says.

    `required` ids must pass: a fail is stop, an inconclusive or unanswered one hold.
    `worked_before` ids that do not pass any more are stop, also when nobody answered: the
    step just done is the likely cause; but hold where they are open on a device that says itself
    that it waits for a reboot. Take them from expectations that the plan still has.
    A reboot that is due is told and holds nothing by itself. Nodes of `away` that are within the
    budget are parked: `required` then is what is asked of the others. What fails on one stops all
    the same.
    """
    left = away or Absence()
    parked = frozenset(left.parked)
    must, before = frozenset(required), frozenset(worked_before)
    by_id = {finding.expectation: finding for finding in result.findings}
    absent = [_absent(name, result) for name in sorted((must | before) - set(by_id))]
    waiting = {one.device for one in result.findings if asks_for_a_reboot(one)}
    words = {
        finding: _word(finding, must, before, parked, waiting)
        for finding in (*result.findings, *absent)
        if finding.verdict is not Verdict.PASS
    }
    word = min(words.values(), key=_RANK.__getitem__, default=Word.GO)
    reasons = _reasons(words, before)
    if said := told(left):
        # It explains why others hold, or names who is left out: it is no fault by itself.
        reasons = (*reasons, Reason(Word.GO, BUDGET, (), said, "", ""))
    held = {one.device for one, word in words.items() if word is Word.HOLD}
    return GateDecision(word, reasons, left.parked, tuple(sorted(held & waiting)))


def _absent(name: str, result: ValidationResult) -> Finding:
    why = "no stage answered this"
    check = name.partition(":")[0]
    return Finding(result.through, check, "", name, Verdict.INCONCLUSIVE, "unanswered", why)


def _word(
    one: Finding,
    must: frozenset[str],
    before: frozenset[str],
    parked: frozenset[str],
    waiting: set[str],
) -> Word:
    if is_advisory(one):
        return Word.GO
    if one.expectation in before:
        is_open = one.verdict is Verdict.INCONCLUSIVE
        return Word.HOLD if is_open and one.device in waiting else Word.STOP
    if one.device in parked and one.verdict is Verdict.FAIL:
        return Word.STOP
    if one.expectation not in must:
        return Word.GO
    return Word.STOP if one.verdict is Verdict.FAIL else Word.HOLD


def _reasons(words: dict[Finding, Word], before: frozenset[str]) -> tuple[Reason, ...]:
    groups: dict[str, list[Finding]] = {}
    for finding in words:
        groups.setdefault(finding.suspect or f"device {finding.device}", []).append(finding)
    ordered = sorted(groups.items(), key=lambda group: _order(group[0], group[1], words))
    return tuple(_reason(suspect, found, words, before) for suspect, found in ordered)


def _order(
    suspect: str, found: list[Finding], words: dict[Finding, Word]
) -> tuple[int, bool, int, str]:
    rank = min(_RANK[words[one]] for one in found)
    waits = any(one.waits and words[one] is Word.HOLD for one in found)
    return rank, not waits, -len(found), suspect


def _reason(
    suspect: str, found: list[Finding], words: dict[Finding, Word], before: frozenset[str]
) -> Reason:
    ordered = sorted(found, key=lambda one: (_RANK[words[one]], one.verdict != Verdict.FAIL, one))
    first, names = ordered[0], tuple(finding.expectation for finding in ordered)
    lost = any(name in before for name in names)
    word = words[first]
    devices = tuple(sorted({one.device for one in found if words[one] is word}))
    return Reason(word, suspect, names, first.found, first.expected, first.hint, lost, devices)
