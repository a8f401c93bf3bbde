"""When loads run: not before all quiet stages pass, and not again while nothing changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.measuring.measure import passes_quietly
from deploy.measuring.stages import LOADED_STAGE, PROBED_STAGE, QUIET_STAGE
from deploy.record.journal import CHECKED, ROLES, Record
from deploy.record.rows import ChangeRow
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


def changed(record: Record, run: int, wave: str = GATE) -> None:
    record.change(run, ChangeRow(wave, "spine1", "apply", "", "none", "", "", ""))


def test_a_gate_counts_as_loaded_when_it_let_go_after_loads_of_this_plan(record):
    gated(record, "go", PROBED_STAGE)
    gated(record, "stop", PROBED_STAGE, LOADED_STAGE)
    gated(record, "go", LOADED_STAGE, digest="e" * 64)
    assert record.is_unmeasured(DIGEST, LOADED_STAGE)
    gated(record, "go", PROBED_STAGE, LOADED_STAGE)
    assert not record.is_unmeasured(DIGEST, LOADED_STAGE)
    gated(record, "go", PROBED_STAGE)
    assert not record.is_unmeasured(DIGEST, LOADED_STAGE)


def test_what_a_wave_changed_is_measured_by_its_own_gate(record):
    run = record.begin_run("lab", DIGEST)
    record.begin_wave(run, "leaves", "switches", ())
    time.sleep(0.002)  # the record counts in milliseconds
    changed(record, run, "leaves")
    time.sleep(0.002)
    record.add_findings(run, "leaves", [finding(LOADED_STAGE)])
    record.end_wave(run, "leaves", "go", ())
    assert not record.is_unmeasured(DIGEST, LOADED_STAGE)
    time.sleep(0.002)
    changed(record, run)
    assert record.is_unmeasured(DIGEST, LOADED_STAGE)


def test_what_another_run_changes_meanwhile_is_not_measured(record):
    other = record.begin_run("lab", DIGEST)
    run = record.begin_run("lab", DIGEST)
    record.begin_wave(run, GATE, "gate", ())
    changed(record, other)
    record.add_findings(run, GATE, [finding(LOADED_STAGE)])
    record.end_wave(run, GATE, "go", ())
    assert record.is_unmeasured(DIGEST, LOADED_STAGE)


def test_a_change_after_the_loads_is_later_than_they_are(record):
    gated(record, "go", LOADED_STAGE)
    time.sleep(0.002)  # the record counts in milliseconds
    changed(record, record.begin_run("lab", DIGEST))
    assert record.is_unmeasured(DIGEST, LOADED_STAGE)


def test_only_what_its_last_gate_let_go_is_settled(record):
    """A gate that stopped, was never reached, or is older than a change has more to say."""
    assert not record.is_settled(DIGEST)
    gated(record, "go", PROBED_STAGE)
    assert record.is_settled(DIGEST)
    assert not record.is_settled("e" * 64)
    time.sleep(0.002)
    changed(record, record.begin_run("lab", DIGEST))
    assert not record.is_settled(DIGEST)
    time.sleep(0.002)
    gated(record, "go")
    assert record.is_settled(DIGEST)
    gated(record, "stop", LOADED_STAGE)
    assert not record.is_settled(DIGEST)
    gated(record, "go")
    run = record.begin_run("lab", DIGEST)
    record.begin_wave(run, "nodes-p1", "nodes", ["node-p1-1"])
    assert not record.is_settled(DIGEST)


def test_servers_are_unchecked_until_the_other_engine_has_looked(record):
    run = record.begin_run("lab", DIGEST)

    def row(device: str, phase: str) -> None:
        record.change(run, ChangeRow("w", device, phase, "", "none", "", "", ""))

    row("spine1", "apply")
    row("node-p1-1", ROLES)
    row("node-p1-2", ROLES)
    row("node-p1-1", CHECKED)
    assert record.unchecked() == {"node-p1-2"}
    row("node-p1-2", CHECKED)
    row("node-p1-1", ROLES)
    assert record.unchecked() == {"node-p1-1"}
