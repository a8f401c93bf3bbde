"""Where packages come from is no place for a login: it would stand in plans, logs and errors."""

from __future__ import annotations

import shutil

import pytest

from inventory.load.site import site_folder
from inventory.problems import InventoryError
from inventory.software.lock import VERSIONS
from inventory.software.sources import source_problems, sources

SECRET = "hunter2"
ROW = """repositories:
  - os: debian-12
    url: {url}
    suites: [bookworm]
    components: [main]
    keys: [{key}]
    fingerprints: ["B8B80B5B623EAB6AD8775C45B7C5D7D6350947F8"]
    source: our mirror
"""
GOOD = {"url": "https://mirror.example.org/debian", "key": "keys/mirror@2026.asc"}


def written(tmp_path, **said: str):
    folder = tmp_path / "site"
    shutil.copytree(site_folder("lab"), folder)
    (folder / "versions").mkdir(exist_ok=True)
    (folder / "versions/sources.yml").write_text(ROW.format(**GOOD | said))
    return folder


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"url": "file:///srv/mirror@home/debian"},
        {"url": "http://mirror.example.org:8080/a@b/debian"},
    ],
)
def test_a_mirror_without_a_login_is_read(tmp_path, said):
    assert len(sources(written(tmp_path, **said), "debian-12", "amd64").repositories) == 1


@pytest.mark.parametrize("word", ["url", "key"])
@pytest.mark.parametrize("login", [f"joe:{SECRET}", SECRET, f"joe:a@{SECRET}", f"joe:a/{SECRET}"])
def test_a_login_in_a_url_is_refused_and_not_shown(tmp_path, word, login):
    folder = written(tmp_path, **{word: f"https://{login}@mirror.example.org/debian"})
    (problem,) = source_problems(folder)
    assert "without a login" in str(problem)
    assert "(not shown)@mirror.example.org" in str(problem)
    assert SECRET not in str(problem)
    with pytest.raises(InventoryError):
        sources(folder, "debian-12", "amd64")


def test_shipped_sources_name_no_login():
    assert "@" not in (VERSIONS / "sources.yml").read_text()
