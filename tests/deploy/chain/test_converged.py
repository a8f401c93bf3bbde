"""From nothing to a measured site, and nothing left to do."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable

import pytest

from deploy.change import apply_site
from deploy.record import INTERRUPTED, Record
from inventory import open_site
from validation.verdict import Verdict

from .chain import SELECTION, STRAY, fingerprint, inside, railbed, silent

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("converged")]


def journal() -> Record:
    return Record(SELECTION.state_dir / "record.sqlite")


def test_every_wave_went_through_its_gate_in_the_planned_order(converged):
    """The first rollout takes the waves in order: OOB, nodes, a spine, a leaf, the rest."""
    plan = open_site("lab")
    waves = journal().waves(converged.run)
    assert [one.name for one in waves] == [one.name for one in plan.waves]
    assert {one.decision for one in waves} == {"go"}


def test_a_second_apply_changes_nothing_on_any_device():
    """File times, sizes and modes, and the start of every unit, are what they were."""
    devices = open_site("lab").devices
    before = {name: fingerprint(name) for name in devices}
    again = apply_site(SELECTION, "", dry_run=False, say=silent)
    after = {name: fingerprint(name) for name in devices}
    assert again.exit_code == 0, again.outcome
    assert again.changed == ()
    for name in devices:
        assert len(before[name]) > 100
        assert after[name] == before[name], name


def test_a_dry_run_names_a_change_and_its_impact_and_makes_none():
    """What somebody typed into bgpd is seen by --dry-run, and stays until apply."""
    inside("spine2", f"vtysh -c 'conf t' -c '{STRAY}'")
    try:
        dry = apply_site(SELECTION, "", dry_run=True, say=silent)
        assert [one.device for one in dry.differences] == ["spine2"]
        assert STRAY in dry.differences[0].text
        assert dry.differences[0].impact != "none"
        assert STRAY in inside("spine2", "vtysh -c 'show running-config'")
    finally:
        mended = apply_site(SELECTION, "switches", dry_run=False, say=silent)
    assert mended.exit_code == 0, mended.outcome
    assert mended.changed == ("spine2",)


def test_validate_passes_all_stages_as_json():
    """The command line answers for machines, with exit 0 and a finding per expectation."""
    run = railbed("validate", "--json")
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    told = json.loads(out)
    assert told["verdict"] == "pass"
    assert [one["stage"] for one in told["stages"]] == [10, 20, 25, 30, 40, 42]
    assert {one["verdict"] for one in told["findings"]} == {str(Verdict.PASS)}


@pytest.mark.parametrize("phase", ["apply", "confirm"])
def test_kill_9_in_the_middle_of_a_push_then_apply_again(phase):
    """Killed in mid-push, the next apply converges; the record is whole, no lock is left."""
    inside("spine1", f"vtysh -c 'conf t' -c '{STRAY}'")
    run = railbed("apply", "--only", "switches")
    record = journal()
    mine = wait_for(lambda: phase_of(record, run.pid, phase))
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    again = apply_site(SELECTION, "", dry_run=False, say=silent)
    assert again.exit_code == 0, again.outcome
    killed = next(one for one in record.runs() if one.id == mine)
    assert killed.outcome == INTERRUPTED
    assert record.locks() == {}
    assert STRAY not in inside("spine1", "vtysh -c 'show running-config'")


def phase_of(record: Record, pid: int, phase: str) -> int | None:
    """The id of the run once the record shows that it has begun `phase`."""
    newest = record.runs()[-1]
    begun = any(one.phase == phase for one in record.changes(newest.id))
    return newest.id if newest.ended is None and begun else None


def wait_for(look: Callable[[], int | None]) -> int:
    """Poll until `look` answers; a minute is far more than it needs."""
    for _ in range(6000):
        if (found := look()) is not None:
            return found
        time.sleep(0.01)
    raise AssertionError("it did not happen")
