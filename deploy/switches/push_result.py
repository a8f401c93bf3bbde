"""What a push saw and did, in values: outcomes and impact. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, get_args

from switch_configs.diff import FileDiff, diff
from switch_configs.intent import Impact, Phase, Rendered, Step

# How the last row of a push that was taken back ends, on record: runs that follow read it.
OLD_AGAIN = "done: the device has its old configuration again"
NEW_KEPT = "done: the device had confirmed the new configuration"
NEITHER = "done: the device holds neither the old nor the new configuration"
TAKEN_BACK = "done: the unconfirmed push was taken back"

# How `drain` begins where the switch was.
DRAINED = "drained: "

Outcome = Literal["done", "failed", "undone"]


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A step that was run, and the end of what the device said."""

    name: str
    phase: Phase
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PushResult:
    """The end of one push.

    `changed`: the device's configuration differed from the plan's. `confirmed`: the plan's
    configuration is now the device's, also after a restart. `rolled_back`: it was seen that
    the device has its old configuration again. `drain`: that it was drained first, or why not, in
    words; "" where nobody asked. `ok` is False when the device is not as the
    plan (or, in a dry run, the difference could not be told); `message` and `hint` say why.
    """

    device: str
    ok: bool
    changed: bool
    diffs: tuple[FileDiff, ...] = ()
    impact: Impact = "none"
    steps: tuple[StepOutcome, ...] = ()
    confirmed: bool = False
    rolled_back: bool = False
    message: str = ""
    hint: str = ""
    drain: str = ""


def digest(rendered: Rendered) -> str:
    """Name exactly these files, with owners and modes."""
    total = hashlib.sha256()
    for file in rendered.files:
        for part in (file.path, file.owner, file.group, file.mode, file.text):
            total.update(part.encode() + b"\0")
    return total.hexdigest()


def holds(state: Rendered, old: Rendered, new: Rendered) -> bool:
    """Whether a device holds what it did; it may have been saved meanwhile.

    That it was not is a mark, which goes then.
    """
    files = {one.path for one in (*state.files, *new.files)}
    kept = tuple(one for one in old.files if one.path in files or not one.is_mark)
    return not diff(state, replace(old, files=kept))


def as_steps_say(
    found: tuple[FileDiff, ...], old: Rendered, steps: Iterable[Step]
) -> tuple[FileDiff, ...]:
    """What differs: where that is one file, with the impact of this very change of it."""
    marks = {one.path for one in old.files if one.is_mark}
    worst = worst_impact(step.impact for step in steps)
    is_alone = sum(one.path not in marks for one in found) == 1
    return tuple(
        replace(one, impact=worst) if is_alone and one.path not in marks else one for one in found
    )


def worst_impact(impacts: Iterable[Impact]) -> Impact:
    """Pick the heaviest, in the order in which `Impact` names them."""
    order: tuple[Impact, ...] = get_args(Impact)
    return max(impacts, key=order.index, default="none")


def is_at_least(impact: Impact, least: Impact) -> bool:
    """Whether an impact is this one or heavier."""
    return worst_impact((impact, least)) == impact


def lines_changed(diff: FileDiff) -> str:
    """Count what a unified diff adds and takes away, as `+3 -1`."""
    lines = diff.text.splitlines()[2:]
    return f"+{_begin(lines, '+')} -{_begin(lines, '-')}"


def _begin(lines: list[str], sign: str) -> int:
    return sum(1 for line in lines if line.startswith(sign))


def stage_of(detail: str) -> str:
    """The first word of ours in a note, `begins`; the rest may be a device's."""
    word = detail.partition(":")[0]
    return word if word in ("begins", "done", "failed") else "noted"
