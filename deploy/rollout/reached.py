"""Which plan each device is at, as far as the record of runs says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from deploy.record.journal import CHECKED, DRILL, ROLES, Record
from deploy.record.rows import ChangeRow
from deploy.switches.push_result import NEITHER, NEW_KEPT, OLD_AGAIN, TAKEN_BACK

from .outcome import left_of

ROLLBACK = "rollback"
_UNTOUCHED = ("diff", "drain", "stage", "check", "checkpoint", "packages")
_BEFORE = "what it ran before run"
_OF_RUN = re.compile(rf"{_BEFORE} (\d{{1,9}})")
UNKNOWN = "neither"
_WENT_BACK = (OLD_AGAIN, TAKEN_BACK)


@dataclass(frozen=True, slots=True)
class Reached:
    """The digests of the plans that each device may be at; `base` for those not in `at`.

    An empty digest stands for a device of which no run is on record, `UNKNOWN` for one that was
    seen to hold neither what it had nor what was pushed.
    """

    base: str = ""
    at: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of(self, device: str) -> frozenset[str]:
        """One digest, or several where a change was cut off and either may be there."""
        return self.at.get(device, frozenset({self.base}))

    @property
    def plans(self) -> frozenset[str]:
        """The digests of all plans that any device may be at."""
        return frozenset({self.base}).union(*self.at.values())


def reached(record: Record) -> Reached:
    """Go through all runs: what changed is at the run's plan, and so is what a gate let go.

    A run that ended well puts every device at its plan, but those that it names as left. One that
    was rolled back leaves a device where it was before it.
    """
    now, before = Reached(), dict[int, Reached]()
    for run in record.runs():
        before[run.id] = now
        if run.replay:
            continue
        plan = frozenset({run.plan_digest})
        at, rows = dict(now.at), record.changes(run.id)
        undone = rolled_back(rows)
        for device, last in last_of_each(rows).items():
            goal = before[undone[device]].of(device) if device in undone else plan
            if (is_there := holds_the_push(last)) is not False:
                at[device] = goal if is_there else goal | now.of(device)
            if last.detail.startswith(NEITHER):
                at[device] = frozenset({UNKNOWN})
        for wave in record.waves(run.id):
            if wave.decision == "go":
                at |= dict.fromkeys(wave.devices, plan)
        now = Reached(now.base, at)
        if (left := left_of(run.outcome or "")) is not None:
            now = Reached(run.plan_digest, {name: now.of(name) for name in left})
    return now


def back_words(run: int) -> str:
    """What the record says of a switch that goes back behind a run."""
    return f"{_BEFORE} {run}"


def rolled_back(rows: Iterable[ChangeRow]) -> dict[str, int]:
    """The devices that a run brought back, each with the run behind which."""
    found = ((row.device, _OF_RUN.search(row.detail)) for row in rows if row.phase == ROLLBACK)
    return {device: int(match[1]) for device, match in found if match}


def last_of_each(rows: Iterable[ChangeRow]) -> dict[str, ChangeRow]:
    """The last row of each device; what a drill does goes back, whoever ends meanwhile."""
    return {row.device: row for row in rows if row.wave != DRILL}


def holds_the_push(last: ChangeRow) -> bool | None:
    """Whether a device has what was pushed, by the last row of it; None where either may be."""
    if last.phase == ROLLBACK:
        return last.detail.startswith("done")
    if last.phase in _UNTOUCHED or last.detail.startswith(_WENT_BACK):
        return False
    if last.phase == ROLES:
        return None if last.detail.startswith(("begins", "failed")) else True
    if last.phase == "undo":
        return True if last.detail.startswith(NEW_KEPT) else None
    is_confirmed = last.phase == "confirm" and last.detail.startswith("done")
    return True if is_confirmed or last.phase in (CHECKED, "save", "undrain") else None
