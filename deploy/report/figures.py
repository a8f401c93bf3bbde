"""The numbers of a run, by kind: the same check, unit, size and rank count are one kind.

Numbers of different kinds never meet in one picture or one median. What kind a number is of is
read from the words of its expectation's id, which are parted by colons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from validation.verdict import Finding, Verdict

_SIZE = re.compile(r"(?:size=)?(\d+(?:\.\d+)?)\s?(B|[KMGT]i?B?)", re.IGNORECASE)
_NODES = re.compile(r"(?:nodes=|n=|n)?(\d+)(?:\s?nodes?|n)|n(?:odes)?=?(\d+)")
# Stage 70 writes them bare: `collective:all_reduce:16:node-p1-01:large`.
_BARE_NODES = re.compile(r"(\d+)")
_COLLECTIVES = 70
# Words of the terms for a size: where they mean other bytes, the figures' terms say so.
_WORDS = ("small", "medium", "large")
_FLOW = re.compile(r"([A-Za-z0-9._-]+)>([A-Za-z0-9._-]+)")
_POWERS = {"": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4}
# What a count is counted in: nobody asks how these are spread, but what they are.
COUNTS = frozenset(
    {"bytes", "counts", "drops", "errors", "events", "flaps", "frames", "marks", "packets"}
)


@dataclass(frozen=True, slots=True, order=True)
class Kind:
    """What may be compared. `what` is the check and those words of the id that are no names.

    `nodes` is how many took part, 0 where the id does not say.
    """

    stage: int
    what: str
    size: str
    nodes: int
    unit: str

    def __str__(self) -> str:
        among = f"{self.nodes} nodes" if self.nodes else ""
        return " ".join(one for one in (self.what, self.size, among) if one)


@dataclass(frozen=True, slots=True, order=True)
class Measured:
    """One number, and the expectation that it was judged for."""

    kind: Kind
    expectation: str
    value: float
    verdict: Verdict


def measured(findings: Iterable[Finding]) -> tuple[Measured, ...]:
    """Every finding that has a figure, sorted by kind."""
    return tuple(sorted(_one(finding) for finding in findings if finding.figure))


def by_kind(some: Iterable[Measured]) -> dict[Kind, tuple[Measured, ...]]:
    """Grouped; counts are left out."""
    kept = (one for one in some if one.kind.unit not in COUNTS)
    return {kind: tuple(group) for kind, group in groupby(sorted(kept), key=lambda one: one.kind)}


def flow_of(expectation: str) -> tuple[str, str] | None:
    """The sender and the receiver that an id names as `a>b`, or None."""
    found = _FLOW.search(expectation)
    return (found[1], found[2]) if found else None


def size_bytes(size: str) -> float:
    """A size as a number, for sorting: powers of 1024; 0 where there is none."""
    if size in _WORDS:
        return float(_WORDS.index(size))
    found = _SIZE.fullmatch(size)
    return float(found[1]) * 1024.0 ** _POWERS[found[2][0].upper()] if found else 0.0


def _one(finding: Finding) -> Measured:
    size, nodes, words = "", 0, [finding.check]
    for word in finding.expectation.split(":")[1:]:
        bare = _BARE_NODES.fullmatch(word) if finding.stage == _COLLECTIVES else None
        if _SIZE.fullmatch(word) or word in _WORDS:
            size = word.removeprefix("size=")
        elif found := bare or _NODES.fullmatch(word):
            nodes = int(next(group for group in found.groups() if group))
        elif _is_kind(word, finding):
            words.append(word)
    figure = finding.figure
    if figure is None:
        raise ValueError(finding.expectation)
    kind = Kind(finding.stage, " ".join(words), size, nodes, figure.unit)
    return Measured(kind, finding.expectation, figure.value, finding.verdict)


def _is_kind(word: str, finding: Finding) -> bool:
    """Whether a word says what was done, not where: only letters, and no device's name."""
    return word != finding.device and bool(re.fullmatch(r"[a-z]+(_[a-z]+)*", word))
