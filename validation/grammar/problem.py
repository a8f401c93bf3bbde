"""What a grammar refuses: one line of a rendered configuration, and the reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GrammarProblem:
    """A line (from 1; 0 is the whole text) that the system would refuse; never holds a secret."""

    line: int
    text: str
    why: str
