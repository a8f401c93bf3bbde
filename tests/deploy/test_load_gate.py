"""When loads run: not before all quiet stages pass, and not again while nothing changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.measure import passes_quietly
from deploy.record import ChangeRow, Record
from deploy.stages import LOADED_STAGE, PROBED_STAGE, QUIET_STAGE
from validation.verdict import Finding, Verdict

GATE, DIGEST = "everything", "d" * 64


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    made = Record(tmp_path / "record.sqlite")
    yield made
    made.close()


def finding(stage: int, verdict: Verdict = Verdict.PASS) -> Finding:
    return Finding(stage, "check", "node-p1-1", f"check:{stage}", verdict)


def gated(record: Record, decision: str, *stages: int, digest: str = DIGEST) -> None:
    run = record.begin_run("lab", digest)
    record.begin_wave(run, GATE, "gate", ())
    record.add_findings(run, GATE, [finding(stage) for stage in stages])
    record.end_wave(run, GATE, decision, ())
    record.end_run(run, decision)


@pytest.mark.parametrize("stage", [PROBED_STAGE, QUIET_STAGE])
def test_loads_wait_for_every_quiet_stage(stage):
    assert passes_quietly([finding(20), finding(LOADED_STAGE, Verdict.FAIL)])
    assert not passes_quietly([finding(20), finding(stage, Verdict.FAIL)])
    assert not passes_quietly([finding(20), finding(stage, Verdict.INCONCLUSIVE)])
    assert not passes_quietly([])


def test_a_gate_counts_as_loaded_when_it_let_go_after_loads_of_this_plan(record):
    gated(record, "go", PROBED_STAGE)
    gated(record, "stop", PROBED_STAGE, LOADED_STAGE)
    gated(record, "go", LOADED_STAGE, digest="e" * 64)
    assert record.last_go(DIGEST, LOADED_STAGE) is None
    gated(record, "go", PROBED_STAGE, LOADED_STAGE)
    first = record.last_go(DIGEST, LOADED_STAGE)
    assert first is not None
    gated(record, "go", PROBED_STAGE)
    assert record.last_go(DIGEST, LOADED_STAGE) == first


def test_a_change_after_the_loads_is_later_than_they_are(record):
    gated(record, "go", LOADED_STAGE)
    time.sleep(0.002)  # the record counts in milliseconds
    run = record.begin_run("lab", DIGEST)
    record.change(run, ChangeRow("w", "spine1", "apply", "", "none", "", "", ""))
    loaded = record.last_go(DIGEST, LOADED_STAGE)
    assert loaded is not None
    assert record.last_changed()["spine1"] > loaded
