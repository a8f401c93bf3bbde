"""Which gate is the last, and which loads the fabric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from deploy import runbook
from deploy.context import Context
from deploy.gatekeeper import Gatekeeper
from deploy.record import Record
from deploy.runbook import ApplyResult
from deploy.server_wave import ServerWaves
from deploy.stages import LOADED_STAGE, QUIET_STAGE
from inventory.plan import Wave
from validation.gate import GateDecision, Word

from .nowhere import context_to_nowhere


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


def rolled(keeper: Keeper, waves: tuple[Wave, ...], before: frozenset[str]) -> ApplyResult | None:
    servers = cast("ServerWaves", None)
    asked: Any = keeper
    return runbook._in_waves(cast("Gatekeeper", asked), waves, servers, before, [])


@pytest.mark.parametrize("as_planned", [True, False])
def test_the_gate_that_requires_everything_is_the_last_and_loads(keeper, as_planned):
    """Also where every wave runs although nothing differs: none of them is left out."""
    plan = keeper.context.plan
    before = frozenset(plan.devices) if as_planned else frozenset()
    result = rolled(keeper, plan.waves, before)
    assert result is not None
    assert (result.exit_code, result.outcome) == (0, runbook.MEASURED)
    assert [name for name, _ in keeper.asked] == [one.name for one in plan.waves]
    assert {through for _, through in keeper.asked[:-1]} == {QUIET_STAGE}
    assert keeper.asked[-1][1] == LOADED_STAGE


def test_where_something_is_left_a_last_gate_is_still_due(keeper):
    waves = keeper.context.plan.waves[:-1]
    assert rolled(keeper, waves, frozenset()) is None
    assert {through for _, through in keeper.asked} == {QUIET_STAGE}
