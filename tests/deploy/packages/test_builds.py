"""What no repository has is built once, locked, signed and carried: all but the compiler is real.

The compiler's part, with a real root folder and Debian's own Open MPI, is in test_build_root.py.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from deploy.errors import RailbedError
from deploy.lab.hardware.debs import Deb
from deploy.lab.hardware.debs import build as build_debs
from deploy.packages import fetch
from deploy.packages.fetch import cached, missing
from deploy.packages.repo_run import make
from deploy.session import Selection, open_plan
from inventory.load.site import load
from inventory.nodes.left_out import not_locked
from inventory.plan import Plan
from inventory.software.lock import read_lock
from inventory.software.packages import role_vars
from tests.deploy.command_line import Said, railbed

from . import archive
from .conftest import Ubuntu
from .test_refresh import pytestmark as needs

pytestmark = [
    needs[0],
    pytest.mark.skipif(os.geteuid() != 0, reason="a clean root folder needs root"),
    pytest.mark.instances(keep=4, of="packages of a site's own making"),
]

ROW = {
    "package": "nccl-tests", "component": "nccl_tests", "version": "2.19.6", "os": "ubuntu-24.04",
    "archive": "nccl-tests.tar", "licence": "BSD-3-Clause", "licence_file": "LICENSE.txt",
    "needs": ["libnccl-dev", "libopenmpi-dev"], "depends": ["openmpi-bin"],
    "run": ["make MPI=1", "install -D -t $DESTDIR/usr/bin build/*_perf"],
}  # fmt: skip
PROGRAM = "usr/bin/all_reduce_perf"


def stack(nccl: str = "2.30.4-1", mpi: str = "4.1.6-7") -> list[Deb]:
    """The archive, with what nccl-tests are built with and run with."""
    return [
        *archive.base(), *archive.stack(), Deb("build-essential", "12.10", "libc6"),
        Deb("libnccl2", nccl, "libc6"), Deb("libnccl-dev", nccl, f"libnccl2 (= {nccl})"),
        Deb("openmpi-bin", mpi, "libopenmpi3"), Deb("libopenmpi3", mpi, "libc6"),
        Deb("libopenmpi-dev", mpi, f"libopenmpi3 (= {mpi}), openmpi-bin"),
    ]  # fmt: skip


def cache_folder() -> Path:
    """Where this test keeps what it fetches and builds."""
    return fetch.cache_folder()


class Hall:
    """The site of `ubuntu` with a build, and a compiler that only counts and puts files."""

    def __init__(self, ubuntu: Ubuntu, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ubuntu, self.site = ubuntu, str(ubuntu.site)
        self.brings: dict[str, str] = {PROGRAM: "ELF"}
        self.roots: list[set[str]] = []
        self.fails = ""
        self.offer(stack())
        with tarfile.open(ubuntu.site / "versions/nccl-tests.tar", "w") as tar:
            tar.addfile(tarfile.TarInfo("nccl-tests/Makefile"))
        self.row()
        monkeypatch.setattr("deploy.packages.building.cache_folder", cache_folder)
        monkeypatch.setattr("deploy.packages.building.build", self.build)

    def offer(self, debs: list[Deb]) -> None:
        """What the mirror has from here on."""
        archive.archive(self.ubuntu.archive, "noble", debs, self.ubuntu.key)

    def row(self, **changed: Any) -> None:
        """Write the site's builds.yml."""
        raw = (self.ubuntu.site / "versions/nccl-tests.tar").read_bytes()
        row = {**ROW, "sha256": hashlib.sha256(raw).hexdigest(), **changed}
        text = json.dumps({"builds": [row]})
        (self.ubuntu.site / "versions/builds.yml").write_text(text)

    def build(self, row: Any, root: Any, version: str, tar: Path, debs: Any, folder: Path) -> Path:
        """As build_run does it, but for the root and the compiler."""
        self.roots.append({f"{name} {path.suffix}" for name, path in debs.items()})
        if self.fails:
            (folder / "log").write_text("a hundred lines\n")
            raise RailbedError(self.fails, exit_code=1)
        licence = archive.GPL["usr/share/doc/chrony/copyright"].replace("GPL-2", row.licence)
        files = {**self.brings, f"usr/share/doc/{row.package}/copyright": licence}
        deb = Deb(row.package, version, ", ".join([*row.depends, "libnccl2"]), files=files)
        return build_debs([deb], folder)[0]

    def run(self, *words: str) -> Said:
        """A verb of `packages` on this site."""
        return railbed("packages", *words, "--site", self.site)

    def built(self) -> str:
        """Build and lock; the version."""
        said = self.run("build", "--write")
        assert said.returncode == 0, said
        return said.stdout.split()[1]

    def plan(self) -> Plan:
        return open_plan(Selection(self.site, "lab"))

    def refused(self, *words: str, code: int = 1) -> str:
        said = self.run(*words)
        assert (said.returncode, said.stdout) == (code, ""), said
        return " ".join(said.stderr.split())


