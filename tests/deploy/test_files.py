"""What a person names for an answer gets it: a file whole, a pipe or a device as it is."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deploy.files import write_atomically

ROOT = Path(__file__).parents[2]
TEXT = "a\nb\n"


def test_a_pipe_stays_one_and_its_reader_gets_the_text(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(
        daemon=True, target=lambda: got.append(pipe.read_text(encoding="utf-8"))
    )
    reader.start()
    write_atomically(pipe, TEXT)
    reader.join(10)
    assert got == [TEXT]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("there", [True, False], ids=["file", "nothing"])
def test_a_link_is_followed(tmp_path, there):
    behind, link = tmp_path / "far" / "file", tmp_path / "link"
    behind.parent.mkdir()
    if there:
        behind.write_text("old")
    link.symlink_to("far/file")
    write_atomically(link, TEXT)
    assert link.is_symlink()
    assert behind.read_text() == TEXT
    assert sorted(one.name for one in behind.parent.iterdir()) == ["file"]


def test_a_link_that_leads_nowhere_is_refused_and_stays(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("link")
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(link, TEXT)
    assert link.is_symlink()


@pytest.mark.parametrize("by", ["itself", "link"])
def test_a_device_stays_one(tmp_path, by):
    device, link = tmp_path / "null", tmp_path / "link"
    try:  # as /dev/null, in a folder of ours
        os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        device.write_bytes(b"")
    except PermissionError:
        pytest.skip("only root may make devices, and not everywhere")
    link.symlink_to(device)
    write_atomically(device if by == "itself" else link, TEXT)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert device.stat().st_rdev == os.makedev(1, 3)


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_this_process_own_output_goes_on(tmp_path, kind):
    """By a link as /dev/stdout is one; what else is printed there is not lost."""
    code = (
        "import sys; from pathlib import Path; from deploy.files import write_atomically\n"
        "print('before', flush=True)\n"
        "write_atomically(Path(sys.argv[1]), 'text\\n')\n"
        "print('after')"
    )
    link, kept = tmp_path / "stdout", tmp_path / "kept"
    link.symlink_to("/proc/self/fd/1")
    with kept.open("wb") as file:
        where = subprocess.PIPE if kind == "pipe" else file
        ended = subprocess.run(
            [sys.executable, "-c", code, str(link)], stdout=where, cwd=ROOT, check=True
        )
    said = ended.stdout if kind == "pipe" else kept.read_bytes()
    assert said == b"before\ntext\nafter\n"
    assert link.is_symlink()


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path, TEXT)
