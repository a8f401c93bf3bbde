"""A lost, emptied or older record is never taken for a new one, and clocks may not betray it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from deploy.errors import RailbedError, RefusedError
from deploy.record import file as record_file
from deploy.record.file import forget_history
from deploy.record.history import History, mark_of, marked
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.record.runs import date_back, forget
from deploy.session import Selection
from tests.tree import ROOT


def at(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="milliseconds")


def change(when: str) -> ChangeRow:
    return ChangeRow("wave", "leaf1", "done", when, "none", "a", "b", "")


def mark(path: Path) -> History:
    found = marked(path)
    assert found is not None
    return found


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


def without_changes(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM change")


def without_the_last_change(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM change WHERE id = (SELECT MAX(id) FROM change)")


def without_the_first_change(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM change WHERE id = 1")


def copied_during_a_run(path: Path) -> None:
    """What a backup brings back that was taken before the run's last changes."""
    record = Record(path)
    shutil.copy(path, path.parent / "copy")
    record.change(3, change(at(0)))
    record.close()
    remove(path)
    shutil.move(path.parent / "copy", path)


def without_its_journal(path: Path) -> None:
    """The main file alone of a record of old (in WAL mode), copied while a run had it open."""
    record = Record(path)
    assert record._db.execute("PRAGMA journal_mode=WAL").fetchone() == ("wal",)
    record.change(3, change(at(0)))
    shutil.copy(path, path.parent / "copy")
    record.close()
    remove(path)
    shutil.move(path.parent / "copy", path)


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize(
    "lose",
    [
        *(remove, empty, another, older),
        *(without_changes, without_the_last_change, without_the_first_change),
        *(copied_during_a_run, without_its_journal),
    ],
)
def test_a_lost_record_is_refused_and_names_the_way_on(path, lose, marked) -> None:
    lose(path)
    if not marked:
        mark_of(path).unlink()
        if lose not in {remove, empty, older, without_the_first_change}:
            return  # as many runs, or more, and no gap: nothing is left to tell it by
    for _ in range(2):  # asking does not make it whole
        with pytest.raises(RailbedError) as told:
            Record(path)
        assert "railbed runs --forget-history" in told.value.hint
        assert told.value.exit_code == 2


RECORD = '"record": "a"'


@pytest.mark.parametrize(
    "said",
    [
        *("[" * 100_000, "", "[]", "{}", '{"runs": 3, "changes": 3}'),
        *(f'{{{RECORD}, "runs": {one}, "changes": 3}}' for one in ("3.0", '"3"', "-1", "null")),
        *(f'{{{RECORD}, "runs": 3, "changes": {one}}}' for one in ("Infinity", "1e9", "true")),
        f'{{{RECORD}, "runs": 3, "changes": {"9" * 5000}}}',
    ],
    ids=lambda one: one[:50],
)
def test_a_damaged_mark_is_refused_too(path, said) -> None:
    mark_of(path).write_text(said)
    with pytest.raises(RailbedError, match="cannot be read"):
        Record(path)


def test_a_mark_from_before_changes_were_counted_learns_of_them(path) -> None:
    known = mark(path)
    mark_of(path).write_text(json.dumps({"record": known.record, "runs": known.runs}))
    Record(path).close()
    assert mark(path) == known


KILLED = """
import os, signal, sys
from pathlib import Path
import deploy.record.file as file
import validation.evidence.whole_files as whole_files
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow

path, moment, whole = Path(sys.argv[1]), sys.argv[2], file.write_mark
def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)
def then(*given):
    whole(*given)
    die()
record = Record(path)
run = record.begin_run("lab", "d1")
if moment == "before the mark":
    file.write_mark = die
elif moment == "within the mark":
    whole_files.os.fsync = die
elif moment == "after the mark":
    file.write_mark = then
for number in range(10_000):
    record.change(run, ChangeRow("wave", "leaf1", "done", "", "none", "a", "b", ""))
    print(number, flush=True)
"""
NO_MOMENT = "whenever it was"


def killed(path: Path, moment: str, after: int) -> int:
    """How many changes of a run were written, as far as it could tell before it was killed."""
    command = (sys.executable, "-P", "-c", KILLED, str(path), moment)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as child:
        assert child.stdout is not None
        told = 0
        for _ in child.stdout:
            told += 1
            if moment == NO_MOMENT and told == after:
                child.kill()
        assert child.wait(60) == -signal.SIGKILL
    return told


