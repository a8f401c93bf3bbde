"""Where state lies: one folder a site, the same from any checkout, and never another site's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from inventory.state import CLONE, sites_root, state_dir

HOME = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


@pytest.fixture(autouse=True)
def _user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("RAILBED_STATE", raising=False)


def git(*words: str | Path) -> None:
    command = ["git", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **HOME})


def site(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "fabric.yml").write_text("site: pod\n")
    return folder


def repository(folder: Path) -> Path:
    """People's own repository with the site `sites/pod` in it."""
    site(folder / "sites" / "pod")
    git("init", "-q", folder)
    git("-C", folder, "add", ".")
    git("-C", folder, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "x")
    return folder


def state(folder: Path) -> Path:
    return state_dir(str(folder), "lab")


def test_two_folders_of_one_name_have_states_of_their_own(tmp_path):
    one, other = (state(site(tmp_path / name / "pod")) for name in ("a", "b"))
    assert one != other
    assert {one.parent, other.parent} == {tmp_path / "user" / "railbed"}
    assert one.name.startswith("pod-")


def test_checkouts_of_one_repository_share_the_state_of_their_site(tmp_path):
    """Clones, clones by another user's URL, and worktrees; a link is where it leads."""
    home = repository(tmp_path / "home")
    for name in ("one", "two"):
        git("clone", "-q", home, tmp_path / name)
    git("-C", tmp_path / "one", "worktree", "add", "-q", "--detach", tmp_path / "three")
    (tmp_path / "four").symlink_to(tmp_path / "two")
    found = {state(tmp_path / name / "sites" / "pod") for name in ("one", "two", "three", "four")}
    assert len(found) == 1
    assert state(home / "sites" / "pod") not in found, "it has no origin"


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("https://git.example.com/ops/sites", True),
        ("https://me:word@git.example.com/ops/sites.git", True),
        ("https://git.example.com/ops/others.git", False),
    ],
)
def test_a_repository_is_known_by_its_origin(tmp_path, url, same):
    for name, origin in (("one", "https://git.example.com/ops/sites.git"), ("two", url)):
        git("-C", repository(tmp_path / name), "remote", "add", "origin", origin)
        git("-C", tmp_path / name, "remote", "add", "other", f"{origin}/{name}")
    one, two = (state(tmp_path / name / "sites" / "pod") for name in ("one", "two"))
    assert (one == two) is same


def test_two_sites_of_one_repository_are_two(tmp_path):
    home = repository(tmp_path / "home")
    git("-C", home, "remote", "add", "origin", "https://git.example.com/ops/sites.git")
    other = site(home / "lab-hall" / "pod")
    assert state(other) != state(home / "sites" / "pod")


def test_a_folder_may_be_named(tmp_path, monkeypatch):
    monkeypatch.setenv("RAILBED_STATE", str(tmp_path / "mine"))
    assert state(site(tmp_path / "pod")) == tmp_path / "mine"
    assert state_dir("lab", "other") == CLONE / ".railbed" / "labs" / "other"


@pytest.mark.parametrize("said", ["", "relative/path"])
def test_without_a_place_named_it_lies_beside_the_users_other_state(said, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", said)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert sites_root() == tmp_path / ".local" / "state" / "railbed"


@pytest.mark.parametrize("config", ["", "[remote", "\xff", '[remote "origin"]\n'])
def test_a_repository_that_says_nothing_is_a_place(tmp_path, config):
    home = repository(tmp_path / "home")
    (home / ".git" / "config").write_text(config, encoding="latin-1")
    assert state(home / "sites" / "pod").name.startswith("pod-")
