"""Which length of soak a run was asked for: it lies with the evidence, as words. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from validation.evidence.store import EvidenceError

from .terms import LOOK, Length, lengths

SOAK = "soak "


def length_in(words: Iterable[str]) -> Length:
    """The longest that was asked; a look where none was. EvidenceError for one nobody knows."""
    names = {one.removeprefix(SOAK) for one in words if one.startswith(SOAK)}
    if unknown := sorted(names - set(lengths())):
        raise EvidenceError(f"the run was asked to {SOAK}{unknown[0]}, which this release lacks")
    mine = [one for name, one in lengths().items() if name in names]
    return mine[-1] if mine else lengths()[LOOK]
