"""The record survives kill -9, and only a living owner holds a lock."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.record.journal import INTERRUPTED, Record
from deploy.record.owner import Owner, alive, this_process
from deploy.record.rows import ChangeRow
from validation.verdict import Figure, Finding, Verdict

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
record = Record(Path(sys.argv[1]))
run = record.begin_run("lab", "d1")
record.lock(run, ["leaf1", "leaf2"])
record.begin_wave(run, "canary leaf", "switches", ["leaf1"])
record.change(run, ChangeRow("canary leaf", "leaf1", "armed", "", "runtime", "a", "b", ""))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return Record(tmp_path / "record.sqlite")


def holder(path: Path) -> subprocess.Popen[str]:
    """Another process that holds a lock in the middle of a wave."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def test_overlap_with_a_living_owner_is_refused_and_names_it(tmp_path, record):
    child = holder(tmp_path / "record.sqlite")
    try:
        run = record.begin_run("lab", "d1")
        record.lock(run, ["spine1"])
        with pytest.raises(RailbedError, match=rf"leaf1, leaf2: held by .* \(pid {child.pid} "):
            record.lock(run, ["leaf1", "leaf2", "leaf3"])
        assert "leaf3" not in record.locks()
    finally:
        child.kill()
        child.communicate()


def test_kill_9_leaves_the_record_whole_and_no_lock(tmp_path, record):
    child = holder(tmp_path / "record.sqlite")
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    run = record.begin_run("lab", "d1")
    record.lock(run, ["leaf1", "leaf2"])
    dead = record.runs()[0]
    assert dead.outcome == INTERRUPTED
    assert [one.phase for one in record.changes(dead.id)] == ["armed"]
    assert record.waves(dead.id)[0].decision is None
    assert set(record.locks()) == {"leaf1", "leaf2"}


def test_an_owner_is_dead_when_pid_start_or_boot_differ():
    me = this_process()
    assert alive(me)
    assert not alive(Owner(me.host, me.boot_id, me.pid, me.start_ticks + 1, ""))
    assert not alive(Owner(me.host, "another-boot", me.pid, me.start_ticks, ""))
    assert alive(Owner("another-host", "x", 1, 1, ""))


def test_ending_a_run_frees_its_locks(record):
    run = record.begin_run("lab", "d1")
    record.lock(run, ["leaf1"])
    record.end_run(run, "go")
    assert record.locks() == {}
    assert record.runs()[0].outcome == "go"


def test_last_change_of_a_device_is_kept_over_runs(record):
    first, second = record.begin_run("lab", "d1"), record.begin_run("lab", "d2")
    at = "2026-01-01T00:00:00.000+00:00"
    later = "2026-01-02T00:00:00.000+00:00"
    record.change(first, ChangeRow("w", "leaf1", "apply", at, "runtime", "a", "b", ""))
    record.change(second, ChangeRow("w", "leaf1", "apply", later, "runtime", "b", "c", ""))
    assert record.last_changed()["leaf1"].isoformat() == "2026-01-02T00:00:00+00:00"


def test_a_second_look_at_a_gate_replaces_the_first(record):
    run = record.begin_run("lab", "d1")
    bad = Finding(20, "lldp", "leaf1", "lldp:leaf1:swp1", Verdict.FAIL, "cable", "none", "x", "h")
    good = Finding(20, "lldp", "leaf1", "lldp:leaf1:swp1", Verdict.PASS)
    record.add_findings(run, "canary", [bad])
    record.add_findings(run, "canary", [good])
    assert record.findings(run) == (good,)
    assert record.findings(run, "canary") == (good,)


def test_history_is_what_passed_in_earlier_runs_once_a_run(tmp_path):
    record = Record(tmp_path / "record.sqlite")

    def run(
        value: float, verdict: Verdict = Verdict.PASS, terms: str = "t", *, replay: bool = False
    ) -> int:
        number = record.begin_run("lab", "d", replay=replay)
        figure = Figure(value, "Gb/s", terms)
        for wave in ("canary", "everything"):
            one = Finding(50, "bw", "n", "bw:x", verdict, figure=figure)
            record.add_findings(number, wave, [one], asked=(40, 50), parked=["node-2"])
        return number

    first, _, _, last = run(1), run(2, Verdict.FAIL), run(3, terms="other"), run(4)
    assert [one.value for one in record.history()["bw:x"]] == [1, 3, 4]
    assert [one.value for one in record.history(before=last)["bw:x"]] == [1, 3]
    assert record.history()["bw:x"][1].terms == "other"
    assert record.asked(first) == frozenset({40, 50})
    assert record.parked(first) == ("node-2",)
    assert record.asked(99) is None
    run(5, replay=True)
    assert [one.value for one in record.history()["bw:x"]] == [1, 3, 4]
    assert [one.replay for one in record.runs()] == [0, 0, 0, 0, 1]


def test_a_record_of_earlier_days_learns_of_replays(tmp_path):
    path = tmp_path / "record.sqlite"
    Record(path).close()
    with sqlite3.connect(path) as old:
        old.execute("ALTER TABLE run DROP COLUMN replay")
    record = Record(path)
    record.begin_run("lab", "d")
    assert [one.replay for one in record.runs()] == [0]


def test_the_digests_of_a_plan_are_kept_once(tmp_path):
    record = Record(tmp_path / "record.sqlite")
    record.keep_plan_parts("d", {"lossless": "1"})
    record.keep_plan_parts("d", {"lossless": "2", "oob": "3"})
    assert record.plan_parts("d") == {"lossless": "1", "oob": "3"}
    assert record.plan_parts("e") == {}


def row(device: str) -> ChangeRow:
    return ChangeRow("leaves", device, "apply", "", "runtime", "a", "b", "")


def together(record: Record, rows: list[ChangeRow], monkeypatch) -> tuple[list[Future[None]], int]:
    """What becomes of rows that all wait before the first is written; how many commits it took."""
    run, commits = record.begin_run("apply", "d" * 12), list[str]()
    begun = record._transaction

    @contextmanager
    def counted() -> Iterator[None]:
        with begun():
            yield
        commits.append("COMMIT")

    with ThreadPoolExecutor(len(rows)) as pool:
        with record._mutex:
            written = [pool.submit(record.change, run, one) for one in rows]
            give_up = time.monotonic() + 60
            while len(record._asked) < len(rows) and time.monotonic() < give_up:
                time.sleep(0.01)
            monkeypatch.setattr(record, "_transaction", counted)
        wait(written)
    return written, len(commits)


def test_rows_that_come_together_are_on_the_disk_together(record, tmp_path, monkeypatch):
    names = [f"leaf{number}" for number in range(8)]
    written, commits = together(record, [row(one) for one in names], monkeypatch)
    assert all(one.result() is None for one in written)
    assert commits < len(names), "a commit and a mark do for all"
    with closing(Record(tmp_path / "record.sqlite")) as other:
        assert sorted(one.device for one in other.changes(1)) == names


def test_a_row_that_cannot_be_written_keeps_no_other_from_it(record, monkeypatch):
    rows = [row("leaf1"), row("half of a letter \ud800"), row("leaf2"), row("leaf3")]
    written, _ = together(record, rows, monkeypatch)
    assert [type(one.exception()) for one in written].count(type(None)) == 3
    assert isinstance(written[1].exception(), UnicodeEncodeError)
    assert sorted(one.device for one in record.changes(1)) == ["leaf1", "leaf2", "leaf3"]
    assert record._asked == []
