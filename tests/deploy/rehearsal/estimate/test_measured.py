"""What runs on record measured: their own times add up, and tell what the same change takes.

`recorded.json` is railbed's own record of a rehearsal on machines: the whole rollout, a log server
more, and the way back. It was written under the load of other work, so its runs differ.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from deploy.record.journal import INTERRUPTED, ROLES, Record
from deploy.record.rows import ChangeRow
from deploy.rehearsal.estimate.arithmetic import Range
from deploy.rehearsal.estimate.costs import Costs
from deploy.rehearsal.estimate.estimate import Known, estimated, on_record_of
from deploy.rehearsal.estimate.measured import OOB, Samples, measured
from deploy.session import Selection
from inventory import open_site
from tests.deploy.rehearsal.test_rehearse import SWITCHES, logging, two_rails

ROWS = json.loads((Path(__file__).parent / "recorded.json").read_text())
WHOLE, CHANGE, BACK = 1, 3, 4


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """The site that was rehearsed, and the same with a log server."""
    folder = two_rails(tmp_path_factory.mktemp("measured") / "site", SWITCHES["eos"])
    return folder, open_site(folder), open_site(logging(folder, folder.with_name("later")))


@pytest.fixture
def record(tmp_path, monkeypatch):
    """A record with these runs."""
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: tmp_path))
    Record(tmp_path / "record.sqlite").close()
    with sqlite3.connect(tmp_path / "record.sqlite") as db:
        for run, command, plan, started, ended, outcome in ROWS["run"]:
            row = (run, command, "stock", plan, started, ended, outcome, "h", "b", 1, 1, 0)
            db.execute("INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row)
        db.executemany("INSERT INTO wave VALUES (?,?,?,?,?,?,?,'[]')", ROWS["wave"])
        db.executemany("INSERT INTO span VALUES (?,?,?,?,?,?)", ROWS["span"])
        db.executemany(
            "INSERT INTO change (run, wave, device, phase, at, impact, before, after, detail)"
            " VALUES (?,?,?,?,?,?,'','',?)",
            ROWS["change"],
        )
    db.close()
    made = Record(tmp_path / "record.sqlite")
    yield made
    made.close()


def took_s(run: int) -> float:
    """By the clock on its first and last line."""
    ((began, ended),) = [(one[3], one[4]) for one in ROWS["run"] if one[0] == run]
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


def test_each_push_engine_and_gate_is_read_once(record, plans):
    found = measured(record, plans[1], [WHOLE])
    assert sorted(one.system for one in found.pushes) == ["eos"] * 4
    assert {one.impact for one in found.pushes} == {"reboot"}
    assert [(one.kind, one.hosts, one.roles) for one in found.engines] == [
        (OOB, 1, frozenset()), ("two-rails", 1, frozenset()), ("two-rails", 1, frozenset()),
    ]  # fmt: skip
    assert [one.devices for one in (*found.gates, *found.last)] == [1, 2, 3, 4, 5, 6, 7]
    assert all(0 < one.applied_s + one.verified_s < one.took_s for one in found.pushes)


@pytest.mark.parametrize("run", [WHOLE, CHANGE, BACK])
def test_the_parts_of_a_run_add_up_to_it(record, plans, run):
    """Where pushes go one at a time, nothing of a run is counted twice or lost."""
    found = measured(record, plans[1], [run])
    gates = (*found.gates, *found.last, *found.around)
    parts = [*(one.took_s for one in found.pushes), *(one.took_s for one in found.engines)]
    assert sum(parts) + sum(one.took_s for one in gates) == pytest.approx(took_s(run), abs=0.5)


def test_by_its_own_record_each_run_lies_within_its_estimate(record, plans):
    """And the estimate is no wider than what runs of such a load differ by."""
    folder, now, later = plans
    samples = on_record_of(Selection(str(folder), "lab"))
    assert samples.runs == 3
    known = Known(str(folder), samples)
    for run, after, before in ((WHOLE, now, None), (CHANGE, later, now), (BACK, now, later)):
        made = estimated("x", known, after, before).takes
        assert made.least_s <= took_s(run) <= made.most_s
        assert made.most_s < 4 * made.least_s


@pytest.mark.parametrize(("measured_on", "asked"), [(CHANGE, BACK), (BACK, CHANGE)])
def test_one_run_tells_what_the_same_change_takes_another_time(record, plans, measured_on, asked):
    """To within the difference of the loads under which both were measured."""
    folder, now, later = plans
    known = Known(str(folder), measured(record, now, [measured_on]))
    plans_of = (now, later) if asked == BACK else (later, now)
    made = estimated("x", known, *plans_of).takes
    assert 0.5 * took_s(asked) < made.least_s <= made.most_s < 2 * took_s(asked)


def test_a_run_that_stopped_or_still_runs_measures_nothing_of_what_it_did_not_end(record, plans):
    began = record.begin_run("stock", "d")
    record.begin_wave(began, "leaves", "switches", ["leaf-p1-r0"])
    assert measured(record, plans[1], [began]) == Samples()
    record.end_wave(began, "leaves", "stop", ["it went back"])
    record.end_run(began, "stopped")
    assert measured(record, plans[1], [began]) == Samples()


LAST = ("leaves-r1", "leaf-p1-r1")


@pytest.mark.parametrize(
    ("word", "outcome", "pushes"),
    [("stop", "stop", 3), ("hold", "hold", 4), ("go", INTERRUPTED, 4)],
)
def test_a_run_that_did_not_end_well_has_no_last_gate_and_nothing_around(
    record, plans, tmp_path, word, outcome, pushes
):
    """A wave that stopped measures nothing; one that held has done its work."""
    with sqlite3.connect(tmp_path / "record.sqlite") as db:
        db.execute("UPDATE wave SET decision=? WHERE run=? AND name=?", (word, WHOLE, LAST[0]))
        db.execute("UPDATE run SET outcome=? WHERE id=?", (outcome, WHOLE))
    db.close()
    found = measured(record, plans[1], [WHOLE])
    assert (found.last, found.around) == ((), ())
    assert len(found.pushes) == pushes
    assert [one.devices for one in found.gates][:6] == [1, 2, 3, 4, 5, 6]
    assert len(found.gates) == (7 if word == "go" else 6)


def test_only_a_last_gate_that_loaded_rails_has_their_time(record, plans, tmp_path):
    assert not measured(record, plans[1], [WHOLE]).loaded
    with sqlite3.connect(tmp_path / "record.sqlite") as db:
        row = next(one for one in ROWS["wave"] if one[:2] == [WHOLE, LAST[0]])
        span = (WHOLE, LAST[0], "loads of stage 50", "", *row[4:6])
        db.execute("INSERT INTO span VALUES (?,?,?,?,?,?)", span)
    db.close()
    found = measured(record, plans[1])
    assert found.loaded
    assert len(found.last) == 3
    costs = Costs(plans[1], found, Samples(), {})
    (mine,) = measured(record, plans[1], [WHOLE]).last
    assert costs.gate(7, last=True) == Range(mine.took_s, mine.took_s)


def test_a_run_of_many_kinds_of_servers_measures_each(record, plans):
    """The real rollout has them in one: it says at most how long each kind takes."""
    run, hosts = record.begin_run("stock", "d"), ("node-p1-1", "node-p1-2", "oob1")
    record.begin_wave(run, "nodes", "nodes", hosts)
    for host in hosts:
        said = "begins: pyinfra, every role"
        record.change(run, ChangeRow("nodes", host, ROLES, "", "runtime", "", "", said))
    with record.stopwatch(run, "nodes")("pyinfra", ", ".join(hosts)):
        pass
    record.end_wave(run, "nodes", "go", ())
    record.end_run(run, "go")
    found = measured(record, plans[1], [run]).engines
    assert {(one.kind, one.hosts) for one in found} == {("two-rails", 2), (OOB, 1)}
    assert len({one.took_s for one in found}) == 1
