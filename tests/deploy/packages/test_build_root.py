"""A package built for real: Debian's own packages and Open MPI, its compiler, a clean root folder.

The source has the layout of nccl-tests (github.com/NVIDIA/nccl-tests: Makefile, src/Makefile), its
programs are C over MPI. It tells, as it is built, what it sees of this machine.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from deploy.errors import RailbedError
from deploy.packages.build_run import build, files_of, source
from deploy.packages.fetch import cached, fetch, from_nothing, lock_of, locked, today
from deploy.packages.licence_run import licence
from deploy.packages.mirrors import Target
from deploy.packages.version_lock import text_of
from inventory.schema.versions import Build
from inventory.software.builds import COMPILER, version_of
from inventory.software.lock import VersionsFile
from validation.evidence.aside import scratch

pytestmark = [
    pytest.mark.full,
    pytest.mark.lab,
    pytest.mark.skipif(
        os.geteuid() != 0 or not (shutil.which("mmdebstrap") and shutil.which("apt-ftparchive")),
        reason="needs root, mmdebstrap and apt-utils",
    ),
]

MAKEFILE = """\
BUILDDIR ?= build
override BUILDDIR := $(abspath $(BUILDDIR))
default: src.build
%.build:
\t${MAKE} -C $* build BUILDDIR=${BUILDDIR}
"""
SRC_MAKEFILE = """\
MPI ?= 0
ifeq ($(MPI), 1)
CFLAGS += -DMPI_SUPPORT -I$(MPI_HOME)/include
LDLIBS += -L$(MPI_HOME)/lib -lmpi
endif
build: $(BUILDDIR)/all_reduce_perf $(BUILDDIR)/alltoall_perf
$(BUILDDIR)/%_perf: perf.c
\t@mkdir -p $(BUILDDIR)
\t$(CC) -O2 -g $(CFLAGS) -o $@ $< $(LDLIBS)
"""
PERF = """\
#include <stdio.h>
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, one = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d, built %s %s\\n", sum, __DATE__, __TIME__);
    return MPI_Finalize();
}
"""
TELL = (
    'mkdir -p "$DESTDIR/usr/share/told"',
    'id -u >"$DESTDIR/usr/share/told/user"',
    "sed -n 's/^ *\\([^ :]*\\):.*/\\1/p' /proc/net/dev >\"$DESTDIR/usr/share/told/network\"",
    "sed -n 's/^NoNewPrivs:[[:space:]]*//p' /proc/self/status >$DESTDIR/usr/share/told/gains",
    'stat -c %u Makefile /build /in/pack.sh >"$DESTDIR/usr/share/told/owners"',
    'ls -d /proc/[0-9]* | wc -l >"$DESTDIR/usr/share/told/processes"',
    "dpkg-query -W -f '${Package} ${Version}\\n' >\"$DESTDIR/usr/share/told/packages\"",
)
SOURCE_S = 1_700_000_000


def tar_of(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "source.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"nccl-tests-0.1/{name}")
            info.size, info.mtime = len(text), SOURCE_S
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


def row(path: Path, *lines: str) -> Build:
    return Build.model_validate({
        "package": "nccl-tests", "component": "nccl_tests", "version": "0.1", "os": "debian-12",
        "archive": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "licence": "BSD-3-Clause", "licence_file": "LICENSE.txt", "needs": ["libopenmpi-dev"],
        "depends": ["openmpi-bin"], "run": [*lines],
    })  # fmt: skip


FILES = {
    "Makefile": MAKEFILE, "src/Makefile": SRC_MAKEFILE, "src/perf.c": PERF,
    "LICENSE.txt": "Redistribution and use\n\nare permitted.\n",
}  # fmt: skip
MAKE = (
    "make -j2 MPI=1 MPI_HOME=/usr/lib/$(gcc -print-multiarch)/openmpi",
    "install -D -t $DESTDIR/usr/bin build/*_perf",
)


@pytest.fixture(scope="module")
def root() -> VersionsFile:
    """Today's lock of a root folder with Debian's compiler and Open MPI, all of it in the cache."""
    target = Target("lab", "debian-12", "bookworm", "amd64")
    found = from_nothing(target, {COMPILER, "libopenmpi-dev"}, print)
    empty: dict[str, Any] = {
        "os": "debian-12", "suite": "bookworm", "arch": "amd64", "resolved": today(),
        "components": {"nccl_tests": [COMPILER, "libopenmpi-dev"]}, "packages": {},
    }  # fmt: skip
    lock = lock_of(text_of(VersionsFile.model_validate(empty), found, today()))
    fetch(target, locked(lock.os, lock.packages), print)
    return lock


def made(root: VersionsFile, one: Build, tmp_path: Path, name: str) -> Path:
    """Build it; the file, kept as `name`."""
    debs = {each.name: cached(each) for each in locked(root.os, root.packages)}
    tar = source(one, tmp_path, tmp_path / "cache")
    with scratch("build", tmp_path) as folder:
        return build(one, root, version_of(one, root), tar, debs, folder).rename(tmp_path / name)


def told(deb: Path, what: str) -> list[str]:
    """What the source saw while it was built."""
    raw = subprocess.run(["dpkg-deb", "--fsys-tarfile", str(deb)], capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(raw.stdout)) as tar:
        file = tar.extractfile(f"./usr/share/told/{what}")
        assert file is not None
        return file.read().decode().splitlines()


def test_it_is_built_cut_off_by_nobody_of_locked_packages_alone(root, tmp_path):
    one = row(tar_of(tmp_path, FILES), *TELL, *MAKE)
    deb = made(root, one, tmp_path, "a.deb")
    assert {"/usr/bin/all_reduce_perf", "/usr/bin/alltoall_perf"} <= files_of(deb)
    assert (told(deb, "user"), told(deb, "network")) == (["65534"], ["lo"])
    assert (told(deb, "gains"), told(deb, "owners")) == (["1"], ["65534", "0", "0"])
    # Its shell, and the two of the line: no process of this machine is seen.
    assert int(told(deb, "processes")[0]) <= 4
    assert told(deb, "packages") == [
        f"{name} {found.version}" for name, found in sorted(root.packages.items())
    ]
    assert licence(deb, "nccl-tests") == "BSD-3-Clause"
    said = subprocess.run(["dpkg-deb", "-f", str(deb)], capture_output=True, text=True, check=True)
    [depends] = [line for line in said.stdout.splitlines() if line.startswith("Depends: ")]
    assert depends.startswith("Depends: openmpi-bin, ")
    assert "libopenmpi3 (>= " in depends
    assert f"Version: {version_of(one, root)}\n" in said.stdout

    # The same inputs, the same bytes.
    again = made(root, one, tmp_path, "b.deb")
    assert again.read_bytes() == deb.read_bytes()


def test_what_does_not_build_says_why_and_leaves_nothing(root, tmp_path):
    broken = {**FILES, "src/perf.c": "int main(void) { return nothing; }\n"}
    with pytest.raises(RailbedError, match="undeclared identifier"):
        made(root, row(tar_of(tmp_path, broken), *MAKE), tmp_path, "a.deb")
    with pytest.raises(RailbedError, match=r"left nothing below \$DESTDIR"):
        made(root, row(tar_of(tmp_path, FILES), "make -v"), tmp_path, "a.deb")
    assert not list(tmp_path.glob("build-*"))


def test_a_source_that_reaches_out_reaches_nothing(root, tmp_path):
    """Links lead to the root's own files, and the network is not there."""
    there = tmp_path / "secret"
    there.write_text("hunter2")
    one = row(
        tar_of(tmp_path, FILES), *MAKE,
        'mkdir -p "$DESTDIR/usr/share/doc" && rm LICENSE.txt',
        f'ln -s {tmp_path} "$DESTDIR/usr/share/doc/nccl-tests"', f"ln -s {there} LICENSE.txt",
    )  # fmt: skip
    with pytest.raises(RailbedError, match=r"the source has no file LICENSE\.txt"):
        made(root, one, tmp_path, "a.deb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "secret", "source.tar.gz"]


def test_what_a_source_leaves_running_changes_nothing(root, tmp_path):
    """It ends with the lines, before its files are packed; nothing is laid where that is done."""
    one = row(
        tar_of(tmp_path, FILES), *MAKE,
        '(while [ ! -d /build/pack ]; do :; done; echo >"$DESTDIR/late") >/dev/null 2>&1 &',
        "for one in pack elf debian made.deb; do if ln -s /in /build/$one; then exit 1; fi; done",
    )  # fmt: skip
    assert "/late" not in files_of(made(root, one, tmp_path, "a.deb"))


def test_a_source_of_devices_makes_none(root, tmp_path, monkeypatch):
    """Whoever unpacks it has no rights either, were its members not read before."""
    monkeypatch.setattr("deploy.packages.build_run.newest_s", lambda _: SOURCE_S)
    with tarfile.open(tmp_path / "source.tar.gz", "w:gz") as tar:
        odd = tarfile.TarInfo("nccl-tests-0.1/sda")
        odd.type, odd.devmajor, odd.devminor = tarfile.BLKTYPE, 8, 0
        tar.addfile(odd)
    with pytest.raises(RailbedError, match="Cannot mknod: Operation not permitted"):
        made(root, row(tmp_path / "source.tar.gz", *MAKE), tmp_path, "a.deb")
