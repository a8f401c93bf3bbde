"""`validate` of a plan that moved: the record says what was applied, and whether a gate came."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.context import Context, no_journal
from deploy.measuring import measure
from deploy.measuring.measure import Measured, validate_site
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.record.runs import remember_plan
from deploy.session import Selection
from inventory.plan import Plan
from tests.validation.judging.test_moved_plan import moved
from tests.validation.recorded import judged, lab, recorded
from validation.evidence.store import EvidenceStore
from validation.judging.moved import CAUSE
from validation.verdict import Verdict


@pytest.fixture
def record(tmp_path: Path):
    opened = Record(tmp_path / "record.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`validate` of the moved plan, from what its healthy machines said."""
    store = EvidenceStore(tmp_path / "kept")
    store.add(replace(one, plan_digest=moved().digest) for one in recorded("healthy"))
    store.save()

    def opened(*_: object) -> Context:
        return Context(moved(), "lab", tmp_path, tmp_path, tmp_path, lambda _: None, no_journal)

    def run() -> Measured:
        return validate_site(Selection("lab", "x"), 40, [str(tmp_path / "kept")], lambda _: None)

    monkeypatch.setattr(measure, "open_offline", opened)
    # Recorded long ago, and a change of today would make all of it stale.
    monkeypatch.setattr(Record, "last_changed", lambda _: {})
    return run


def gate(record: Record, plan: Plan, decision: str) -> int:
    """A rollout of a plan that ended in such a gate, at which all that was recorded passed."""
    run = record.begin_run("lab", plan.digest)
    remember_plan(record, plan)
    record.begin_wave(run, "everything", "gate", ())
    record.add_findings(run, "everything", judged(recorded("healthy")).findings)
    record.end_wave(run, "everything", decision, [])
    record.end_run(run, decision)
    return run


def suspects(found: Measured) -> set[str]:
    return {one.suspect for one in found.findings if one.verdict is Verdict.FAIL}


def test_after_a_gate_of_the_plan_before_it_is_one_suspect_and_no_pass(record, told):
    gate(record, lab(), "go")
    found = told()
    assert suspects(found) == {CAUSE}
    assert found.exit_code == 1
    kept = record.findings(record.runs()[-1].id)
    assert {one.suspect for one in kept if one.verdict is Verdict.FAIL} == {CAUSE}


def change(record: Record) -> None:
    run = record.begin_run("lab", lab().digest)
    record.change(run, ChangeRow("x", "node-p1-1", "apply", "", "runtime", "", "", ""))
    record.end_run(run, "cut off")


# What the record holds besides: decisions of gates, each with its plan, and a change at the end.
NONE: dict[str, list[tuple[Callable[[], Plan], str]]] = {
    "no gate at all": [],
    "the gate before stopped": [(lab, "stop")],
    "a gate of this plan since": [(lab, "go"), (moved, "stop")],
    "a change since": [(lab, "go"), (lab, "changed")],
}


@pytest.mark.parametrize("name", NONE)
def test_else_each_port_is_its_own_suspect(record, told, name):
    for plan, decision in NONE[name]:
        if decision == "changed":
            change(record)
        else:
            gate(record, plan(), decision)
    found = told()
    assert len(suspects(found)) == 8
    assert CAUSE not in suspects(found)


def test_what_a_replay_said_is_no_past_of_machines(record, told):
    run = record.begin_run("lab", lab().digest, replay=True)
    record.add_findings(run, "validate", judged(recorded("healthy")).findings)
    record.end_run(run, "pass")
    assert record.said_under(lab().digest) == {}
