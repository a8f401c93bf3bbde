"""A site's state is its owner's alone: who else has an account here reads none of it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from deploy.record.journal import Record
from deploy.report import files as report_files
from deploy.report import tell
from deploy.rollout import saved_plan
from inventory import open_site
from tests.validation.recorded import recorded
from validation.evidence import learned
from validation.evidence.store import EvidenceStore


def made(state: Path) -> None:
    """What a run leaves."""
    plan, record = open_site("lab"), Record(state / "record.sqlite")
    run = record.begin_run(plan.site, plan.digest)
    store = EvidenceStore(state / "evidence" / f"run-{run}" / "validate")
    store.add(list(recorded("healthy"))[:3])
    store.save()
    learned.save(state / "learned.json", {})
    record.end_run(run, "pass")
    report_files._write(tell(plan, record, record.runs()[0], store), plan, state)
    saved = saved_plan.SavedPlan("lab", "lab", "", "d", "c", "now", {}, (), "a", "")
    saved_plan.write(saved, state / "plan.json")


def open_to_others(state: Path) -> list[str]:
    return [
        f"{stat.filemode(one.stat().st_mode)} {one.relative_to(state)}"
        for one in (state, *state.rglob("*"))
        if one.stat().st_mode & 0o077
    ]


@pytest.mark.parametrize("was", [None, 0o755, 0o777], ids=["new", "readable", "writable"])
def test_nobody_else_reads_what_a_run_leaves(tmp_path, was):
    state = tmp_path / "state"
    if was is not None:
        state.mkdir()
        state.chmod(was)
    made(state)
    assert {one.name for one in state.iterdir()} >= {"record.sqlite", "evidence", "report"}
    assert open_to_others(state) == []


def test_a_folder_that_is_everybodys_is_left_as_it_is(tmp_path):
    tmp_path.chmod(0o1777)  # as /tmp
    Record(tmp_path / "record.sqlite").close()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777
    assert stat.S_IMODE((tmp_path / "record.sqlite").stat().st_mode) == 0o600
