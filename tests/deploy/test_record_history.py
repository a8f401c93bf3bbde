"""A lost, emptied or older record is never taken for a new one, and clocks may not betray it."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from deploy.errors import RailbedError, RefusedError
from deploy.record import Record
from deploy.record_file import forget_history
from deploy.record_history import mark_of, marked
from deploy.rows import ChangeRow
from deploy.runs import date_back, forget
from deploy.session import Selection


def at(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")


def change(when: str) -> ChangeRow:
    return ChangeRow("wave", "leaf1", "done", when, "none", "a", "b", "")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record of three runs, the last of which left evidence."""
    where = tmp_path / "record.sqlite"
    record = Record(where)
    for _ in range(3):
        run = record.begin_run("lab", "d1")
        record.change(run, change(at(-1)))
        record.end_run(run, "pass")
    record.close()
    (tmp_path / "evidence" / "run-3").mkdir(parents=True)
    return where


def remove(path: Path) -> None:
    for one in path.parent.glob("record.sqlite*"):
        one.unlink()


def empty(path: Path) -> None:
    remove(path)
    path.touch()


def another(path: Path) -> None:
    remove(path)
    made = Record(path.parent / "other" / "record.sqlite")
    for _ in range(5):
        made.end_run(made.begin_run("lab", "d1"), "pass")
    made.close()
    shutil.copy(path.parent / "other" / "record.sqlite", path)


def older(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM change WHERE run = 3")
        db.execute("DELETE FROM run WHERE id = 3")


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("lose", [remove, empty, another, older])
def test_a_lost_record_is_refused_and_names_the_way_on(path, lose, marked) -> None:
    lose(path)
    if not marked:
        mark_of(path).unlink()
    if lose is another and not marked:
        return  # five runs where three are known: nothing is left to tell it by
    for _ in range(2):  # asking does not make it whole
        with pytest.raises(RailbedError) as told:
            Record(path)
        assert "railbed runs --forget-history" in told.value.hint
        assert told.value.exit_code == 2


def test_a_damaged_mark_is_refused_too(path) -> None:
    mark_of(path).write_text("[" * 100_000)
    with pytest.raises(RailbedError, match="cannot be read"):
        Record(path)


def test_a_record_from_before_there_were_marks_gets_its_own(path) -> None:
    mark_of(path).unlink()
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE itself")
    Record(path).close()
    assert mark_of(path).is_file()
    remove(path)
    with pytest.raises(RailbedError, match="is lost"):
        Record(path)


def test_a_record_begun_anew_counts_on_and_believes_nothing_older(path) -> None:
    remove(path)
    before = datetime.now(UTC) - timedelta(seconds=1)
    assert forget_history(path) is None
    record = Record(path)
    since = record.since()
    assert since is not None
    assert since > before
    assert record.begin_run("lab", "d1") == 4
    assert record.is_unmeasured("d1", 10)


def test_what_is_left_of_a_lost_record_is_kept_aside(path) -> None:
    older(path)
    kept = forget_history(path)
    assert kept is not None
    assert kept.is_file()
    assert Record(path).begin_run("lab", "d1") == 4


def test_a_whole_record_is_not_begun_anew(path, monkeypatch) -> None:
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: path.parent))
    with pytest.raises(RailbedError, match="is whole"):
        forget(Selection("lab", "lab"))


def test_a_record_that_was_written_ahead_of_time_is_refused_until_it_is_dated(
    path, monkeypatch
) -> None:
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: path.parent))
    record = Record(path)
    record.change(3, change(at(30)))
    with pytest.raises(RefusedError, match="this host's clock says") as told:
        record.begin_run("lab", "d1")
    assert "railbed runs --clock-was-ahead" in told.value.hint
    record.close()
    assert date_back(Selection("lab", "lab")).startswith("1 entries lay after now")
    again = Record(path)
    assert again.begin_run("lab", "d1") == 4
    assert again.last_changed()["leaf1"] <= datetime.now(UTC)
    assert date_back(Selection("lab", "lab")) == "no entry lies after now"


def test_readers_never_take_a_growing_record_for_a_lost_one(tmp_path):
    """Whoever looks while runs begin sees them or not, and the mark never goes back."""
    where = tmp_path / "record.sqlite"
    Record(where).close()
    ended = Event()

    def look() -> int:
        seen = 0
        while not ended.is_set():
            Record(where).close()
            mark = marked(where)
            assert mark is not None
            assert mark.runs >= seen
            seen = mark.runs
        return seen

    with ThreadPoolExecutor(4) as pool:
        lookers = [pool.submit(look) for _ in range(4)]
        try:
            record = Record(where)
            for _ in range(100):
                record.end_run(record.begin_run("lab", "d1"), "pass")
            record.close()
        finally:
            ended.set()
        for one in lookers:
            one.result(60)
    last = marked(where)
    assert last is not None
    assert last.runs == 100
    assert not list(tmp_path.glob(".record*"))
