"""The runner of stage 80 where a drill is a push: what is asked when, and when it stops."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from deploy.loads import s80_soak_run
from tests.validation.stages.test_guarded_drills import pulled, small
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.terms import guard

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

    def go(self, puller: Callable[[Drill, Callable[[], None]], str] | None) -> None:
        every = frozenset(self.plan.devices)
        s80_soak_run.run(
            self.plan, every, self.transport, EvidenceStore(), self.said.append,
            (self.drill, self.drill), puller=puller,
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

    def puller(drill: Drill, look: Callable[[], None]) -> str:
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

    def puller(drill: Drill, _: Callable[[], None]) -> str:
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
