"""What every expectation is: one thing that must be true, with a stable id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that must be true, and the sentence that says so.

    `id` is the same for the same plan object in every run. One that is `saved` is about what a
    restart would load: it holds only once a change is confirmed.
    """

    stage: ClassVar[int]
    check: ClassVar[str]
    saved: ClassVar[bool] = False
    id: str
    device: str
    says: str
