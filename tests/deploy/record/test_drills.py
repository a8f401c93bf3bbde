"""A drill holds what it touches, changes nothing that stays, and is seen where it was cut off."""

from __future__ import annotations

import pytest

from deploy.errors import RefusedError
from deploy.record.journal import DRILL, OVER, Record
from deploy.record.rows import ChangeRow
from deploy.record.runs import _changes
from deploy.record.under_way import drilling
from deploy.rollout.reached import reached

LEAF, SPINE = "leaf1", "spine1"
BEGINS = f"begins: off:{LEAF}:swp1"


@pytest.fixture
def record(tmp_path):
    made = Record(tmp_path / "record.sqlite")
    yield made
    made.close()


def drilled(record: Record, *, ends: bool) -> int:
    """A run that pushes a drill to the leaf, and is cut off in it unless it ends."""
    run = record.begin_run("site", "d" * 64)
    with drilling(record, run, [LEAF, SPINE]) as journal:
        journal(LEAF, DRILL, "link flap", "", "", BEGINS)
        journal(LEAF, "apply", "link flap", "a" * 64, "b" * 64, "done: apply rows")
        if ends:
            journal(LEAF, DRILL, "none", "", "", f"{OVER}: off:{LEAF}:swp1")
    return run


def test_nobody_else_holds_what_a_drill_touches_and_it_lets_go(record):
    run, other = record.begin_run("site", "d" * 64), record.begin_run("site", "d" * 64)
    with drilling(record, run, [LEAF, SPINE]):
        with pytest.raises(RefusedError):
            record.lock(other, [SPINE])
        with pytest.raises(RefusedError), drilling(record, other, [LEAF]):
            pytest.fail("both drill it")
        record.lock(other, ["leaf2"])
    assert set(record.locks()) == {"leaf2"}


def test_what_ended_as_it_began_leaves_evidence_as_it_is_and_what_was_cut_off_does_not(record):
    drilled(record, ends=True)
    assert (record.last_changed(), record.cut_off_drills()) == ({}, {})
    assert not list(_changes(1, record.changes(1)))
    drilled(record, ends=False)
    assert [one.device for one in _changes(2, record.changes(2))] == [LEAF]
    assert set(record.last_changed()) == {LEAF}
    assert record.cut_off_drills() == {LEAF: BEGINS}
    drilled(record, ends=True)
    assert record.cut_off_drills() == {}
    assert set(record.last_changed()) == {LEAF}, "the run before was cut off all the same"


def test_a_gate_that_let_go_holds_over_a_drill_that_ended_and_not_over_one_that_did_not(record):
    run = record.begin_run("site", "d" * 64)
    record.begin_wave(run, "everything", "", [LEAF])
    record.end_wave(run, "everything", "go", [])
    record.end_run(run, "measured")
    for ends in (True, False):
        drilled(record, ends=ends)
        assert record.is_settled("d" * 64) is ends


def test_a_push_after_it_has_taken_back_what_was_cut_off(record):
    run = drilled(record, ends=False)
    row = ChangeRow("spines", LEAF, "undo", "", "runtime", "", "", "done: taken back")
    record.change(run, row)
    assert record.cut_off_drills() == {}


def test_a_drill_moves_no_switch_to_another_plan(record):
    run = record.begin_run("site", "e" * 64)
    record.change(run, ChangeRow("w", LEAF, "save", "", "none", "", "", "done: save"))
    record.end_run(run, "failed")
    before = reached(record).of(LEAF)
    assert "e" * 64 in before
    for ends in (True, False):
        drilled(record, ends=ends)
        assert reached(record).of(LEAF) == before
