"""What a site builds itself: what is wrong with its rows, and what its versions name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from inventory.load.site import read, site_folder
from inventory.schema.versions import BuildsFile
from inventory.software.builds import builds_of, fits, root_path, version_of
from inventory.software.lock import VersionsFile
from tests.tree import ROOT

ROW: dict[str, Any] = {
    "package": "nccl-tests", "component": "nccl_tests", "version": "2.19.6", "os": "debian-12",
    "archive": "https://mirror.example.org/v2.19.6.tar.gz", "sha256": "a" * 64,
    "licence": "BSD-3-Clause", "licence_file": "LICENSE.txt",
    "needs": ["libnccl-dev=2.30.4-1", "libopenmpi-dev"], "run": ["make"],
}  # fmt: skip


def root(**changed: str) -> VersionsFile:
    """The lock of what it is built in."""
    versions = {"build-essential": "12.9", "libnccl-dev": "2.30.4-1", "libopenmpi-dev": "4.1.4-3"}
    return VersionsFile.model_validate({
        "os": "debian-12", "suite": "bookworm", "arch": "amd64", "resolved": "2026-11-27",
        "components": {"nccl_tests": sorted(versions)},
        "packages": {
            name: {"version": version, "sha256": "b" * 64, "size_bytes": 1}
            for name, version in {**versions, **changed}.items()
        },
    })  # fmt: skip


def site(folder: Path, *rows: dict[str, Any]) -> Path:
    shutil.copytree(site_folder("lab"), folder / "site")
    (folder / "site/versions").mkdir()
    (folder / "site/versions/builds.yml").write_text(json.dumps({"builds": [*rows]}))
    return folder / "site"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sha256": None}, "64 hex digits"),
        ({"sha256": "A" * 64}, "64 hex digits"),
        ({"os": "rocky-9"}, "packages of rpm are not built here"),
        ({"component": "nccl_test"}, "what roles install"),
        ({"archive": "../../etc/shadow"}, "a file below versions/"),
        ({"archive": "/etc/shadow"}, "a file below versions/"),
        ({"archive": "https://joe:pw@mirror.example.org/x.tar"}, "without a login"),
        ({"archive": "https://mirror.example.org/x.tar?sig=joe"}, "without a login or query"),
        ({"version": "2.19-6"}, "a quoted version"),
        ({"needs": []}, "at least 1"),
        ({"needs": ["libnccl-dev = 2"]}, "a package, or one at its exact version"),
        ({"run": []}, "at least 1"),
        ({"sandbox": "off"}, "known"),
    ],
)
def test_a_row_that_cannot_be_built_is_refused(tmp_path, changed, said):
    _, problems = read(site(tmp_path, ROW | changed))
    assert problems, changed
    assert all("builds.yml:1:" in str(one) for one in problems)
    assert "joe" not in str(problems[0])
    assert any(said in f"{one.expected} {one.hint} {one.found}" for one in problems), problems


def test_a_source_without_a_digest_is_refused(tmp_path):
    row = {key: value for key, value in ROW.items() if key != "sha256"}
    _, problems = read(site(tmp_path, row))
    assert ["the key `sha256`" in str(one) for one in problems] == [True]


def test_a_package_is_built_from_one_source(tmp_path):
    _, problems = read(site(tmp_path, ROW, ROW | {"version": "2.19.7"}))
    assert ["a second `nccl-tests`" in str(one) for one in problems] == [True]


def test_a_site_may_build_for_several_systems(tmp_path):
    folder = site(tmp_path, ROW, ROW | {"os": "ubuntu-24.04"})
    assert [one.row.os for one in builds_of(folder, "debian-12", "amd64")] == ["debian-12"]
    where = root_path(folder, builds_of(folder, "debian-12", "amd64")[0].row, "amd64")
    assert where.name == "nccl-tests-debian-12-amd64.yml"


@pytest.mark.parametrize(
    "changed",
    [{"version": "2.19.7"}, {"sha256": "c" * 64}, {"run": ["make MPI=1"]}, {"depends": ["x1"]}],
)
def test_a_version_names_all_that_it_is_made_of(tmp_path, changed):
    [one] = builds_of(site(tmp_path / "a", ROW), "debian-12", "amd64")
    [other] = builds_of(site(tmp_path / "b", ROW | changed), "debian-12", "amd64")
    assert version_of(one.row, root()) == version_of(one.row, root())
    assert version_of(one.row, root()) != version_of(other.row, root())
    assert version_of(one.row, root()) != version_of(one.row, root(**{"libopenmpi-dev": "4.1.5-1"}))


def test_a_root_is_what_the_row_asks_for(tmp_path):
    [one] = builds_of(site(tmp_path, ROW), "debian-12", "amd64")
    assert fits(one.row, root())
    assert not fits(one.row, root(**{"libnccl-dev": "2.31.0-1"}))
    more = one.row.model_copy(update={"needs": [*one.row.needs, "cuda-nvcc-13-0"]})
    assert not fits(more, root())


def test_the_example_for_people_is_read():
    text = (ROOT / "deploy/packages/README.md").read_text()
    at = text.index("    builds:\n")
    rows = yaml.safe_load(text[at : text.index("\n\n", at)])
    assert [one.component for one in BuildsFile.model_validate(rows).builds] == [
        *("nccl_tests", "gpu_burn")
    ]
