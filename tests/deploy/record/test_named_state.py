"""A state folder that RAILBED_STATE names is one site's: another's runs are refused, untouched."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from deploy.record.journal import Record
from inventory import InventoryError
from inventory.load.site import SITES
from inventory.state import state_dir
from tests.deploy.command_line import railbed
from tests.tree import ROOT


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site `hall-2`, whose folder is no lab's."""
    folder = tmp_path / "sites" / "hall-2"
    folder.mkdir(parents=True)
    text = (SITES / "lab" / "fabric.yml").read_text().replace("site: lab", "site: hall-2")
    (folder / "fabric.yml").write_text(text)
    (folder / "asbuilt.csv").write_bytes((SITES / "lab" / "asbuilt.csv").read_bytes())
    return folder


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state of a site `hall-1`, which RAILBED_STATE names."""
    folder = tmp_path / "state"
    ran(folder, "hall-1")
    (folder / "ssh").mkdir()
    (folder / "ssh" / "config").write_text("Host *\n")
    monkeypatch.setenv("RAILBED_STATE", str(folder))
    return folder


def ran(folder: Path, site: str) -> None:
    record = Record(folder / "record.sqlite")
    record.end_run(record.begin_run(site, "d" * 64), "pass")
    record.close()


def held(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): sha256(one.read_bytes()).hexdigest() if one.is_file() else ""
        for one in folder.rglob("*")
    }


COMMANDS = [
    ("check",), ("plan",), ("render",), ("diff",), ("drift",), ("apply",), ("apply", "--dry-run"),
    ("validate",), ("validate", "--dry-run"), ("runs",), ("runs", "--forget-history"), ("report",),
    ("history",), ("compare", "1", "2"), ("bisect", "1", "2"), ("packages", "fetch"),
    ("export", "cables"), ("drill",),
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_it_is_refused_with_both_names_and_the_remedy(site, state, command):
    before = held(state)
    said = railbed(*command, "--site", str(site))
    assert said.returncode == 2, said.stdout + said.stderr
    told = said.stdout + said.stderr
    assert "`hall-1`" in told
    assert "`hall-2`" in told
    assert "RAILBED_STATE names this folder: unset it, or name one" in told
    assert held(state) == before


@pytest.mark.parametrize(
    "command",
    [
        [sys.executable, "inventory/ansible_source.py", "--list"],
        [sys.executable, "-c", "from inventory.pyinfra_source import hosts; hosts()"],
    ],
    ids=["ansible", "pyinfra"],
)
def test_nor_do_the_engines_own_commands_take_its_ssh_files(site, state, command):
    before = held(state)
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "RAILBED_SITE": str(site), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "`hall-1`" in done.stderr
    assert not done.stdout
    assert held(state) == before


def test_while_a_first_run_is_at_work_it_is_refused_too(site, tmp_path, monkeypatch):
    """What has begun counts, though nothing has ended."""
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path / "fresh"))
    record = Record(tmp_path / "fresh" / "record.sqlite")
    try:
        record.begin_run("hall-1", "d" * 64)
        assert railbed("runs", "--site", str(site)).returncode == 2
    finally:
        record.close()


def test_one_run_among_the_sites_own_is_enough(site, state):
    ran(state, "hall-2")
    with pytest.raises(InventoryError, match="hall-1"):
        state_dir(str(site), "lab")


def test_the_sites_own_folder_an_empty_one_and_a_new_one_are_taken(site, tmp_path, monkeypatch):
    for name in ("own", "empty", "new"):
        folder = tmp_path / name
        monkeypatch.setenv("RAILBED_STATE", str(folder))
        if name == "own":
            ran(folder, "hall-2")
        elif name == "empty":
            Record(folder / "record.sqlite").close()
        before = held(folder)
        assert state_dir(str(site), "lab") == folder
        assert held(folder) == before


def test_a_lab_has_its_own_state_and_reads_none_of_it(state):
    assert state_dir("lab", "lab") != state


def test_a_record_that_nobody_can_read_is_told_by_who_opens_it(site, state):
    (state / "record.sqlite").write_bytes(b"no database at all" * 100)
    said = railbed("runs", "--site", str(site))
    assert said.returncode == 2
    assert "cannot be used" in said.stderr
