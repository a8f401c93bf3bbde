"""A file that is written again keeps what its owner made of it: mode, owner, access list."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from deploy.commands.main import app
from deploy.files import write_atomically
from tests.deploy.command_line import railbed

# Every verb that writes a file that somebody names, by what else it needs.
WRITES: dict[str, str] = {
    "export addresses": "", "export bom": "", "export cables": "", "export containerlab": "",
    "export flows": "--site pod-256",
    "export lldp": "", "export schema": "", "export slurm-conf": "",
    "export slurm-yaml": "", "export topology": "", "prove": "--no-failures",
}  # fmt: skip
# A saved plan is its owner's alone, whatever was there; a folder must not be there.
OTHERS = {"audit": "as `prove`", "plan": "0600 always", "render": "a folder"}


def outs(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, one in getattr(command, "commands", {}).items():
        yield from outs(one, (*path, name))
    if any("--out" in one.opts for one in command.params):
        yield " ".join(path)


def test_every_verb_that_writes_a_file_is_tried():
    assert set(outs(typer.main.get_command(app))) == {*WRITES, *OTHERS}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("verb", WRITES)
def test_a_file_that_is_there_keeps_its_mode(verb, tmp_path):
    file = tmp_path / "out.json"
    file.write_text("old")
    file.chmod(0o600)
    assert railbed(*verb.split(), *WRITES[verb].split(), "--out", str(file)).returncode == 0
    assert file.read_text() != "old"
    assert mode(file) == 0o600


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664, 0o444])
def test_any_mode_is_kept_and_a_new_file_is_read_by_all(kept, tmp_path):
    file, new = tmp_path / "old", tmp_path / "new"
    file.touch()
    file.chmod(kept)
    for one in (file, new):
        write_atomically(one, "text")
    assert (mode(file), mode(new)) == (kept, 0o644)


def test_what_is_asked_to_be_private_is_so(tmp_path):
    file = tmp_path / "file"
    file.touch(0o644)
    write_atomically(file, "text", mode=0o600)
    assert mode(file) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owner_and_group_are_kept(tmp_path):
    file = tmp_path / "file"
    file.touch(0o640)
    os.chown(file, 1, 2)
    write_atomically(file, "text")
    assert (file.stat().st_uid, file.stat().st_gid, mode(file)) == (1, 2, 0o640)


@pytest.mark.parametrize(("may", "left"), [("nothing", 0o604), ("group", 0o664)])
def test_where_the_group_cannot_be_kept_another_gets_nothing(tmp_path, monkeypatch, may, left):
    def chown(_: Path, owner: int, __: int) -> None:
        if may == "nothing" or owner != -1:
            raise PermissionError

    monkeypatch.setattr(os, "chown", chown)
    file = tmp_path / "file"
    file.touch()
    file.chmod(0o664)
    write_atomically(file, "text")
    assert mode(file) == left


def test_attributes_stay(tmp_path):
    file = tmp_path / "file"
    file.touch()
    try:
        os.setxattr(file, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system has no attributes")
    write_atomically(file, "text")
    assert os.getxattr(file, "user.note") == b"mine"
