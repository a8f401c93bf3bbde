"""From nothing to a measured site, and nothing left to do."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from deploy.record.journal import INTERRUPTED, Record
from deploy.rollout.change import apply_site
from deploy.rollout.outcome import MEASURED
from deploy.rollout.runbook import ApplyResult
from deploy.session import Selection
from inventory import open_site
from tests.labs import Applied, kept_lab, started
from validation.verdict import Verdict

from .chain import STRAY, fingerprint, inside, railbed, silent

pytestmark = pytest.mark.lab


@dataclass(frozen=True)
class Cold:
    """A lab that this run of the tests brought to its plan, and how that ended."""

    selection: Selection
    first: Applied

    @property
    def lab(self) -> str:
        return self.selection.lab

    def apply(self, only: str = "", *, dry_run: bool = False) -> ApplyResult:
        return apply_site(self.selection, only, dry_run=dry_run, say=silent)

    def inside(self, device: str, script: str) -> str:
        return inside(device, script, self.lab)

    def record(self) -> Record:
        return Record(self.selection.state_dir / "record.sqlite")


@pytest.fixture(scope="module")
def cold() -> Iterator[Cold]:
    """A real apply from nothing, made in this run whatever earlier runs kept."""
    first = kept_lab(of_this_run=True)
    with started("conv", first) as selection:
        yield Cold(selection, first)


def test_the_first_apply_brought_every_device_to_the_plan(cold):
    """From nothing to go, every device changed, in this run."""
    assert cold.first.is_of_this_run
    assert cold.first.outcome == MEASURED
    assert cold.first.changed == tuple(sorted(open_site("lab").devices))


def test_every_wave_went_through_its_gate_in_the_planned_order(cold):
    """The first rollout takes the waves in order: OOB, nodes, a spine, a leaf, the rest."""
    plan = open_site("lab")
    waves = cold.record().waves(cold.first.run)
    assert [one.name for one in waves] == [one.name for one in plan.waves]
    assert {one.decision for one in waves} == {"go"}


def test_a_second_apply_changes_nothing_on_any_device(cold):
    """File times, sizes and modes, and the start of every unit, are what they were."""
    devices = open_site("lab").devices
    # The first login after a boot starts ssh.service, by its socket: that is no change of apply's.
    assert cold.apply(dry_run=True).differences == ()
    before = {name: fingerprint(name, cold.lab) for name in devices}
    again = cold.apply()
    after = {name: fingerprint(name, cold.lab) for name in devices}
    assert again.exit_code == 0, again.outcome
    assert again.changed == ()
    for name in devices:
        assert len(before[name]) > 100
        assert after[name] == before[name], name


@pytest.mark.instances(keep=1, of="a change of a converged lab")
def test_a_dry_run_names_a_change_and_its_impact_and_makes_none(cold):
    """What somebody typed into bgpd is seen by --dry-run, and stays until apply."""
    cold.inside("spine2", f"vtysh -c 'conf t' -c '{STRAY}'")
    try:
        dry = cold.apply(dry_run=True)
        assert [one.device for one in dry.differences] == ["spine2"]
        # Of a line that nobody planned its kind and place, not what it says.
        assert re.search(
            r"^-ip prefix-list \* #[0-9a-f]{8}$", dry.differences[0].text, re.MULTILINE
        )
        assert dry.differences[0].impact != "none"
        assert STRAY in cold.inside("spine2", "vtysh -c 'show running-config'")
    finally:
        mended = cold.apply("switches")
    assert mended.exit_code == 0, mended.outcome
    assert mended.changed == ("spine2",)


def test_validate_passes_all_stages_as_json(cold):
    """The command line answers for machines, with exit 0 and a finding per expectation."""
    run = railbed("validate", "--json", lab=cold.lab)
    out, err = run.communicate(timeout=240)
    assert run.returncode == 0, err
    told = json.loads(out)
    assert told["verdict"] == "pass"
    assert [one["stage"] for one in told["stages"]] == [10, 20, 25, 30, 40, 42]
    assert {one["verdict"] for one in told["findings"]} == {str(Verdict.PASS)}


@pytest.mark.instances(keep=1, of="a change of a converged lab")
@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("phase", ["apply", "confirm"])
def test_kill_9_in_the_middle_of_a_push_then_apply_again(cold, phase):
    """Killed in mid-push, the next apply converges; the record is whole, no lock is left."""
    cold.inside("spine1", f"vtysh -c 'conf t' -c '{STRAY}'")
    run = railbed("apply", "--only", "switches", lab=cold.lab)
    record = cold.record()
    mine = wait_for(lambda: phase_of(record, run.pid, phase))
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    again = cold.apply()
    assert again.exit_code == 0, again.outcome
    killed = next(one for one in record.runs() if one.id == mine)
    assert killed.outcome == INTERRUPTED
    assert record.locks() == {}
    assert STRAY not in cold.inside("spine1", "vtysh -c 'show running-config'")


def phase_of(record: Record, pid: int, phase: str) -> int | None:
    """The id of the run once the record shows that it has begun `phase`."""
    newest = record.runs()[-1]
    begun = any(one.phase == phase for one in record.changes(newest.id))
    return newest.id if newest.ended is None and begun else None


def wait_for(look: Callable[[], int | None]) -> int:
    """Poll until `look` answers; five minutes are far more than it needs."""
    give_up = time.monotonic() + 300
    while (found := look()) is None:
        assert time.monotonic() < give_up, "it did not happen"
        time.sleep(0.01)
    return found
