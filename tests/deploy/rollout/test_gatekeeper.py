"""The gate's memory: growth is no loss, and a loss is never growth."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.context import Context, no_journal
from deploy.measuring import measure as measuring
from deploy.record.journal import Record
from deploy.rollout import gatekeeper as room
from deploy.rollout.gatekeeper import Gatekeeper
from inventory import open_site
from inventory.plan import Plan
from tests.generated.sites import Size, generated_site
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.expect import expectations
from validation.judging.gate import Word
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict

NEW = "node-p1-3"


class Nobody:
    """A transport that must not be used: what is measured is given by the test."""

    def run(self, device, script, timeout_s):
        raise AssertionError(device)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    generated_site(tmp_path / "site", Size(pods=2, spines=2, rails=2, nodes_per_pod=3))
    return open_site(tmp_path / "site")


@pytest.fixture
def keeper(plan, tmp_path, monkeypatch) -> Gatekeeper:
    """Everything worked before, but for a node that did not answer yet."""
    record = Record(tmp_path / "record.sqlite")
    context = Context(plan, "x", tmp_path, tmp_path, tmp_path, lambda _: None, no_journal)
    keeper = Gatekeeper(context, Nobody(), record, record.begin_run("x", plan.digest))
    keeper.answered_before = frozenset(plan.devices) - {NEW}
    keeper.worked_before = frozenset(one.id for one in expectations(plan, keeper.answered_before))
    monkeypatch.setattr(room, "settle_s", lambda _: 0.0)
    return keeper


def given(monkeypatch, plan: Plan, broken: str = "") -> list[bool]:
    """Let every measurement find all as expected, or all but one; says which were patient."""
    patience: list[bool] = []

    def measured(context, transport, store, configured, record, through=99, only=(), patient=False):
        patience.append(patient)
        findings = tuple(
            Finding(
                one.stage,
                one.check,
                one.device,
                one.id,
                Verdict.FAIL if one.id == broken else Verdict.PASS,
            )
            for one in expectations(plan, configured)
        )
        return ValidationResult(plan.digest, 99, findings, {}, ())

    monkeypatch.setattr(room, "measure", measured)
    return patience


def test_who_waits_for_a_reboot_is_named_though_only_what_worked_is_asked_of_it(
    keeper, plan, monkeypatch
):
    """It is not configured yet in this run, and the second look finds that it waits."""
    node = next(one.name for one in plan.nodes if one.name != NEW)
    lost = next(name for name in sorted(keeper.worked_before) if f":{node}" in name)

    def measured(context, transport, store, configured, *_, **__):
        findings = [
            Finding(one.stage, one.check, one.device, one.id,
                    Verdict.INCONCLUSIVE if one.id == lost else Verdict.PASS)
            for one in expectations(plan, configured)
        ]  # fmt: skip
        if node in configured:
            said = (Verdict.INCONCLUSIVE, f"device {node}", "the driver was replaced")
            findings.append(Finding(30, "signal", node, f"signal:{node}", *said, waits=True))
        return ValidationResult(plan.digest, 99, tuple(findings), {}, ())

    monkeypatch.setattr(room, "measure", measured)
    decision = keeper.gate("leaves", frozenset(plan.devices) - {node})
    assert (decision.word, decision.reboot) == (Word.HOLD, (node,))


def test_a_node_that_joins_takes_nothing_away(keeper, plan, monkeypatch):
    given(monkeypatch, plan)
    assert keeper.gate("nodes-rest", frozenset(plan.devices)).word is Word.GO


def test_what_worked_before_must_still_work_though_no_wave_asks_for_it(keeper, plan, monkeypatch):
    leaf = next(one.name for one in plan.switches if one.tier == "leaf")
    lost = next(one for one in sorted(keeper.worked_before) if one.startswith(f"route:{leaf}:"))
    given(monkeypatch, plan, broken=lost)
    decision = keeper.gate("oob", frozenset({plan.oob.name}))
    assert decision.word is Word.STOP
    assert lost in decision.reasons[0].expectations


def test_probes_wait_for_routing_but_not_at_the_last_look(keeper, plan, monkeypatch):
    """A gate that ends has asked everything, whatever did not settle."""
    keeper.worked_before = frozenset()
    lost = next(one.id for one in expectations(plan, frozenset(plan.devices)))
    patience = given(monkeypatch, plan, broken=lost)
    monkeypatch.setattr(room, "settle_s", lambda _: 0.05)
    monkeypatch.setattr(room, "POLL_S", 0.02)
    assert keeper.gate("leaves", frozenset(plan.devices)).word is not Word.GO
    assert patience[0] is True
    assert patience[-1] is False
    assert patience.count(False) == 1


def test_what_worked_is_asked_once_all_is_true_or_at_the_last_look(keeper, plan, monkeypatch):
    """While routing settles, a second measurement of all would only make the first one late."""
    lost = next(one.id for one in expectations(plan, frozenset(plan.devices)))
    patience = given(monkeypatch, plan, broken=lost)
    monkeypatch.setattr(room, "settle_s", lambda _: 0.05)
    monkeypatch.setattr(room, "POLL_S", 0.02)
    assert keeper.gate("leaves", frozenset(plan.devices)).word is Word.STOP
    assert patience[-2:] == [False, False], "the last look asks both"
    assert set(patience[:-2]) == {True}, "each look before it asks one"


def test_no_packet_is_sent_twice_in_one_look(plan, monkeypatch):
    sent = Counter[str]()

    def frame(device: str, command: str) -> Frame:
        sent[command] += 1
        who = Identity(device, "", "boot", 0)
        whole = hashlib.sha256(b"").hexdigest()
        return Frame(device, command, plan.digest, datetime.now(UTC), who, 0, 0, whole, b"")

    def keep(_plan, probes, _way, store):
        store.add([frame(one.sender, one.command) for one in probes])

    def work(_plan, steps, _way, store):
        store.add([frame(one.device, one.command) for step in steps for one in step])

    monkeypatch.setattr(measuring, "run_probes", keep)
    monkeypatch.setattr(measuring, "run_work", work)
    store, every = EvidenceStore(), frozenset(plan.devices)
    measuring._probe(plan, every - {NEW}, Nobody(), store)
    first = sum(sent.values())
    measuring._probe(plan, every, Nobody(), store)
    assert 0 < first < sum(sent.values())
    assert set(sent.values()) == {1}


def test_a_gate_asks_less_often_the_longer_it_waits_and_looks_once_after_the_end():
    """Of a fault that stays, some looks; what settles as it should is seen as soon as before."""
    waited, pauses = 0.0, []
    while waited <= 20:
        pauses.append(room.pause_s(waited, 20.0))
        waited += pauses[-1] + 1.0
    assert pauses[:5] == [room.POLL_S] * 5
    assert len(pauses) < 13
    assert 20 < waited < 22


class Hours:
    """A clock that goes on while somebody waits, and by no look."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize(("check", "waits_s"), [("switch_clock", 100), ("bgp", 10)])
