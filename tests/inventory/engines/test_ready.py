"""What is made ready for engines is what their own sources say, and nothing else is taken."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inventory import open_site, pyinfra_source
from inventory.engines.ready import make_ready
from inventory.engines.source import READY_VARIABLE

from .test_sources import ask, listed


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def ready(state: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "ready"
    folder.mkdir()
    ssh = state / "ssh"
    make_ready(open_site("lab"), str(ssh / "config"), str(ssh / "known_hosts"), folder)
    return folder


def test_both_engines_get_what_they_would_have_read_themselves(state, ready, monkeypatch):
    monkeypatch.setenv("RAILBED_STATE", str(state))
    own = pyinfra_source.hosts()
    monkeypatch.setenv(READY_VARIABLE, str(ready))
    given = pyinfra_source.hosts()
    assert own == given
    assert list(own) == list(given)
    monkeypatch.delenv(READY_VARIABLE)
    mine = listed(RAILBED_STATE=str(state))
    assert listed(RAILBED_STATE=str(state), RAILBED_READY=str(ready)) == mine


def test_what_is_ready_is_read_without_opening_the_site(ready, tmp_path):
    """A site that is not there shows that nobody looked."""
    nowhere = {"RAILBED_SITE": str(tmp_path / "nosite"), "RAILBED_READY": str(ready)}
    assert ask("--list", **nowhere).returncode == 0
    assert ask("--host", "oob1", **nowhere).returncode == 2


def test_a_folder_without_the_inventory_is_refused(ready, monkeypatch):
    shutil.rmtree(ready)
    monkeypatch.setenv(READY_VARIABLE, str(ready))
    with pytest.raises(SystemExit, match="without the inventory"):
        pyinfra_source.hosts()
    answer = ask("--list")
    assert answer.returncode == 2
    assert "without the inventory" in answer.stderr


@pytest.mark.parametrize("text", ["{", "{}"])
def test_half_an_inventory_is_refused(ready, monkeypatch, text):
    (ready / "pyinfra.json").write_text(text)
    monkeypatch.setenv(READY_VARIABLE, str(ready))
    with pytest.raises(SystemExit, match="without the inventory"):
        pyinfra_source.hosts()
