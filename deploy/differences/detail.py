"""One thing that differs, in the words that people read before they approve."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from switch_configs.changes import IMPACTS
from switch_configs.intent import Impact


@dataclass(frozen=True, slots=True)
class Detail:
    """`place` is a role or a file, `what` the thing or the section in it.

    An attribute has `wanted` and `found`; a text has `lines`, which begin with `- ` (the device
    has it, the plan has not) or `+ `. Of lines that nobody planned no words are in them.
    `reason` says in one phrase why the impact is what it is; `cause` which value of the inventory
    changed, empty where nobody knows.
    """

    place: str
    what: str
    impact: Impact
    reason: str
    wanted: str = ""
    found: str = ""
    lines: tuple[str, ...] = ()
    cause: str = ""


def worst(details: Iterable[Detail]) -> Impact:
    """The worst impact of some; "none" of none."""
    return max((detail.impact for detail in details), key=IMPACTS.index, default="none")