@pytest.fixture
def hall(ubuntu: Ubuntu, monkeypatch: pytest.MonkeyPatch) -> Hall:
    return Hall(ubuntu, monkeypatch)


def test_it_is_built_once_locked_and_served_to_nodes(hall, tmp_path):
    assert hall.run("refresh", "--write").returncode == 0
    before = hall.ubuntu.lock.read_bytes()
    assert "packages build --write` builds" in "\n".join(not_locked(hall.plan()))
    assert "build --write" in hall.refused("build")
    assert hall.ubuntu.lock.read_bytes() == before
    assert not (hall.ubuntu.site / "versions/builds").exists()

    version = hall.built()
    assert version.startswith("2.19.6+")
    lock = read_lock(hall.ubuntu.lock)
    assert lock.packages["nccl-tests"].licence == "BSD-3-Clause"
    assert lock.components["nccl_tests"] == ["nccl-tests"]
    # What runs it is for nodes, what builds it is for its root alone.
    assert {"libnccl2", "openmpi-bin", "libopenmpi3"} <= {*lock.packages}
    assert not {"build-essential", "libopenmpi-dev", "libnccl-dev"} & {*lock.packages}
    [root] = hall.roots
    assert {"base-files .deb", "build-essential .deb", "libnccl2 .deb"} <= root
    assert not any(one.startswith(("chrony", "left-out")) for one in root)

    plan = hall.plan()
    gpu = next(one for one in plan.nodes if one.gpus)
    assert cast("dict[str, str]", role_vars(plan, gpu)["nccl_packages"])["nccl-tests"] == version
    assert railbed("check", "--site", hall.site).returncode == 0
    assert hall.run("fetch").returncode == 0
    now = datetime.now(UTC)
    make(plan, Selection(hall.site, "lab").state_dir, tmp_path / "tree", now, now)
    listed = next((tmp_path / "tree").rglob("Packages")).read_text()
    [stanza] = [one for one in listed.split("\n\n") if one.startswith("Package: nccl-tests\n")]
    assert f"Version: {version}\n" in stanza

    again = hall.run("build")
    assert (again.returncode, again.stdout) == (0, f"nccl-tests {version}\n")
    assert hall.built() == version
    assert len(hall.roots) == 1


def test_another_source_than_the_one_that_was_named_is_not_built(hall):
    hall.row(sha256="0" * 64)
    said = hall.refused("build", "--write")
    assert f"expected {'0' * 64}" in said
    assert not hall.roots
    hall.row(archive="elsewhere.tar")
    assert "elsewhere.tar: No such file" in hall.refused("build", "--write")


@pytest.mark.parametrize("changed", [{"version": "2.19.7"}, {"run": ["make MPI=0"]}])
def test_what_is_made_of_other_things_is_another_version(hall, changed):
    version = hall.built()
    hall.row(**changed)
    said = railbed("check", "--site", hall.site)
    assert said.returncode == 2, said
    assert f"found {version}, expected {changed.get('version', '2.19.6')}+" in said.stderr
    assert "packages build --write" in said.stderr
    assert hall.built() != version
    assert railbed("check", "--site", hall.site).returncode == 0


