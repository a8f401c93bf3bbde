"""The runner of stage 80 where a drill is a push: what is asked when, and when it stops."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from deploy.context import Journal
from deploy.loads import s80_soak_run
from deploy.loads.guarded_drill import NOT_BACK
from deploy.record.journal import Record
from deploy.record.under_way import drilling
from tests.validation.stages.test_guarded_drills import pulled, small
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.terms import guard
from validation.stages.s80_soak.work import back_devices

WHY = "not pulled: it does not run its plan"


class Deaf:
    """Devices that answer nothing; what they were asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        self.asked.append((device, script))
        return Reply(b"", 1, "not today")


class Run:
    """One run of the drill, in which nobody waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
        self.drill, self.transport = pulled(system), Deaf()
        self.said: list[str] = []
        self.slept: list[float] = []
        monkeypatch.setattr("deploy.loads.s80_soak_run.time.sleep", self.slept.append)
        self.plan = small(system)

    def go(
        self, puller: s80_soak_run.Puller | None, holding: s80_soak_run.Holding = s80_soak_run.alone
    ) -> None:
        every = frozenset(self.plan.devices)
        s80_soak_run.run(
            self.plan, every, self.transport, EvidenceStore(), self.said.append,
            (self.drill, self.drill), puller=puller, holding=holding,
        )  # fmt: skip

    @property
    def readings(self) -> int:
        """How often the switch was asked what its ports counted."""
        mine = (text for device, text in self.transport.asked if device == self.drill.device)
        return sum("show interface" in text and "bgp" not in text for text in mine)


@pytest.fixture(params=["eos", "nxos"])
def drilled(request, monkeypatch):
    return Run(monkeypatch, request.param)


def test_ports_are_read_twice_before_the_pull_and_twice_while_it_is_off(drilled):
    readings = []

    def puller(drill: Drill, look: Callable[[], None], _: Journal) -> str:
        assert drill == drilled.drill
        readings.append(drilled.readings)
        look()
        readings.append(drilled.readings)
        return WHY

    drilled.go(puller)
    assert readings == [2, 4]
    assert drilled.slept == [guard().apart_s] * 4


def test_what_was_not_pulled_is_told_and_nothing_more_is(drilled):
    calls: list[Drill] = []

    def puller(drill: Drill, _: Callable[[], None], __: Journal) -> str:
        calls.append(drill)
        return WHY

    drilled.go(puller)
    assert calls == [drilled.drill], "the second drill is not begun"
    assert f"{drilled.drill.what}: {WHY}" in drilled.said
    assert drilled.said[-1].endswith("nothing more is pulled")


def test_without_a_way_to_push_switches_are_left_alone(drilled):
    drilled.go(None)
    assert drilled.readings == 0
    assert any("is left alone" in one for one in drilled.said)


@pytest.fixture
def record(tmp_path):
    made = Record(tmp_path / "record.sqlite")
    yield made
    made.close()


def holding(record: Record, drilled: Run) -> s80_soak_run.Holding:
    run = record.begin_run("site", drilled.plan.digest)
    return lambda drill: drilling(record, run, back_devices(drilled.plan, drill))


def test_what_is_pulled_and_its_neighbours_are_held_and_it_is_on_record(drilled, record):
    held: list[set[str]] = []

    def puller(drill: Drill, _: Callable[[], None], journal: Journal) -> str:
        held.append(set(record.locks()))
        journal(drill.device, "apply", "link flap", "", "", "done: apply")
        return WHY

    drilled.go(puller, holding(record, drilled))
    assert held == [set(back_devices(drilled.plan, drilled.drill))]
    assert len(held[0]) > 1
    assert record.locks() == {}
    (run,) = record.runs()
    told = [row.detail.partition(":")[0] for row in record.changes(run.id)]
    assert told == ["begins", "done", "done"]
    assert record.cut_off_drills() == {}


def test_what_another_run_holds_is_not_begun_and_the_next_drill_is(drilled, record):
    neighbour = back_devices(drilled.plan, drilled.drill)[-1]
    other = record.begin_run("site", drilled.plan.digest)
    record.lock(other, [neighbour])
    mine, calls = holding(record, drilled), []

    def soon_free(drill: Drill) -> AbstractContextManager[Journal]:
        if any("not begun" in one for one in drilled.said):
            record.unlock(other)
        return mine(drill)

    def puller(drill: Drill, _: Callable[[], None], __: Journal) -> str:
        calls.append(drill)
        return WHY

    drilled.go(puller, soon_free)
    assert calls == [drilled.drill], "the second one"
    (told,) = [one for one in drilled.said if "not begun" in one]
    assert told.startswith(f"{drilled.drill.what}: not begun: {neighbour}: held by")


def test_what_was_not_seen_to_go_back_stays_on_record(drilled, record):
    drilled.go(lambda *_: f"x {NOT_BACK}: no answer", holding(record, drilled))
    assert set(record.cut_off_drills()) == {drilled.drill.device}
