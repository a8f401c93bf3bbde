"""Which runs' changes a switch stands on, by the record: what may be taken back. Pure.

A run whose push went back, or that never reached a switch, is none. One that was rolled back is
none any more, nor is any after it; the rollback itself may be taken back as any run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deploy.record.journal import Record
from deploy.rollout.reached import holds_the_push, last_of_each, rolled_back


@dataclass(frozen=True, slots=True, order=True)
class Stood:
    """A run that changed a switch; `back` where it brought an earlier configuration back."""

    run: int
    back: bool = False


def standing(record: Record) -> Mapping[str, tuple[Stood, ...]]:
    """By device, the runs that it stands on, the oldest first."""
    now: dict[str, tuple[Stood, ...]] = {}
    before: dict[int, dict[str, tuple[Stood, ...]]] = {}
    for run in record.runs():
        before[run.id] = dict(now)
        rows = record.changes(run.id)
        undone = rolled_back(rows)
        for device, last in last_of_each(rows).items():
            if (is_there := holds_the_push(last)) is False:
                continue
            if is_there and device in undone:
                under = before.get(undone[device], {}).get(device, ())
                now[device] = (*under, Stood(run.id, back=True))
            else:
                # Of a rollback that was cut off either may be there: both may be taken back.
                now[device] = (*now.get(device, ()), Stood(run.id, back=device in undone))
    return now


def later(stood: tuple[Stood, ...], run: int) -> tuple[int, ...] | None:
    """The runs whose changes would go with this one's; None where it is none of these."""
    runs = [one.run for one in stood]
    if run not in runs:
        return None
    return tuple(one.run for one in stood[runs.index(run) + 1 :] if not one.back)
