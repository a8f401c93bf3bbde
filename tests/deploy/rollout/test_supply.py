"""Packages from the real mirrors: fetched, checked, and what happens when a version is gone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.packages import fetch as packages
from deploy.packages.fetch import PackagesGoneError, cached, fetch, missing
from deploy.packages.gpg_run import PRIVATE_KEY, ensure_key
from deploy.packages.mirrors import Target
from deploy.rollout import supply
from deploy.session import Selection, open_plan
from inventory import open_site, site_folder
from inventory.plan import LockedPackage
from inventory.software.lock import STATE_LOCK, VERSIONS

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="how packages come to a site"),
]

LOCK = "debian-12-amd64.yml"
TARGET = Target("lab", "debian-12", "bookworm", "amd64")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch) -> Path:
    """An empty cache, as on a machine that never ran this."""
    monkeypatch.setattr(packages, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def state(tmp_path: Path, monkeypatch) -> Path:
    """No state of tests in the clone."""
    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path / "state")
    return tmp_path / "state"


def locked(*names: str) -> tuple[LockedPackage, ...]:
    return tuple(one for one in open_site("lab").packages.packages if one.name in names)


def site_with_a_lost_version(folder: Path, is_lab: bool) -> str:
    """A copy of the lab whose lock wants a perftest that no mirror has."""
    site = folder / ("lab-copy" if is_lab else "site-copy")
    shutil.copytree(site_folder("lab"), site)
    if not is_lab:
        (site / "wiring.csv").unlink()
    (site / "versions").mkdir()
    text = (VERSIONS / LOCK).read_text()
    [perftest] = locked("perftest")
    assert perftest.version in text
    text = text.replace(perftest.version, "0.1-1").replace(perftest.sha256, "0" * 64)
    (site / "versions" / LOCK).write_text(text)
    return str(site)


def test_it_fetches_what_is_missing_and_checks_every_byte(cache):
    wanted = locked("libibumad3", "librdmacm1")
    said: list[str] = []
    assert missing(wanted) == list(wanted)
    fetch(TARGET, wanted, said.append)
    assert missing(wanted) == []
    cached(wanted[0]).write_bytes(b"x" * wanted[0].size_bytes)
    assert missing(wanted) == [wanted[0]]
    fetch(TARGET, wanted, said.append)
    assert missing(wanted) == []
    fetch(TARGET, wanted, said.append)
    assert [line.split()[1] for line in said] == ["2", "1"]


def test_another_file_under_the_locked_version_is_refused(cache):
    [one] = locked("libibumad3")
    other = replace(one, sha256="0" * 64)
    with pytest.raises(RailbedError, match="not the one that was locked"):
        fetch(TARGET, (other,), lambda _: None)
    assert not cached(other).exists()


def test_a_version_that_is_gone_is_named_with_what_there_is(cache):
    [one] = locked("libibumad3")
    with pytest.raises(PackagesGoneError, match=rf"libibumad3 0\.1-1 \(there is {one.version}\)"):
        fetch(TARGET, (replace(one, version="0.1-1"),), lambda _: None)


def test_a_release_that_nobody_knows_says_so(cache):
    trixie = Target("lab", "debian-13", "trixie", "amd64")
    with pytest.raises(RailbedError, match="where packages of debian-13-amd64 come from"):
        fetch(trixie, locked("libibumad3"), lambda _: None)


def test_a_site_is_refused_when_a_version_is_gone(state, tmp_path):
    selection = Selection(site_with_a_lost_version(tmp_path, is_lab=False), "none")
    assert not selection.is_lab
    with pytest.raises(RailbedError, match=r"no longer have perftest 0\.1-1") as raised:
        supply.prepare(selection, lambda _: None, open_plan(selection))
    assert "railbed packages refresh" in raised.value.hint
    assert not (selection.state_dir / STATE_LOCK).exists()


def test_a_lab_takes_what_there_is_says_so_and_comes_back(state, tmp_path):
    """Its own lock counts until the project's lock changes."""
    selection = Selection(site_with_a_lost_version(tmp_path, is_lab=True), "gone")
    said: list[str] = []
    prepared = supply.prepare(selection, said.append, open_plan(selection))
    assert any("no longer have perftest 0.1-1" in line for line in said)
    plan = open_plan(selection)
    assert plan.digest == prepared.digest
    [perftest] = [one for one in plan.packages.packages if one.name == "perftest"]
    assert perftest == locked("perftest")[0]
    assert "this lab's own" in plan.packages.origin
    supply.prepare(selection, said.append, open_plan(selection))
    assert open_plan(selection).digest == plan.digest
    shutil.copy(VERSIONS / LOCK, Path(selection.site) / "versions" / LOCK)
    supply.prepare(selection, said.append, open_plan(selection))
    assert open_plan(selection).packages.origin == "the site's versions/debian-12-amd64.yml"


def test_the_key_is_made_once_and_kept_from_others(tmp_path):
    public = ensure_key(tmp_path, "toy")
    first = public.read_text()
    assert ensure_key(tmp_path, "toy").read_text() == first
    private = tmp_path / PRIVATE_KEY
    assert private.stat().st_mode & 0o777 == 0o600
    assert "PRIVATE" in private.read_text()
    assert "PRIVATE" not in first
    private.chmod(0o640)
    with pytest.raises(RailbedError, match="open to others"):
        ensure_key(tmp_path, "toy")
    private.unlink()
    with pytest.raises(RailbedError, match="cannot be read"):
        ensure_key(tmp_path, "toy")
