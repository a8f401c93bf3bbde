"""Which gate is the last, and which loads the fabric."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.measuring.stages import LOADED_STAGE, QUIET_STAGE
from deploy.record.journal import Record
from deploy.rollout import outcome, runbook
from deploy.rollout.gatekeeper import Gatekeeper
from deploy.rollout.runbook import ApplyResult
from deploy.rollout.server_wave import ServerWaves
from deploy.rollout.survey import Survey
from inventory.plan import Wave
from tests.deploy.nowhere import context_to_nowhere
from validation.judging.gate import GateDecision, Word


@dataclass
class Keeper:
    """A gatekeeper that lets everything go, and remembers what it was asked."""

    context: Context
    record: Record
    run: int
    asked: list[tuple[str, int]] = field(default_factory=list)

    def gate(self, name: str, configured: frozenset[str], through: int) -> GateDecision:
        self.asked.append((name, through))
        return GateDecision(Word.GO, ())


@pytest.fixture
def keeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeper]:
    context = context_to_nowhere(tmp_path)
    record = Record(tmp_path / "record.sqlite")
    monkeypatch.setattr(runbook, "_change", lambda *_: None)
    yield Keeper(context, record, record.begin_run("lab", context.plan.digest))
    record.close()


def rolled(
    keeper: Keeper,
    waves: tuple[Wave, ...],
    before: frozenset[str],
    servers: ServerWaves | None = None,
) -> ApplyResult | None:
    if servers is None:
        nothing = Survey("d", frozenset(), (), (), {}, {})
        servers = ServerWaves(nothing, every_role=False)
    asked: Any = keeper
    return runbook._in_waves(cast("Gatekeeper", asked), waves, servers, before, [])


@pytest.mark.parametrize("as_planned", [True, False])
def test_the_gate_that_requires_everything_is_the_last_and_loads(keeper, as_planned):
    """Also where every wave runs although nothing differs: none of them is left out."""
    plan = keeper.context.plan
    before = frozenset(plan.devices) if as_planned else frozenset()
    result = rolled(keeper, plan.waves, before)
    assert result is not None
    assert (result.exit_code, result.outcome) == (0, outcome.MEASURED)
    assert [name for name, _ in keeper.asked] == [one.name for one in plan.waves]
    assert {through for _, through in keeper.asked[:-1]} == {QUIET_STAGE}
    assert keeper.asked[-1][1] == LOADED_STAGE


def test_where_something_is_left_a_last_gate_is_still_due(keeper):
    waves = keeper.context.plan.waves[:-1]
    assert rolled(keeper, waves, frozenset()) is None
    assert {through for _, through in keeper.asked} == {QUIET_STAGE}


# -- the look of the other engine ----------------------------------------------------------------


@dataclass
class Looking:
    """Servers at which the other engine looks until somebody waits, or until a wave has begun."""

    finds: str = ""
    until: str = ""
    begun: list[str] = field(default_factory=list)
    waited_before: list[str] = field(default_factory=list)
    is_known: bool = False

    def change(self, _context, _record, _run, wave: Wave, *_: object) -> None:
        self.begun.append(wave.name)
        self.is_known |= wave.name == self.until

    def judge(self, _record: Record, _run: int, *, wait: bool) -> None:
        if wait and not self.is_known:
            self.is_known = True
            self.waited_before.append(self.begun[-1])
        if self.is_known and self.finds:
            raise RailbedError(self.finds)


@pytest.fixture
def looking(monkeypatch: pytest.MonkeyPatch) -> Looking:
    made = Looking()
    monkeypatch.setattr(runbook, "_change", made.change)
    return made


def switch_waves(keeper: Keeper) -> tuple[Wave, ...]:
    return tuple(one for one in keeper.context.plan.waves if one.step == "switches")


def with_look(keeper: Keeper, waves: tuple[Wave, ...], looking: Looking) -> ApplyResult:
    before = frozenset(keeper.context.plan.devices)
    result = rolled(keeper, waves, before, cast("ServerWaves", looking))
    assert result is not None
    return result


def test_spines_are_changed_beside_the_look_and_leaves_after_it(keeper, looking):
    waves = switch_waves(keeper)
    spines = [one for one in waves if one.name.startswith("spines")]
    assert len(spines) == 2
    assert with_look(keeper, waves, looking).exit_code == 0
    assert looking.waited_before == [spines[-1].name]
    assert looking.begun == [one.name for one in waves]


@pytest.mark.parametrize("until", [0, 1])
def test_what_the_look_finds_stops_the_run_before_the_next_wave(keeper, looking, until):
    """Where it is known early, the spine that comes next is not touched either."""
    waves = switch_waves(keeper)
    looking.finds, looking.until = "node-p1-1: ansible would still change", waves[until].name
    result = with_look(keeper, waves, looking)
    assert result.exit_code == 1
    assert result.outcome == f"{runbook.OWED}: node-p1-1: ansible would still change"
    assert looking.begun == [one.name for one in waves[: until + 1]]
    last = result.waves[-1]
    assert (last.name, last.decision) == (runbook.OWED, "stop")
    assert last.reasons == ("node-p1-1: ansible would still change",)


def test_the_last_gate_is_not_asked_before_the_look_has_ended(keeper, looking):
    looking.finds = "node-p1-1: ansible would still change"
    [*_, last] = switch_waves(keeper)
    looking.begun.append("before")
    result = with_look(keeper, (replace(last, step="switches", devices=("spine1",)),), looking)
    assert result.exit_code == 1
    assert keeper.asked == []
    assert result.waves[-1].decision == "stop"


def test_a_wave_begins_with_the_clock_and_how_far_the_rollout_is():
    wave = Wave("leaves-r1", "switches", ("leaf-p1-r1", "leaf-p2-r1"), canary=False)
    said = runbook.heading(wave, 3, 8)
    assert re.fullmatch(r"\d\d:\d\d:\d\d wave leaves-r1, wave 3 of 8: leaf-p1-r1, leaf-p2-r1", said)
