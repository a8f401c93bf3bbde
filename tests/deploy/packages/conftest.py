"""Archives of releases that this machine does not run, and sites that ask them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.packages.fetch import refresh
from deploy.packages.gpg_run import ensure_key
from deploy.packages.repo_run import VALID, make
from deploy.session import Selection, open_plan
from inventory.plan import Plan
from tests.standins.rpms import lists

from . import archive, rpm_archive


@dataclass(frozen=True)
class Ubuntu:
    """The archive, the key that signs it, another key, and the site."""

    archive: Path
    key: Path
    fingerprint: str
    other: Path
    other_fingerprint: str
    site: Path

    @property
    def lock(self) -> Path:
        """The site's lock."""
        return self.site / archive.LOCK


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[Path, str]]]:
    """Two keys, with their fingerprints."""
    folder = tmp_path_factory.mktemp("keys")
    made = [archive.made_key(folder / name) for name in ("a", "b")]
    yield made
    for home, _ in made:
        archive.end(home)


@pytest.fixture
def ubuntu(tmp_path: Path, keys: list[tuple[Path, str]], monkeypatch: pytest.MonkeyPatch) -> Ubuntu:
    """A signed suite `noble`, and a cache and a state that are this test's alone."""
    _own(tmp_path, monkeypatch)
    (key, fingerprint), (other, other_fingerprint) = keys
    where = archive.archive(tmp_path / "ubuntu", "noble", [*archive.base(), *archive.stack()], key)
    row = archive.repository(where, str(key / "key.gpg"), fingerprint)
    site = archive.site(tmp_path / "site", [row])
    return Ubuntu(where, key, fingerprint, other, other_fingerprint, site)


def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deploy.packages.fetch.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path / "state")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@dataclass(frozen=True)
class Rocky:
    """A repository, its key, another key, and a site that asks it."""

    archive: Path
    key: Path
    fingerprint: str
    other: Path
    other_fingerprint: str
    site: Path
    os: str = "rocky-9"
    arch: str = "amd64"

    @property
    def lock(self) -> Path:
        """The site's lock."""
        return self.site / f"versions/{self.os}-{self.arch}.yml"

    def row(self, **more: object) -> dict[str, object]:
        """The one row of its sources."""
        return rpm_archive.row(self.os, self.archive, self.key, self.fingerprint, **more)

    def refresh(self, write: bool = False) -> list[str]:
        """What differs, as `packages refresh` says it."""
        said = refresh(str(self.site), self.lock, self.lock if write else None, print, {})
        return [one.strip() for one in said]

    def refused(self) -> str:
        """What a refresh says that fails; the lock is untouched."""
        before = self.lock.read_bytes()
        with pytest.raises(RailbedError) as refused:
            self.refresh(write=True)
        assert refused.value.exit_code == 1
        assert self.lock.read_bytes() == before
        return refused.value.message

    def signed_anew(self, key: Path | None) -> None:
        """Sign the lists by another key, or by none."""
        lists(self.archive, rpm_archive.CORE, key, rpm_archive.MODULES)

    def file_of(self, name: str) -> Path:
        """A package's file in the repository."""
        [path] = (self.archive / "Packages").glob(f"{name}-[0-9]*.rpm")
        return path


@pytest.fixture(scope="session")
def archives(
    keys: list[tuple[Path, str]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The repositories of both architectures, built once."""
    folder, key = tmp_path_factory.mktemp("rpms"), keys[0][0]
    names = {"amd64": "x86_64", "arm64": "aarch64"}
    return {one: rpm_archive.archive(folder / one, name, key) for one, name in names.items()}


@pytest.fixture
def rocky(
    tmp_path: Path,
    keys: list[tuple[Path, str]],
    archives: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Rocky:
    """A copy of the repository for one test, with a cache and a state of its own."""
    os, arch = getattr(request, "param", ("rocky-9", "amd64"))
    _own(tmp_path, monkeypatch)
    return made(tmp_path, keys, archives[arch], os, arch)


def made(folder: Path, keys: list[tuple[Path, str]], source: Path, os: str, arch: str) -> Rocky:
    """A copy of a repository, and a site that asks it."""
    where = folder / "rocky"
    shutil.copytree(source, where)
    (key, fingerprint), (other, other_fingerprint) = keys
    site = rpm_archive.site(
        folder / "site", os, arch, [rpm_archive.row(os, where, key, fingerprint)]
    )
    return Rocky(where, key, fingerprint, other, other_fingerprint, site, os, arch)


@dataclass(frozen=True)
class Served:
    """What the OOB server of a site serves, what it did until it ended, and the plan of both."""

    tree: Path
    ended: Path
    plan: Plan


@pytest.fixture(scope="session")
def served(
    keys: list[tuple[Path, str]],
    archives: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Served:
    """The repository of a site whose lock has all that its roles ask for, versionlock too."""
    folder = tmp_path_factory.mktemp("served")
    with pytest.MonkeyPatch.context() as patched:
        _own(folder, patched)
        rocky = made(folder, keys, archives["amd64"], "rocky-9", "amd64")
        text = rocky.lock.read_text()
        rocky.lock.write_text(text.replace("[chrony]", "[chrony, python3-dnf-plugin-versionlock]"))
        rpm_archive.sources(rocky.site, [rocky.row(streams=["tools:1"])])
        rocky.refresh(write=True)
        selection = Selection(str(rocky.site), "lab")
        ensure_key(selection.state_dir, "site")
        plan = open_plan(selection)
        now = datetime.now(UTC)
        for name, until in (("tree", now + VALID), ("ended", now - timedelta(seconds=1))):
            make(plan, selection.state_dir, folder / name, now, until)
    return Served(folder / "tree", folder / "ended", plan)
