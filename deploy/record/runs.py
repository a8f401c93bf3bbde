"""Runs on record, side by side: history, what moved between two, and what changed before it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from deploy.errors import RailbedError
from deploy.session import Selection, no_run_yet, open_plan
from deploy.switches.push_result import worst_impact
from inventory.digest import parts_of
from inventory.plan import Plan
from inventory.problems import close_to
from validation.evidence.store import EvidenceStore
from validation.host_state.versions_seen import versions_seen
from validation.judging.bisect import Bisected, Event, bisect, plan_events, version_events
from validation.judging.history import Change, Line, Move, RunFound, compare, lines

from .file import forget_history, is_lost
from .history import is_there
from .journal import CHECKED, DRILL, OVER, Record
from .rows import ChangeRow, RunRow

RECORD = "record.sqlite"
_MOST_WORDS = 100


@dataclass(frozen=True, slots=True)
class Compared:
    """What moved from one run to another, and all that changed between them."""

    before: RunRow
    after: RunRow
    moves: tuple[Change, ...]
    events: tuple[Event, ...]
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """1 where something got worse, or is new and bad; else 0."""
        return int(any(change.move in (Move.WORSE, Move.NEW) for change in self.moves))


def exit_code_of(found: Bisected) -> int:
    """0: nothing got worse. 1: it did, and changes explain it. 3: none does, or it is not known.

    It is not known where the later run measured nothing of what the earlier one did, or where
    something is bad in it that the earlier one was not asked.
    """
    if not found.slow:
        return 0 if found.measured and not found.unmeasured else 3
    return 1 if any(cause.score > 0 for cause in found.causes) else 3


def remember_plan(record: Record, plan: Plan) -> None:
    """Keep what a plan is made of, once: later runs are told apart by it."""
    if not record.plan_parts(plan.digest):
        record.keep_plan_parts(plan.digest, parts_of(plan))


def history_of(selection: Selection, check: str) -> tuple[Line, ...]:
    """The figures of each expectation over all runs."""
    with opened(selection) as record:
        found = [_found(record, run) for run in record.runs() if not run.replay]
    known = sorted({finding.check for run in found for finding in run.findings if finding.figure})
    if check and check not in known:
        hint = close_to(check, known) or f"checks with figures: {', '.join(known) or 'none'}"
        raise RailbedError(f"--check {check}: no figure of it is on record", hint=hint)
    return lines(found, check)


def compare_runs(selection: Selection, before: int, after: int) -> Compared:
    """What moved from one run to another."""
    with opened(selection) as record:
        old, new = row_of(record, before), row_of(record, after)
        first, last = sorted((before, after))
        events, notes = _events(record, selection.state_dir, first, last)
        past = _past(record, before)
        moves = compare(record.findings(before), record.findings(after), past)
    return Compared(old, new, moves, events, notes)


def bisect_runs(selection: Selection, good: int, bad: int) -> tuple[Bisected, tuple[str, ...]]:
    """What changed between the last good and the first slow run, ranked; and notes on evidence."""
    plan = open_plan(selection)
    with opened(selection) as record:
        row_of(record, good), row_of(record, bad)
        if good >= bad:
            raise RailbedError(
                f"run {bad} is not later than run {good}", hint="the good run comes first"
            )
        runs = [_found(record, run) for run in record.runs() if good <= run.id <= bad]
        events, notes = _events(record, selection.state_dir, good, bad)
        return bisect(plan, runs, events, _past(record, good)), notes


class opened:  # noqa: N801 - reads as a verb where it is used
    """The record of a site, for reading; RailbedError where there is none."""

    def __init__(self, selection: Selection) -> None:
        path = selection.state_dir / RECORD
        if not is_there(path):
            raise no_run_yet(selection)
        self._record = Record(path)

    def __enter__(self) -> Record:
        return self._record

    def __exit__(self, *_: object) -> None:
        self._record.close()


def date_back(selection: Selection) -> str:
    """Date entries after now to now; a sentence on what was done."""
    with opened(selection) as record:
        count = record.date_back()
    if not count:
        return "no entry lies after now"
    return f"{count} entries lay after now and are dated to now: measure all devices again"


def forget(selection: Selection) -> str:
    """Begin a new record where one was lost; a sentence on what was done.

    RailbedError where nothing is lost, or nothing was there.
    """
    path = selection.state_dir / RECORD
    if path.is_file() and not is_lost(path):
        raise RailbedError(
            f"the record of {selection.site} is whole", hint="only a lost one is begun anew"
        )
    if not path.parent.is_dir():
        raise no_run_yet(selection)
    kept = forget_history(path)
    aside = f"; what was there is {kept}" if kept else ""
    return f"a new record of {selection.site} begins: no evidence from before counts{aside}"


def row_of(record: Record, run: int) -> RunRow:
    """One run; RailbedError for one that is not on record."""
    found = next((one for one in record.runs() if one.id == run), None)
    if found is None:
        last = max((one.id for one in record.runs()), default=0)
        raise RailbedError(f"run {run} is not on record", hint=f"runs are 1 to {last}")
    return found


def _found(record: Record, row: RunRow) -> RunFound:
    return RunFound(row.id, row.plan_digest, record.findings(row.id))


def _past(record: Record, through: int) -> dict[str, tuple[float, ...]]:
    """Earlier figures by expectation: what is noise is told by them."""
    kept = record.history(before=through + 1)
    return {name: tuple(figure.value for figure in figures) for name, figures in kept.items()}


def _events(
    record: Record, state_dir: Path, first: int, last: int
) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """All that was different from one run on to the other, run by run."""
    rows = [run for run in record.runs() if first <= run.id <= last]
    events, notes = list[Event](), list[str]()
    seen, plan = _seen(record, state_dir, first), record.plan_parts(rows[0].plan_digest)
    if not seen:
        notes.append(f"evidence of run {first} is not there: versions are not compared with it")
    for old, row in pairwise(rows):
        events += _changes(row.id, record.changes(row.id))
        parts = record.plan_parts(row.plan_digest)
        if row.plan_digest != old.plan_digest:
            events += plan_events(row.id, plan, parts)
            if not plan or not parts:
                events.append(Event(row.id, "plan", "", "the plan changed, its parts are unknown"))
        plan = parts or plan
        if here := _seen(record, state_dir, row.id):
            events += version_events(row.id, seen, here) if seen else ()
            seen = here
    return tuple(sorted(events)), tuple(notes)


def _seen(record: Record, state_dir: Path, run: int) -> dict[str, dict[str, str]]:
    folder = state_dir / "evidence" / f"run-{run}" / record.last_gate(run)
    if not record.last_gate(run) or not folder.is_dir():
        return {}
    return versions_seen(EvidenceStore.load(folder))


def _changes(run: int, rows: Sequence[ChangeRow]) -> Iterator[Event]:
    """One event for each device that a run changed: its impact, and how its difference begins.

    A drill that was seen to end left all as it was.
    """
    devices: dict[str, list[ChangeRow]] = {}
    for row in rows:
        mine = devices.setdefault(row.device, [])
        if row.phase != CHECKED:
            mine.append(row)
        if row.wave == row.phase == DRILL and row.detail.startswith(OVER):
            mine[:] = [one for one in mine if one.wave != DRILL]
    for device, mine in sorted((name, kept) for name, kept in devices.items() if kept):
        impact = worst_impact(row.impact for row in mine)
        lines_ = [
            line
            for row in mine
            if row.phase == "diff"
            for line in row.detail.splitlines()
            if line[:1] in "+-" and not line.startswith(("+++", "---"))
        ]
        shown = "; ".join(lines_[:2])[:_MOST_WORDS]
        said = f": {shown}" if shown else ""
        count = f", {len(lines_)} lines of difference" if lines_ else ""
        yield Event(run, "change", device, f"{device} was changed, impact {impact}{count}{said}")
