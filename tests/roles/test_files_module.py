"""The module that puts many files in place, run here for real."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.testing import patch_module_args

from roles.plugins.modules import railbed_files
from roles.pyinfra_role import ROLES

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="files of the roles are root's")

Call = Callable[..., dict[str, Any]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Run the module as Ansible does; its answer."""

    def run(
        texts: dict[Path, str],
        folders: tuple[Path, ...] = (),
        check: bool = False,
        diff: bool = False,
        **more: str,
    ) -> dict[str, Any]:
        asked = {
            "folders": [str(one) for one in folders],
            "files": [{"src": "x.j2", "dest": str(path), **more} for path in texts],
            "texts": {
                str(path): base64.b64encode(t.encode()).decode() for path, t in texts.items()
            },
            "_ansible_check_mode": check,
            "_ansible_diff": diff,
        }
        with patch_module_args(asked), pytest.raises(SystemExit):
            railbed_files.main()
        answer = json.loads(capsys.readouterr().out)
        assert isinstance(answer, dict)
        return answer

    return run


def listing(folder: Path) -> dict[str, tuple[int, int, int, int]]:
    """Everything below, also hidden: mode, owner, inode and time."""
    found = {str(one): one.lstat() for one in folder.rglob("*")}
    return {
        path: (one.st_mode & 0o7777, one.st_uid, one.st_ino, one.st_mtime_ns)
        for path, one in found.items()
    }


