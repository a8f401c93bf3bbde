"""An archive of a release that this machine does not run, and a site that asks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from . import archive


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
    monkeypatch.setattr("deploy.packages.fetch.cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path / "state")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (key, fingerprint), (other, other_fingerprint) = keys
    where = archive.archive(tmp_path / "ubuntu", "noble", [*archive.base(), *archive.stack()], key)
    row = archive.repository(where, str(key / "key.gpg"), fingerprint)
    site = archive.site(tmp_path / "site", [row])
    return Ubuntu(where, key, fingerprint, other, other_fingerprint, site)