def test_clocks_alone_are_given_longer_than_routing(keeper, plan, monkeypatch, check, waits_s):
    """A clock follows a server that it was told a moment ago once it has asked it a few times."""
    keeper.worked_before = frozenset()
    late = next(one.id for one in expectations(plan, frozenset(plan.devices)) if one.check == check)
    patience, hours = given(monkeypatch, plan, broken=late), Hours()
    monkeypatch.setattr(room, "settle_s", lambda _: 10.0)
    monkeypatch.setattr(room, "clocks_s", lambda _: 100.0)
    monkeypatch.setattr(room, "time", hours)
    assert keeper.gate("leaves", frozenset(plan.devices)).word is not Word.GO
    assert waits_s < hours.now < waits_s * 1.2
    assert patience[-1] is False


@pytest.mark.parametrize(("check", "waits_s"), [("switch_clock", 100), ("bgp", 10)])
def test_all_else_is_judged_while_clocks_are_late(keeper, plan, monkeypatch, check, waits_s):
    """By the real order of questions: of what a patient look leaves out nothing is a fault."""
    late = next(one.id for one in expectations(plan, frozenset(plan.devices)) if one.check == check)

    def judged(mine, last, scope):
        findings = tuple(
            Finding(
                *(one.stage, one.check, one.device, one.id),
                Verdict.FAIL if one.id == late else Verdict.PASS,
            )
            for one in expectations(plan, scope, last)
        )
        return ValidationResult(plan.digest, last, findings, {}, ())

    keeper.worked_before, hours = frozenset(), Hours()
    monkeypatch.setattr(measuring._Measurement, "judged", judged)
    monkeypatch.setattr(measuring, "_probe", lambda *_: None)
    monkeypatch.setattr(room, "settle_s", lambda _: 10.0)
    monkeypatch.setattr(room, "clocks_s", lambda _: 100.0)
    monkeypatch.setattr(room, "time", hours)
    assert keeper.gate("leaves", frozenset(plan.devices)).word is not Word.GO
    assert waits_s < hours.now < waits_s * 1.2


def test_each_system_says_how_long_its_clock_takes():
    assert room.clocks_s(open_site("lab")) == 30
    assert room.clocks_s(open_site("lab-nxos")) == 120
