"""How the device's half of a push goes back where not all of it can: its own text, in a shell."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.tree import ROOT

SWITCH_PUSH = ROOT / "switch_configs/linux_frr/device/switch-push"
# `place` fails as cp(1) does on a full disk; what would touch this machine only says that it came.
GOES_BACK = f"""
    OWNED=/etc/frr/frr.conf
    eval "$(sed -n '/^say()/p;/^die()/p;/^go_back()/,/^}}/p;/^files_back()/,/^}}/p' {SWITCH_PUSH})"
    lock() {{ :; }}
    place() {{ [ "$ROOM" = yes ]; }}
    units_back() {{ echo units; }}
    running_back() {{ echo running; }}
    disarm() {{ echo disarmed; }}
    go_back "$1"
"""


@pytest.mark.parametrize("when", ["now", "boot"])
@pytest.mark.parametrize("room", ["yes", "no"])
def test_what_runs_comes_back_where_files_have_no_room_and_is_tried_again(
    tmp_path: Path, when: str, room: str
):
    file = tmp_path / "checkpoint/files/etc/frr/frr.conf"
    file.parent.mkdir(parents=True)
    for one in (file, tmp_path / "checkpoint/whole", tmp_path / "pending"):
        one.write_text("x\n")
    env = os.environ | {
        "BASE": str(tmp_path), "CHECKPOINT": f"{tmp_path}/checkpoint",
        "PENDING": f"{tmp_path}/pending", "ROOM": room,
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-c", GOES_BACK, "sh", when], env=env, capture_output=True, text=True, check=False
    )
    began = ["units", "running"] if when == "now" else ["units"]
    assert done.stdout.split()[: len(began)] == began
    assert ("disarmed" in done.stdout) == (room == "yes")
    assert (done.returncode == 0) == (room == "yes")
    assert (tmp_path / "pending").exists() == (room == "no")
