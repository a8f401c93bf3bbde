"""Verdicts and findings: the words in which every stage answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """What evidence says. Missing evidence is INCONCLUSIVE, never PASS."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, order=True)
class Figure:
    """A number with its unit (`Gb/s`, `us`, `GB/s`, `s`); reports and later runs compare it.

    `terms` say how it was measured (tool, seconds, streams, planned rate): numbers of other terms
    are no history of it.
    """

    value: float
    unit: str
    terms: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """The answer to one expectation.

    `expectation` is its stable id, e.g. `bgp:leaf-p1-r0:swp5`, the same for the same
    plan object in every run; `suspect` names the part to go and look at (a cable, a
    device, a port); `found`, `expected` and `hint` are sentences for people. `figure` is the
    number it was judged by, where there is one.
    """

    stage: int
    check: str
    device: str
    expectation: str
    verdict: Verdict
    suspect: str = ""
    found: str = ""
    expected: str = ""
    hint: str = ""
    figure: Figure | None = field(default=None, compare=False)


def worst(verdicts: list[Verdict]) -> Verdict:
    """FAIL over INCONCLUSIVE over PASS; nothing at all is INCONCLUSIVE."""
    for one in (Verdict.FAIL, Verdict.INCONCLUSIVE):
        if one in verdicts:
            return one
    return Verdict.PASS if verdicts else Verdict.INCONCLUSIVE
