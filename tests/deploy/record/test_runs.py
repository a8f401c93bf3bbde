"""The verbs over runs on record: what they print, and their exit codes."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.record.journal import CHECKED, Record
from deploy.record.rows import ChangeRow
from deploy.record.runs import remember_plan
from deploy.session import Selection
from deploy.show import history_text
from tests.deploy.told_runs import keep, rates
from tests.validation.recorded import lab
from validation.expect import expectations
from validation.judging.history import Line

NODE = "node-p2-1"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four runs of the lab: from the third on, after a change of a node, its flows are slow."""
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: tmp_path))
    plan, record = lab(), Record(tmp_path / "record.sqlite")
    remember_plan(record, plan)
    flows = [one for one in expectations(plan, frozenset(plan.devices), 50) if one.stage == 50]
    for run in range(1, 5):
        slow = {NODE: (0.5, f"device {NODE}")} if run > 2 else {}
        row = keep(record, plan, rates(plan, run, slow, flows), (50,), "fail" if slow else "pass")
        device = {2: "node-p1-1", 3: NODE}.get(run, "")
        if device:
            diff = "--- a\n+++ b\n-mtu 9000\n+mtu 1500"
            record.change(row.id, ChangeRow("w", device, "diff", "", "runtime", "a", "b", diff))
    record.close()
    return tmp_path


def said(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(words))
    return done.exit_code, done.output


def test_bisect_names_the_run_the_change_and_the_next_measurement(state):
    code, text = said("bisect", "1", "4")
    assert code == 1
    assert "run 3 is the first bad one, run 2 the last good" in text
    assert f"1. run 3: {NODE} was changed, impact runtime, 2 lines of difference" in text
    assert "-mtu 9000; +mtu 1500" in text
    assert "what to do: take back run 3" in text
    assert "versions are not compared" in text


def test_bisect_is_inconclusive_where_nothing_explains_it(state):
    code, text = said("bisect", "3", "4")
    assert (code, "nothing moved beyond noise" in text) == (0, True)
    record = Record(state / "record.sqlite")
    record._db.execute("UPDATE change SET phase = ?", (CHECKED,))  # a look changes nothing
    record.close()
    code, text = said("bisect", "2", "3", "--json")
    assert code == 3
    assert json.loads(text)["first_bad"] == 3


def test_compare_says_what_moved_and_exits_by_it(state):
    code, text = said("compare", "1", "3")
    assert code == 1
    assert "worse" in text
    assert f"run 3: {NODE} was changed" in text
    assert said("compare", "1", "2")[0] == 0
    code, text = said("compare", "3", "1", "--json")
    assert code == 0
    assert {one["move"] for one in json.loads(text)["moves"]} == {"better"}


def test_history_has_a_line_for_each_flow(state):
    code, text = said("history", "--check", "bw", "--json")
    found = json.loads(text)["figures"]
    assert code == 0
    assert len(found) == 12
    slow = [one for one in found if NODE in one["expectation"]]
    assert all(one["runs"] == 4 and one["last"] < 0.6 * one["most"] for one in slow)
    done = CliRunner().invoke(app, ["history", "--check", "bww"])
    assert "no figure of it is on record" in str(done.exception)


def test_history_says_since_when_another_module_is_measured():
    numbers = (2, -0.2, -0.2, -0.2, -0.1)
    ours = Line(15, "optic", "optic:leaf1:swp3", "dBm", *numbers, None, "P EX2", 7, "P EX1")
    kept = Line(15, "optic", "optic:leaf1:swp4", "dBm", *numbers, None, "P EX9")
    text = StringIO()
    history_text([ours, kept], Console(file=text, width=120))
    assert "optic:leaf1:swp3: since run 7 P EX2; before P EX1" in text.getvalue()
    assert "EX9" not in text.getvalue()


def test_a_run_that_is_not_on_record_is_refused(state):
    done = CliRunner().invoke(app, ["compare", "1", "9"])
    assert "run 9 is not on record" in str(done.exception)
    assert "not later" in str(CliRunner().invoke(app, ["bisect", "2", "1"]).exception)
