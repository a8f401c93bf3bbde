"""What a record says may be taken back, and where devices are after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.backups.rollback import Wish, chosen
from deploy.backups.standing import standing
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.rollout.outcome import MEASURED
from deploy.rollout.reached import ROLLBACK, back_words, reached
from deploy.switches.push_result import OLD_AGAIN

A, B, C = "a" * 64, "b" * 64, "c" * 64
EVERY = frozenset({"leaf1", "leaf2"})
WENT_BACK = ("undo", OLD_AGAIN)


class Told:
    """A record, run by run."""

    def __init__(self, folder: Path) -> None:
        self.record = Record(folder / "record.sqlite")

    def run(
        self,
        plan: str,
        *devices: str,
        behind: int = 0,
        ends: tuple[str, str] = ("save", "done: save"),
        outcome: str = "stopped",
    ) -> int:
        run = self.record.begin_run("site", plan)
        for name in devices:
            rows = [(ROLLBACK, f"begins: {back_words(behind)}")] if behind else []
            for phase, detail in (*rows, ("apply", "begins: apply"), ends):
                row = ChangeRow("wave", name, phase, "", "runtime", "", "", detail)
                self.record.change(run, row)
        self.record.end_run(run, outcome)
        return run


@pytest.fixture
def told(tmp_path):
    made = Told(tmp_path)
    yield made
    made.record.close()


def stands(told: Told, name: str = "leaf1") -> list[int]:
    return [one.run for one in standing(told.record).get(name, ())]


def test_a_rollback_leads_to_the_plan_before_and_may_be_taken_back_itself(told):
    first = told.run(A, "leaf1", "leaf2", outcome=MEASURED)
    second = told.run(B, "leaf1", "leaf2", outcome=MEASURED)
    assert reached(told.record).of("leaf1") == {B}
    third = told.run(B, "leaf1", behind=second)
    assert reached(told.record).of("leaf1") == {A}
    assert reached(told.record).of("leaf2") == {B}
    assert (stands(told), stands(told, "leaf2")) == ([first, third], [first, second])
    fourth = told.run(B, "leaf1", behind=third)
    assert reached(told.record).of("leaf1") == {B}
    assert stands(told) == [first, second, fourth]
    told.run(B, "leaf1", behind=first)
    assert reached(told.record).of("leaf1") == {""}
    assert stands(told)[:-1] == []


def test_a_rollback_that_was_cut_off_or_went_back_claims_nothing(told):
    told.run(A, "leaf1")
    second = told.run(B, "leaf1")
    told.run(B, "leaf1", behind=second, ends=WENT_BACK)
    assert reached(told.record).of("leaf1") == {B}
    assert stands(told) == [1, second]
    cut = told.run(B, "leaf1", behind=second, ends=("verify", "begins: a new connection"))
    assert reached(told.record).of("leaf1") == {A, B}, "either may be there"
    for run in (second, cut):
        assert chosen(told.record, Wish(run), EVERY) == ("leaf1",), "and either may be tried again"


def test_what_later_runs_changed_is_not_lost_unasked(told):
    first, second = told.run(A, "leaf1", "leaf2"), told.run(B, "leaf2")
    with pytest.raises(RailbedError, match=f"changed since: leaf2 by run {second}") as found:
        chosen(told.record, Wish(first), EVERY)
    assert "--discard-later" in found.value.hint
    assert chosen(told.record, Wish(first, discard_later=True), EVERY) == ("leaf2", "leaf1")
    assert chosen(told.record, Wish(first, ("leaf1",)), EVERY) == ("leaf1",)
    told.run(B, "leaf2", behind=second)
    assert chosen(told.record, Wish(first), EVERY) == ("leaf2", "leaf1"), "the last one first"


def test_a_run_that_changed_nothing_there_is_said(told):
    run = told.run(A, "leaf1", ends=WENT_BACK)
    for names in ((), ("leaf1",), ("leaf2",)):
        with pytest.raises(RailbedError, match=f"run {run} changed nothing on"):
            chosen(told.record, Wish(run, names), EVERY)
