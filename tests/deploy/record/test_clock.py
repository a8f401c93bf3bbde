"""A clock that is set back and right again makes no evidence from before a change look newer."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from deploy.errors import RefusedError
from deploy.measuring import measure
from deploy.record import file as record_file
from deploy.record import journal as record
from deploy.record.journal import Record
from deploy.record.owner import this_process
from deploy.record.rows import ChangeRow
from tests.validation.recorded import lab, recorded
from validation.evidence.store import EvidenceStore, Frame
from validation.evidence.trust import Trust

FRAME = max(recorded("healthy"), key=lambda one: one.time)


@dataclass
class Clock:
    """This host's clock, the seconds since it booted, and which boot that was."""

    at: datetime = FRAME.time + timedelta(seconds=1)
    booted_s: float = 1000.0
    boot_id: str = "one"

    def goes(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)
        self.booted_s += seconds

    def is_set(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    mine, me = Clock(), this_process()
    monkeypatch.setattr(record_file, "now", lambda: mine.at.isoformat(timespec="milliseconds"))
    monkeypatch.setattr(record_file, "booted_s", lambda: mine.booted_s)
    monkeypatch.setattr(record, "this_process", lambda: replace(me, boot_id=mine.boot_id))
    return mine


def change(kept: Record) -> None:
    kept.change(1, ChangeRow("wave", FRAME.device, "done", "", "none", "a", "b", ""))


def doubt(kept: Record, clock: Clock, frame: Frame = FRAME) -> str:
    trust = replace(Trust.of(lab(), kept.last_changed()), clock=lambda: clock.at)
    return trust.doubt(frame, frame.identity.boot_id, {})


def fresh(clock: Clock) -> Frame:
    return replace(FRAME, time=clock.at)


@pytest.mark.parametrize("back_s", [90, 3600, 86400 * 400])
@pytest.mark.parametrize(("is_known", "reboots"), [(False, False), (True, False), (True, True)])
def test_evidence_from_before_is_stale(tmp_path, clock, back_s, is_known, reboots) -> None:
    """Within one boot the other clock tells; the record tells what it was shown, for good."""
    kept = Record(tmp_path / "record.sqlite")
    if is_known:
        kept.saw(FRAME.time)
    clock.is_set(-back_s)
    clock.goes(5)
    change(kept)
    clock.is_set(back_s)
    clock.goes(5)
    if reboots:
        clock.boot_id, clock.booted_s = "two", 10.0
    again = Record(tmp_path / "record.sqlite")
    said = doubt(again, clock)
    assert "older than the device's last change" in said
    assert "measure again" in said
    assert not doubt(again, clock, fresh(clock))


def test_no_entry_is_dated_before_one_that_is_there(tmp_path, clock) -> None:
    """In the middle of a run, too: nothing refuses that."""
    kept = Record(tmp_path / "record.sqlite")
    run = kept.begin_run("lab", "d1")
    clock.is_set(-3600)
    change(kept)
    kept.end_run(run, "pass")
    (row,) = kept.runs()
    assert row.started <= kept.changes(run)[0].at <= str(row.ended)
    assert "once it is right" in doubt(kept, clock, fresh(clock))


def test_a_run_after_evidence_from_a_later_time_is_refused(tmp_path, clock) -> None:
    kept = Record(tmp_path / "record.sqlite")
    kept.saw(FRAME.time)
    clock.is_set(-3600)
    with pytest.raises(RefusedError) as told:
        kept.begin_run("lab", "d1")
    assert "--clock-was-ahead" in told.value.hint


@pytest.mark.parametrize("step_s", [-30, -1, 0, 1, 30])
def test_what_a_healthy_clock_does_doubts_nothing(tmp_path, clock, step_s) -> None:
    kept = Record(tmp_path / "record.sqlite")
    change(kept)
    clock.goes(120)
    clock.is_set(step_s)
    assert not doubt(kept, clock, fresh(clock))
    assert doubt(kept, clock)


@pytest.mark.parametrize("is_live", [False, True])
def test_what_is_gathered_is_shown_to_the_record(tmp_path, clock, monkeypatch, is_live) -> None:
    """What somebody brings was dated by another host's clock."""
    kept, store = Record(tmp_path / "record.sqlite"), EvidenceStore()
    store.add([FRAME])
    found = SimpleNamespace(findings=())
    monkeypatch.setattr(measure, "validate", lambda *_, **__: found)
    context = SimpleNamespace(
        plan=lab(), site="lab", timed=lambda *_: nullcontext(), state_dir=tmp_path, say=print
    )
    transport = cast("Any", object() if is_live else None)
    whole = frozenset(lab().devices)
    measuring = measure._Measurement(
        cast("Any", context), transport, store, whole, kept, frozenset(), {}
    )
    measuring.judged(0, whole)
    clock.is_set(-86400)
    change(kept)
    clock.booted_s, clock.boot_id = 1.0, "two"
    clock.is_set(86400)
    assert bool(doubt(kept, clock)) == is_live