@pytest.mark.parametrize(
    "moment", ["before the mark", "within the mark", "after the mark", *[NO_MOMENT] * 3]
)
def test_a_record_whose_run_was_killed_is_whole_and_knows_each_change(path, moment) -> None:
    held = 3
    for after in (1, 7):
        told = killed(path, moment, after)
        known = mark(path).changes
        assert known >= held + told
        record = Record(path)
        (held,) = record._db.execute("SELECT COUNT(*) FROM change").fetchone()
        record.close()
        assert mark(path).changes == held >= known
    without_the_last_change(path)
    with pytest.raises(RailbedError, match=f"holds {held - 1} of {held} changes"):
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


def fill(path: Path, when: str) -> None:
    """One row in every table that holds a time, all of the same time."""
    with sqlite3.connect(path) as db:
        for table, columns in times_of(db).items():
            if db.execute(f"SELECT COUNT(*) FROM {table}").fetchone() == (0,):  # noqa: S608
                every = db.execute(f"PRAGMA table_info({table})").fetchall()
                marks = ",".join("?" * len(every))
                db.execute(f"INSERT INTO {table} VALUES ({marks})", [1] * len(every))  # noqa: S608
            for column in columns:
                db.execute(f"UPDATE {table} SET {column} = ?", (when,))  # noqa: S608


def times_of(db: sqlite3.Connection) -> dict[str, list[str]]:
    """Table -> its columns that hold a time, by their names in the schema."""
    tables = [one for (one,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    words = {"at", "since", "started", "ended", "began", "seen"}
    columns = {
        one: [row[1] for row in db.execute(f"PRAGMA table_info({one})") if row[1] in words]
        for one in tables
    }
    return {table: some for table, some in columns.items() if some}


def test_every_time_on_record_is_dated_back_and_refused_ahead(path) -> None:
    """Whatever was written while the clock was ahead has one way out, and it is named."""
    Record(path).close()
    with sqlite3.connect(path) as db:
        places = [(table, one) for table, some in times_of(db).items() for one in some]
    assert len(places) > 8
    for place in places:
        fill(path, at(-1))
        with sqlite3.connect(path) as db:
            db.execute(f"UPDATE {place[0]} SET {place[1]} = ?", (at(30),))  # noqa: S608
        record = Record(path)
        with pytest.raises(RefusedError) as told:
            record.begin_run("lab", "d1")
        assert "railbed runs --clock-was-ahead" in told.value.hint, place
        assert record.date_back() > 0
        record.end_run(record.begin_run("lab", "d1"), "pass")
        assert record.date_back() == 0
        record.close()


def test_a_record_begun_anew_ahead_of_time_has_a_way_out(path, monkeypatch) -> None:
    remove(path)
    with monkeypatch.context() as ahead:
        ahead.setattr(record_file, "now", lambda: at(30 * 24))
        forget_history(path)
    record = Record(path)
    with pytest.raises(RefusedError, match="this host's clock says"):
        record.begin_run("lab", "d1")
    assert record.date_back() == 1
    assert record.begin_run("lab", "d1") == 4
    since = record.since()
    assert since is not None
    assert since <= datetime.now(UTC)


def test_readers_never_take_a_growing_record_for_a_lost_one(tmp_path):
    """Whoever looks while runs begin sees them or not, and the mark never goes back."""
    where = tmp_path / "record.sqlite"
    Record(where).close()
    ended = Event()

    def look() -> tuple[int, int]:
        seen = (0, 0)
        while not ended.is_set():
            Record(where).close()
            known = mark(where)
            assert (known.runs, known.changes) >= seen
            seen = (known.runs, known.changes)
        return seen

    with ThreadPoolExecutor(4) as pool:
        lookers = [pool.submit(look) for _ in range(4)]
        try:
            record = Record(where)
            for _ in range(100):
                run = record.begin_run("lab", "d1")
                record.change(run, change(at(0)))
                record.end_run(run, "pass")
            record.close()
        finally:
            ended.set()
        for one in lookers:
            one.result(60)
    last = mark(where)
    assert (last.runs, last.changes) == (100, 100)
    assert not list(tmp_path.glob(".record*"))
