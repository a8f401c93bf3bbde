"""Stages 45 and 75 run for real on this machine: its memory, its disk, by real programs."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.loads import s45_single_node_run as single_run
from deploy.loads import s75_storage_run as storage_run
from inventory import open_site
from inventory.plan import Acceptance, Mount, Plan
from tests.deploy.local_nodes import LocalNodes
from validation.evidence.store import EvidenceStore
from validation.probes import disk_io
from validation.run import ValidationResult, validate
from validation.stages.s45_single_node import terms as single_terms
from validation.stages.s75_storage import terms as storage_terms
from validation.verdict import Verdict

NODES = frozenset({"node-p1-1", "node-p1-2"})
needs_fio = pytest.mark.skipif(not shutil.which("fio"), reason="needs fio (Debian package fio)")


def scratch_plan(scratch: Path | None) -> Plan:
    """Two nodes of the lab, with a scratch folder here."""
    site = open_site("lab")
    asked = Acceptance(str(scratch) if scratch else None, None, None, None, None)
    return replace(site, nodes=tuple(replace(one, acceptance=asked) for one in site.nodes))


def judged(plan: Plan, store: EvidenceStore, stage: int) -> ValidationResult:
    others = frozenset(range(100)) - {stage}
    return validate(plan, stage, store, None, NODES, leave_out=others)


def test_memory_is_really_copied():
    plan, store = scratch_plan(None), EvidenceStore()
    done = single_run.run(plan, NODES, LocalNodes(plan), store)
    assert (done.frames, done.steps, done.errors) == (2, 1, {})
    found = judged(plan, store, 45).findings
    assert {(one.check, one.verdict) for one in found} == {("memory", Verdict.PASS)}
    assert all(one.figure and one.figure.value > 0.1 for one in found)


@needs_fio
def test_files_are_really_written_and_read_and_removed(tmp_path):
    plan, store = scratch_plan(tmp_path), EvidenceStore()
    done = single_run.run(plan, NODES, LocalNodes(plan), store)
    assert done.errors == {}
    found = {one.expectation: one for one in judged(plan, store, 45).findings}
    assert {one.verdict for one in found.values()} == {Verdict.PASS}
    assert all(one.figure and one.figure.value > 1 for one in found.values() if one.check == "disk")
    assert list(tmp_path.iterdir()) == []


@needs_fio
@pytest.mark.parametrize(
    ("place", "says"),
    [("/dev/shm", "no place for files"), ("/nonexistent/scratch", "no such folder")],
)
def test_no_device_and_no_missing_folder_is_written_to(place, says):
    plan, store = scratch_plan(Path(place)), EvidenceStore()
    single_run.run(plan, NODES, LocalNodes(plan), store)
    found = [one for one in judged(plan, store, 45).findings if one.check == "disk"]
    assert {one.verdict for one in found} == {Verdict.FAIL}
    assert all(says in one.found for one in found)
    assert {one.suspect for one in found} == {f"disk under {place} of {one}" for one in NODES}


def test_a_disk_without_room_is_left_alone(tmp_path):
    asked = disk_io.Files(str(tmp_path), 4, 10**9, 1, 4, "1M", 10, mounted=False)
    done = subprocess.run(["sh", "-c", asked.shell], capture_output=True, text=True)
    assert (done.returncode, "KiB free" in done.stderr) == (73, True)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_mount_point_is_no_mount(tmp_path):
    asked = disk_io.Files(str(tmp_path), 1, 1, 1, 4, "1M", 0, mounted=True)
    done = subprocess.run(["sh", "-c", asked.shell], capture_output=True, text=True)
    assert (done.returncode, "is not mounted" in done.stderr) == (76, True)


def test_a_node_beyond_every_power_step_stops_the_run_before_it_begins(monkeypatch):
    site = open_site("pod-256")
    asked = Acceptance(None, None, None, "/opt/gpu_burn", None)
    plan = replace(site, nodes=tuple(replace(one, acceptance=asked) for one in site.nodes))
    low = replace(single_terms.terms(), ramp=replace(single_terms.terms().ramp, pdu_step=0.01))
    monkeypatch.setattr("validation.stages.s45_single_node.work.terms", lambda: low)
    nodes = LocalNodes(plan)
    with pytest.raises(RailbedError, match="cannot be burnt: node-p1-01 adds 3400 W"):
        single_run.run(plan, frozenset({"node-p1-01"}), nodes, EvidenceStore())
    assert nodes.trips == []


@pytest.fixture
def mounted(tmp_path):
    """A file system of its own at a path that the inventory would take."""
    place = tmp_path / "data"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256m", "none", str(place)], capture_output=True
    )
    if done.returncode:
        pytest.skip("needs to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@needs_fio
def test_a_mount_is_really_loaded_by_one_node_and_by_two(mounted, monkeypatch):
    """Real fio through the real runner; with the promise too high, the storage is blamed."""
    small = replace(storage_terms.terms().fio, seconds=2, files=2, mib=8)
    own = replace(storage_terms.terms(), fio=small)
    for module in ("groups", "judge"):
        monkeypatch.setattr(f"validation.storage.{module}.terms", lambda: own)
    site = open_site("lab")
    nic = replace(open_site("pod-256").nodes[-1].nics[0], plane="storage", rate_gbps=4000.0)
    nodes = tuple(replace(one, nics=(nic,)) for one in site.nodes)
    for promised, verdict in ((0.01, Verdict.PASS), (3000.0, Verdict.FAIL)):
        mount = Mount(str(mounted), ("gpu",), promised, promised, gds=False)
        plan, store = replace(site, nodes=nodes, mounts=(mount,)), EvidenceStore()
        done = storage_run.run(plan, NODES, LocalNodes(plan), store)
        assert done.errors == {}
        assert done.steps == 2
        found = judged(plan, store, 75).findings
        parts = [one for one in found if one.check == "store"]
        assert {one.verdict for one in parts} == {verdict}, [one.found for one in parts]
        assert len(found) == 2 + 4 + 2 + 2
        assert list(mounted.iterdir()) == []
