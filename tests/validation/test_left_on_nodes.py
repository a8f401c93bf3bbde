"""A trip that was killed outright leaves a folder on its node; a later one takes it away."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from validation.gather import Ask, script

ROOT = Path(__file__).parents[2]
TEXTS = {
    "trip": script([Ask.line("true")], "lo", "0" * 32),
    "host state": (ROOT / "validation/on_node/host_state.sh").read_text(encoding="utf-8"),
}
DAY_S = 24 * 3600


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_old_folders_of_ours_go_and_nothing_else(tmp_path, text):
    base, theirs = tmp_path / "tmp", tmp_path / "theirs"
    names = ("railbed.oldoldoldo", "railbed.newnewnewn", "tmp.oldoldoldo", "railbed.$(touch x)")
    for folder in (theirs, *(base / name for name in names)):
        folder.mkdir(parents=True)
        (folder / "kept").write_text("")
    (base / "railbed.linklinkli").symlink_to(theirs)
    (base / "railbed.filefilefi").write_text("")
    for one in base.iterdir():
        if "new" not in one.name:
            then = time.time() - 2 * DAY_S
            os.utime(one, (then, then), follow_symlinks=False)
    environment = {**os.environ, "TMPDIR": str(base)}
    subprocess.run(
        ["sh"], input=text, text=True, env=environment, cwd=tmp_path, capture_output=True
    )
    left = {one.name for one in base.iterdir()}
    assert left == {*names, "railbed.linklinkli", "railbed.filefilefi"} - {names[0], names[3]}
    assert (theirs / "kept").exists()
    assert not (tmp_path / "x").exists()
