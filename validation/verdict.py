"""Verdicts and findings: the words in which every stage answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from inventory.visible import one_line


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

    def __post_init__(self) -> None:
        """Kept and shown in lines of ours."""
        object.__setattr__(self, "terms", one_line(self.terms))


_SAID = ("check", "device", "expectation", "suspect", "found", "expected", "hint")


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """The answer to one expectation.

    `expectation` is its stable id, e.g. `bgp:leaf-p1-r0:swp5`, the same for the same
    plan object in every run; `suspect` names the part to go and look at (a cable, a
    device, a port); `found`, `expected` and `hint` are sentences for people. `figure` is the
    number it was judged by, where there is one. `waits`: the device said that a reboot changes
    it; gates ask that of what was just measured, and no record keeps it.
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
    waits: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """What devices said is in it: nothing of that acts on a terminal, or ends the line."""
        for name in _SAID:
            if not (text := getattr(self, name)).isprintable():
                object.__setattr__(self, name, one_line(text))


def worst(verdicts: list[Verdict]) -> Verdict:
    """FAIL over INCONCLUSIVE over PASS; nothing at all is INCONCLUSIVE."""
    for one in (Verdict.FAIL, Verdict.INCONCLUSIVE):
        if one in verdicts:
            return one
    return Verdict.PASS if verdicts else Verdict.INCONCLUSIVE
