"""A rehearsal that is killed leaves no machine, and does not stand in the way of the next one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from deploy.lab.machines import machine
from deploy.rehearsal.rehearse import twin_folder
from tests.deploy.lab.traces import ROOT, forget, traces
from tests.labs import lab_name

from .test_rehearse import SWITCHES, two_rails

NAME = lab_name("tcut")


def until(what: Callable[[], bool], limit_s: float) -> None:
    give_up = time.monotonic() + limit_s
    while not what():
        assert time.monotonic() < give_up
        time.sleep(0.05)


@pytest.mark.lab
@pytest.mark.instances(keep=1, of="a lab whose making is cut off")
def test_a_killed_rehearsal_leaves_no_machine_and_the_next_one_may_begin(tmp_path):
    """In mid rollout, and in mid boot: the second finds what the first one left on record."""
    folder = two_rails(tmp_path / "site", SWITCHES["eos"])
    argv = [sys.executable, "-m", "deploy", "rehearse", "--site", str(folder), "--name", NAME]
    forget(NAME)
    for in_mid in ("rollout", "boot"):
        with subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.PIPE) as process:
            if in_mid == "rollout":
                said = process.stderr or ()
                assert any(b"looking at every device" in line for line in said)
            else:
                until(lambda: machine.leader(NAME, "spine2") is not None, 120)
            process.kill()
        assert twin_folder(NAME).is_dir()
        until(lambda: not traces(NAME), 60)
    forget(NAME)