def test_files_are_put_in_place_once(call, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    wanted = {one: "1\n", other: "2\n"}
    done = call(wanted, mode="0640")
    assert (done["changed"], done["paths"]) == (True, [str(one), str(other)])
    assert (one.read_text(), other.read_text()) == ("1\n", "2\n")
    before = listing(tmp_path)
    assert {(mode, owner) for mode, owner, _, _ in before.values()} == {(0o640, 0)}
    again = call(wanted, mode="0640")
    assert (again["changed"], again["paths"]) == (False, [])
    assert listing(tmp_path) == before
    assert set(before) == {str(one), str(other)}


def test_the_umask_counts_for_nothing(call, tmp_path):
    before = os.umask(0o077)
    try:
        call({tmp_path / "a/file": "x\n"}, folders=(tmp_path / "a",), mode="0755")
    finally:
        os.umask(before)
    assert [mode for mode, _, _, _ in listing(tmp_path).values()] == [0o755, 0o755]


def test_only_what_differs_is_replaced_and_never_half_written(call, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    call({one: "old\n", other: "same\n"})
    before = listing(tmp_path)
    with one.open() as held:
        assert call({one: "new\n", other: "same\n"})["paths"] == [str(one)]
        # Whoever has it open still reads the old file, whole: it was replaced, not rewritten.
        assert held.read() == "old\n"
    assert one.read_text() == "new\n"
    after = listing(tmp_path)
    assert after[str(one)][2] != before[str(one)][2]
    assert after[str(other)] == before[str(other)]


@pytest.mark.parametrize("hurt", ["mode", "owner", "group"])
def test_another_mode_or_owner_is_mended_without_a_new_file(call, tmp_path, hurt):
    path = tmp_path / "file"
    call({path: "x\n"})
    before = listing(tmp_path)
    if hurt == "mode":
        path.chmod(0o666)
    else:
        os.chown(path, *((1, 0) if hurt == "owner" else (0, 1)))
    told = call({path: "x\n"}, check=True, diff=True)
    assert told["diff"][0]["before"] != told["diff"][0]["after"]
    assert call({path: "x\n"})["paths"] == [str(path)]
    assert listing(tmp_path) == before
    assert path.stat().st_gid == 0


@pytest.mark.parametrize("target", ["other", "nothing"])
def test_a_link_is_replaced_by_the_file(call, tmp_path, target):
    path, other = tmp_path / "file", tmp_path / "other"
    other.write_text("x\n")
    path.symlink_to(tmp_path / target)
    assert call({path: "x\n"})["changed"]
    assert not path.is_symlink()
    assert path.read_text() == "x\n"


def test_a_hidden_file_that_a_killed_run_left_is_in_nobodys_way(call, tmp_path):
    path = tmp_path / "file"
    (tmp_path / ".file.railbed-new").symlink_to("/etc/passwd")
    assert call({path: "x\n"})["changed"]
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_where_one_file_does_not_validate_none_is_replaced(call, tmp_path):
    one, other = tmp_path / "one", tmp_path / "other"
    call({one: "good old\n", other: "good old\n"})
    before = listing(tmp_path)
    done = call({one: "good new\n", other: "bad new\n"}, validate="grep -q good %s")
    assert done["failed"]
    assert str(other) in done["msg"]
    assert listing(tmp_path) == before
    assert call({one: "good new\n", other: "good\n"}, validate="grep -q good %s")["changed"]
    assert one.read_text() == "good new\n"


def test_what_validates_has_its_mode_and_owner_already(call, tmp_path):
    """sshd and nft judge the file as it will be."""
    done = call({tmp_path / "file": "x\n"}, mode="0640", validate="find %s -perm 0640 -quit")
    assert done["changed"]
    refused = call({tmp_path / "file": "y\n"}, validate="true")
    assert "no %s" in refused["msg"]


def test_a_check_predicts_exactly_and_touches_nothing(call, tmp_path):
    same, other = tmp_path / "same", tmp_path / "other"
    call({same: "x\n", other: "old\n"})
    before = listing(tmp_path)
    new = tmp_path / "new"
    wanted = {same: "x\n", other: "new\n", new / "file": "x\n"}
    told = call(wanted, folders=(new,), check=True, validate="false %s")
    assert listing(tmp_path) == before
    done = call(wanted, folders=(new,))
    assert told["paths"] == done["paths"] == [str(new), str(other), str(new / "file")]


def test_a_missing_folder_fails_by_name_but_not_in_a_check(call, tmp_path):
    one, other = tmp_path / "one", tmp_path / "none" / "file"
    assert call({one: "x\n", other: "x\n"}, check=True)["paths"] == [str(one), str(other)]
    done = call({one: "x\n", other: "x\n"})
    assert done["failed"]
    assert done["msg"] == f"{other}: its folder is not there"
    assert listing(tmp_path) == {}


@pytest.mark.parametrize(
    ("kind", "said"), [("file", "is a folder, a file"), ("folder", "is a file, a folder")]
)
def test_the_wrong_kind_is_refused_by_name(call, tmp_path, kind, said):
    path = tmp_path / "thing"
    if kind == "file":
        path.mkdir()
        done = call({path: "x\n"})
    else:
        path.write_text("x\n")
        done = call({}, folders=(path,))
    assert done["failed"]
    assert done["msg"].startswith(f"{path} {said}")


def test_folders_are_made_and_mended_parents_first(call, tmp_path):
    folders = (tmp_path / "a", tmp_path / "a" / "b")
    assert call({}, folders=folders)["paths"] == [str(one) for one in folders]
    assert call({}, folders=folders)["changed"] is False
    folders[1].chmod(0o777)
    assert call({}, folders=folders)["paths"] == [str(folders[1])]
    assert listing(tmp_path)[str(folders[1])][:2] == (0o755, 0)


def test_a_diff_has_one_entry_for_each_changed_file_and_only_when_asked(call, tmp_path):
    same, other, new = tmp_path / "same", tmp_path / "other", tmp_path / "new"
    call({same: "x\n", other: "old\n"})
    wanted = {same: "x\n", other: "old\nnew\n", new: "x\n"}
    assert "diff" not in call(wanted, check=True)
    told = call(wanted, check=True, diff=True)
    assert told["diff"] == [
        {"before_header": str(path), "after_header": str(path), "before": before, "after": after}
        for path, before, after in ((other, "old\n", "old\nnew\n"), (new, "", "x\n"))
    ]
    assert call(wanted, diff=True)["diff"] == told["diff"]
    other.write_bytes(b"\xff\n")
    [row] = call(wanted, check=True, diff=True)["diff"]
    assert row["dst_binary"]
    assert "before" not in row
    other.write_text("x" * 200_000)
    [row] = call(wanted, check=True, diff=True)["diff"]
    assert row["dst_larger"] < 200_000


def test_a_text_is_not_echoed_to_the_log_or_the_answer(call, tmp_path):
    done = call({tmp_path / "file": "a word nobody says\n"})
    coded = base64.b64encode(b"a word nobody says\n").decode()
    assert coded not in json.dumps(done)
    assert railbed_files._OPTIONS["texts"]["no_log"] is True


def test_a_full_disk_fails_by_name_and_leaves_the_old_files(call, tmp_path):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", tmp_path], check=True)
    try:
        one, other = tmp_path / "one", tmp_path / "other"
        call({one: "old\n", other: "old\n"})
        before = listing(tmp_path)
        done = call({one: "new\n", other: "x" * 100_000})
        assert done["msg"] == f"{other}: No space left on device"
        assert listing(tmp_path) == before
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_killed_before_the_rename_leaves_the_old_file(tmp_path):
    path = tmp_path / "file"
    path.write_text("old\n")
    program = (
        "import sys; from ansible.module_utils.testing import patch_module_args; import json;"
        "from roles.plugins.modules import railbed_files\n"
        "with patch_module_args(json.loads(sys.argv[1])): railbed_files.main()"
    )
    # The check of the new file is the last thing before the rename.
    asked = {
        "files": [{"src": "x", "dest": str(path), "validate": "sh -c 'kill -9 $PPID' %s"}],
        "texts": {str(path): base64.b64encode(b"new\n").decode()},
    }
    done = subprocess.run([sys.executable, "-c", program, json.dumps(asked)], cwd=ROLES.parent)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old\n"
    assert (tmp_path / ".file.railbed-new").read_text() == "new\n"
