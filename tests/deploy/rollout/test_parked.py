"""A gate that goes on without a few nodes: what it asks of the rest, and what it says of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deploy.context import Context, no_journal
from deploy.measuring import measure as room
from deploy.record.journal import Record
from deploy.report import html_page, markdown, tell
from deploy.rollout import gatekeeper
from deploy.rollout.gatekeeper import Gatekeeper
from inventory import open_site
from inventory.plan import Plan
from tests.deploy.rollout.test_gatekeeper import Nobody
from tests.generated.sites import Size, generated_site
from validation.expect import expectations
from validation.judging.gate import Word
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict

OFF = "node-p1-07"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("site") / "s"
    generated_site(folder, Size(pods=2, spines=1, rails=1, nodes_per_pod=60))
    return open_site(folder)


@pytest.fixture
def keeper(plan, tmp_path: Path, monkeypatch) -> Gatekeeper:
    record = Record(tmp_path / "record.sqlite")
    context = Context(plan, "x", tmp_path, tmp_path, tmp_path, lambda _: None, no_journal)
    monkeypatch.setattr(gatekeeper, "settle_s", lambda _: 0.0)
    return Gatekeeper(context, Nobody(), record, record.begin_run("x", plan.digest))


def judge(plan: Plan, scope: frozenset[str], last: int, off: set[str]) -> ValidationResult:
    """Nodes that are off do not answer, and their leaves' ports are dark."""
    dark = {str(nic.leaf): plan.cable_at[nic.leaf] for node in plan.nodes if node.name in off
            for nic in node.rails}  # fmt: skip
    found = []
    for one in expectations(plan, scope, last):
        verdict, suspect = Verdict.PASS, ""
        port = ":".join(one.id.split(":")[1:3])
        ends = [one.device, one.id.partition(">")[2]]
        if missing := [name for name in ends if name in off]:
            verdict, suspect = Verdict.INCONCLUSIVE, f"device {missing[0]}"
        elif port in dark and one.check in ("up", "lldp"):
            verdict, suspect = Verdict.FAIL, f"cable {dark[port]}"
        found.append(Finding(one.stage, one.check, one.device, one.id, verdict, suspect, "off"))
    return ValidationResult(plan.digest, last, tuple(found), {}, ())


def given(monkeypatch, off: set[str]) -> dict[str, set[str]]:
    """Which devices were asked to send probes, and to carry loads."""
    asked: dict[str, set[str]] = {"probed": set(), "loaded": set()}

    def validated(plan, last, store, transport, scope, *_, **__):
        return judge(plan, scope, last, off)

    def probed(plan, scope):
        asked["probed"] |= scope
        return ()

    def loaded(loading) -> None:
        asked["loaded"] |= loading.configured

    monkeypatch.setattr(room, "validate", validated)
    monkeypatch.setattr(room, "probes", probed)
    monkeypatch.setattr(room, "run_probes", lambda *_: None)
    monkeypatch.setattr(room, "run_work", lambda *_: None)
    monkeypatch.setattr(room, "runner", {50: loaded}.__getitem__)
    return asked


def test_a_gate_goes_on_without_a_node_that_is_off_and_names_it(keeper, plan, monkeypatch):
    asked = given(monkeypatch, {OFF})
    decision = keeper.gate("everything", frozenset(plan.devices), 50)
    assert (decision.word, decision.parked) == (Word.GO, (OFF,)), decision.reasons[:3]
    assert asked["probed"] == asked["loaded"] == set(plan.devices) - {OFF}
    mine = [one for one in keeper.record.findings(keeper.run) if one.device == OFF]
    assert mine
    assert all(one.verdict is Verdict.INCONCLUSIVE for one in mine)
    assert keeper.record.parked(keeper.run) == (OFF,)


def test_the_report_says_who_was_not_validated(keeper, plan, monkeypatch):
    given(monkeypatch, {OFF})
    record, run = keeper.record, keeper.run
    record.begin_wave(run, "everything", "gate", ())
    decision = keeper.gate("everything", frozenset(plan.devices), 40)
    record.end_wave(run, "everything", decision.word, map(str, decision.reasons))
    record.end_run(run, "go")
    story = tell(plan, record, record.runs()[0])
    said = f"Not validated, parked within the absence budget: {OFF}"
    assert story.coverage.unproved[0] == said
    assert story.verdict is not Verdict.PASS
    assert said in html_page(story, plan)
    assert said in markdown(story)
    assert (
        "absence budget: parked as unvalidated, 1 of at most 1" in record.waves(run)[0].reasons[-1]
    )


def test_above_the_budget_the_gate_waits_and_says_why(keeper, plan, monkeypatch):
    given(monkeypatch, {OFF, "node-p2-30"})
    decision = keeper.gate("everything", frozenset(plan.devices), 40)
    assert decision.word is not Word.GO
    assert decision.parked == ()
    assert "2 nodes are absent or open" in decision.reasons[-1].found


def test_a_site_without_a_budget_waits_for_everybody(keeper, plan, monkeypatch):
    given(monkeypatch, {OFF})
    keeper.context = replace(keeper.context, plan=replace(plan, absence_percent=0.0))
    decision = keeper.gate("everything", frozenset(plan.devices), 40)
    assert (decision.word is Word.GO, decision.parked) == (False, ())