def test_what_nodes_run_is_what_it_was_built_with(hall):
    hall.built()
    hall.offer(stack(mpi="4.1.7-1"))
    assert hall.run("refresh", "--write").returncode == 0
    said = railbed("check", "--site", hall.site)
    assert said.returncode == 2, said
    for one in ("libopenmpi3", "openmpi-bin"):
        assert f"packages.{one}.version: found 4.1.7-1, expected 4.1.6-7, with which" in said.stderr
    assert "build --write" in hall.refused("build")
    assert hall.built()
    assert len(hall.roots) == 2
    assert railbed("check", "--site", hall.site).returncode == 0


def forget(hall: Hall) -> Path:
    """Leave the machine as one that neither built nor imported it; where its result lay."""
    [deb] = (cache_folder() / "built").glob("*.deb")
    deb.unlink()
    cached(next(one for one in hall.plan().packages.packages if one.name == "nccl-tests")).unlink()
    return deb


def test_a_machine_that_has_not_built_it_says_so_and_builds_the_same(hall):
    version = hall.built()
    forget(hall)
    said = hall.refused("fetch", code=2)
    assert "this site builds nccl-tests itself" in said
    assert "builds nccl-tests itself" in hall.refused("refresh", code=2)
    assert hall.run("build").stdout == f"nccl-tests {version}\n"
    assert hall.run("fetch").returncode == 0
    assert not missing(hall.plan().packages.packages)


@pytest.mark.parametrize("words", [("build",), ("build", "--write")])
def test_the_same_version_with_other_bytes_is_refused(hall, words):
    hall.built()
    before = hall.ubuntu.lock.read_bytes()
    forget(hall)
    hall.brings[PROGRAM] = "ELF of another day"
    assert "as another file than the one that is locked" in hall.refused(*words)
    assert hall.ubuntu.lock.read_bytes() == before
    assert not list((cache_folder() / "built").glob("*.deb"))


def test_a_refresh_takes_no_other_bytes_for_the_mirrors(hall):
    hall.built()
    before, deb = hall.ubuntu.lock.read_bytes(), forget(hall)
    deb.write_bytes(b"made by a run that was cut off")
    assert "as another file" in hall.refused("refresh", "--write")
    assert hall.ubuntu.lock.read_bytes() == before


def test_what_was_imported_is_refreshed_and_not_built_again(hall):
    """Also where nobody is root: import leaves it in the cache by its digest alone."""
    version = hall.built()
    [deb] = (cache_folder() / "built").iterdir()
    deb.unlink()
    said = hall.run("refresh")
    assert (said.returncode, said.stdout) == (0, ""), said
    assert deb.is_file()
    deb.unlink()
    hall.brings[PROGRAM] = "ELF of another day"
    assert hall.run("build").stdout == f"nccl-tests {version}\n"
    assert len(hall.roots) == 1


def test_what_was_said_is_kept_of_a_build_that_failed(hall):
    hall.fails = "nccl-tests was not built"
    log = cache_folder() / "built/nccl-tests.log"
    assert f"nccl-tests was not built hint: all that was said: {log}" in hall.refused(
        "build", "--write"
    )
    assert log.read_text() == "a hundred lines\n"
    hall.fails = ""
    hall.built()
    assert not log.exists()


def test_what_stages_start_must_be_in_it(hall):
    hall.brings = {"usr/bin/all_gather_perf": "ELF"}
    said = hall.refused("build", "--write")
    assert "nccl-tests brings no /usr/bin/all_reduce_perf" in said
    assert not list((cache_folder() / "built").glob("*.deb"))


def test_a_need_at_its_version_is_held(hall):
    hall.row(needs=["libnccl-dev=2.30.4-1", "libopenmpi-dev"])
    version = hall.built()
    hall.offer(stack(nccl="2.31.0-1"))
    hall.row(needs=["libnccl-dev=9", "libopenmpi-dev"])
    assert "9" in hall.refused("build", "--write")
    assert read_lock(hall.ubuntu.lock).packages["nccl-tests"].version == version
    hall.row(needs=["libnccl-dev=2.31.0-1", "libopenmpi-dev"])
    assert hall.built() != version


def test_a_site_without_builds_says_where_they_are_named(hall):
    (hall.ubuntu.site / "versions/builds.yml").unlink()
    assert "builds no packages for ubuntu-24.04-amd64" in hall.refused("build", code=2)
    assert load(hall.site).versions.builds == ()
