"""What is taken of a source and of what its lines left: the parts of a build that need no root."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from deploy.errors import RailbedError
from deploy.packages import build_run
from deploy.packages.build_run import files_of, newest_s
from deploy.packages.licence_run import licence

SCRIPT = Path(build_run.__file__).with_name("pack.sh")
COPYRIGHT = "Format: copyright-format/1.0\n\nFiles: *\nCopyright: x\nLicense: MIT\n"
needs_dpkg = pytest.mark.skipif(
    not (shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps")),
    reason="needs dpkg-deb and dpkg-shlibdeps",
)


class Left:
    """The folders of a build as its lines left them, with one program."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "build/out"
        for name in ("in", "build/source", "build/pack", "build/out/usr/bin"):
            (folder / name).mkdir(parents=True)
        for name, text in {
            "in/control": "Package: burn\nVersion: 1\nArchitecture: all\nMaintainer: x <x@y>\n"
            "Description: x\n", "in/licence": "LICENSE", "in/copyright": COPYRIGHT,
            "build/source/LICENSE": "Do what you like.\n\nTruly.\n", "build/out/usr/bin/burn": "x",
        }.items():  # fmt: skip
            (folder / name).write_text(text)

    def pack(self) -> subprocess.CompletedProcess[str]:
        """Pack it."""
        argv = ["sh", str(SCRIPT), str(self.folder / "in"), str(self.folder / "build"), "libx1"]
        return subprocess.run(argv, capture_output=True, text=True, check=False)

    @property
    def deb(self) -> Path:
        return self.folder / "build/pack/made.deb"


@pytest.fixture
def left(tmp_path: Path) -> Left:
    return Left(tmp_path)


@needs_dpkg
def test_what_was_left_is_packed_as_roots_with_its_licence(left):
    (left.out / "usr/bin/again").symlink_to("burn")
    if os.geteuid() == 0:
        os.chown(left.out / "usr/bin/burn", 65534, 65534)
    # A link of the lines' own in the licence's place is not followed.
    doc = left.out / "usr/share/doc/burn"
    doc.mkdir(parents=True)
    (left.folder / "there").write_text("mine")
    (doc / "copyright").symlink_to(left.folder / "there")
    done = left.pack()
    assert done.returncode == 0, done
    assert (left.folder / "there").read_text() == "mine"
    found = files_of(left.deb)
    assert found == {"/usr/bin/burn", "/usr/bin/again", "/usr/share/doc/burn/copyright"}
    assert licence(left.deb, "burn") == "MIT"
    shown = subprocess.run(["dpkg-deb", "-c", left.deb], capture_output=True, text=True, check=True)
    assert {line.split()[1] for line in shown.stdout.splitlines()} == {"root/root"}
    fields = subprocess.run(
        ["dpkg-deb", "-f", left.deb], capture_output=True, text=True, check=True
    )
    assert "Depends: libx1\n" in fields.stdout


def _script(left: Left) -> None:
    (left.out / "DEBIAN").mkdir()
    (left.out / "DEBIAN/postinst").write_text("#!/bin/sh\nid\n")


def _linked_script(left: Left) -> None:
    (left.out / "DEBIAN").symlink_to("/nowhere")


def _pipe(left: Left) -> None:
    subprocess.run(["mkfifo", str(left.out / "usr/bin/pipe")], check=True)


def _setuid(left: Left) -> None:
    (left.out / "usr/bin/burn").chmod(0o4755)


def _setgid_folder(left: Left) -> None:
    (left.out / "usr/bin").chmod(0o2755)


def _doc_elsewhere(left: Left) -> None:
    (left.folder / "there").mkdir()
    (left.out / "usr/share").symlink_to(left.folder / "there")


def _nothing(left: Left) -> None:
    shutil.rmtree(left.out / "usr")


def _no_licence(left: Left) -> None:
    (left.folder / "build/source/LICENSE").unlink()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_script, r"$DESTDIR/DEBIAN: scripts of a package are not taken"),
        (_linked_script, r"$DESTDIR/DEBIAN: scripts of a package are not taken"),
        (_pipe, "usr/bin/pipe is no plain file, folder or link"),
        (_setuid, "usr/bin/burn is setuid, setgid or sticky"),
        (_setgid_folder, "usr/bin is setuid, setgid or sticky"),
        (_doc_elsewhere, "a link on the way to"),
        (_nothing, "left nothing below $DESTDIR"),
        (_no_licence, "the source has no file LICENSE"),
    ],
)
def test_what_a_package_must_not_have_is_refused_by_name(left, spoil, said):
    spoil(left)
    done = left.pack()
    assert done.returncode == 1
    assert said in done.stdout
    assert not left.deb.exists()
    assert not list((left.folder / "there").glob("*"))


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_a_source_has_files_folders_and_links_alone(tmp_path, kind):
    path = tmp_path / "source.tar"
    info = tarfile.TarInfo("burn/Makefile")
    info.mtime = 1_700_000_000
    with tarfile.open(path, "w") as tar:
        tar.addfile(info)
    assert newest_s(path) == 1_700_000_000
    with tarfile.open(path, "a") as tar:
        odd = tarfile.TarInfo("burn/sda")
        odd.type = kind
        tar.addfile(odd)
    with pytest.raises(RailbedError, match="'burn/sda' is no plain file, folder or link"):
        newest_s(path)


def test_a_source_of_no_date_is_no_traceback(tmp_path):
    path = tmp_path / "source.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo("burn/Makefile")
        info.pax_headers = {"mtime": "inf"}
        tar.addfile(info, io.BytesIO())
    with pytest.raises(RailbedError, match="is no tar file"):
        newest_s(path)


@needs_dpkg
def test_what_is_no_package_is_said_without_a_traceback(tmp_path):
    path = tmp_path / "made.deb"
    path.write_text("no package")
    with pytest.raises(RailbedError, match=r"made\.deb is no package"):
        files_of(path)
