"""A stage of which most fails at once is measured anew: no single part slows all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.loads.loading import Loading
from deploy.measuring import measure as room
from deploy.measuring.measure import MOST_TRIES
from deploy.record.journal import Record
from tests.deploy.nowhere import context_to_nowhere
from tests.deploy.rollout.test_gatekeeper import Nobody
from validation.evidence.store import EvidenceStore, Frame, Identity
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict

P, F, OPEN = Verdict.PASS, Verdict.FAIL, Verdict.INCONCLUSIVE


def frame(command: str) -> Frame:
    return Frame("node-p1-1", command, "d", datetime.now(UTC), Identity("", "", ""), 0, 0, "", b"")


class Site:
    """Each time its stage is loaded it leaves a frame of its own, and is judged by the next row."""

    def __init__(self, folder: Path, stage: int, rows: Sequence[dict[str, list[Verdict]]]) -> None:
        self.stage, self.rows, self.times = stage, rows, 0
        self.said: list[str] = []
        self.store = EvidenceStore(folder)
        self.store.add([frame("ip -j link show")])

    def load(self, loading: Loading) -> None:
        self.times += 1
        loading.store.add([frame("probe bw"), frame(f"probe bw extra {self.times}")])
        loading.store.save()

    def judged(self, *_: object, **__: object) -> ValidationResult:
        row = self.rows[self.times - 1]
        found = [
            Finding(self.stage, check, "node-p1-1", f"{check}:{number}", verdict)
            for check, verdicts in row.items()
            for number, verdict in enumerate(verdicts)
        ]
        return ValidationResult("", self.stage, (*found, Finding(20, "bgp", "", "", P)), {}, ())


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def run(stage: int, *rows: dict[str, list[Verdict]]) -> tuple[Site, ValidationResult]:
        site = Site(tmp_path / "evidence", stage, rows)
        monkeypatch.setattr(room, "runner", {stage: site.load}.__getitem__)
        monkeypatch.setattr(room, "validate", site.judged)
        context = replace(context_to_nowhere(tmp_path), say=site.said.append)
        record = Record(tmp_path / "r")
        scope = frozenset(context.plan.devices)
        asked = room._Measurement(context, Nobody(), site.store, scope, record, frozenset(), {})
        try:
            return site, asked._by_loads(stage, scope, Nobody())
        finally:
            record.close()

    return run


SLOW = {"bw": [F, F, F, P, P], "coverage": [P, P, P, P]}
GOOD = {"bw": [P] * 5, "coverage": [P] * 4}


def commands(folder: Path) -> list[str]:
    return [one.command for one in EvidenceStore.load(folder)]


@pytest.mark.parametrize("stage", [50, 70])
def test_the_last_time_counts_and_nothing_of_earlier_ones_is_left(measured, tmp_path, stage):
    site, found = measured(stage, SLOW, GOOD)
    assert site.times == 2
    assert {one.verdict for one in found.findings} == {P}
    site.store.save()
    assert commands(tmp_path / "evidence") == ["ip -j link show", "probe bw", "probe bw extra 2"]
    assert site.said == [f"most of stage {stage} fails at once: it is measured anew ..."]


def test_what_is_so_every_time_fails(measured):
    site, found = measured(50, *[SLOW] * MOST_TRIES)
    assert site.times == MOST_TRIES
    assert [one.verdict for one in found.findings].count(F) == 3


@pytest.mark.parametrize(
    "row",
    [
        GOOD,
        {"bw": [F, F, P, P, P]},
        {"bw": [F, F, P, P]},
        {"bw": [OPEN] * 5},
        {"bw": [OPEN, OPEN, OPEN, F]},
    ],
)
def test_a_few_that_fail_and_what_proves_nothing_are_not_measured_anew(measured, row):
    assert measured(50, row)[0].times == 1


@pytest.mark.parametrize("stage", [45, 60, 75, 80])
def test_what_takes_long_or_is_not_compared_runs_once(measured, stage):
    assert measured(stage, SLOW)[0].times == 1
