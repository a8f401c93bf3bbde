"""The newcomer's first minutes: a clean clone, the demo, also after it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from .chain import ROOT

pytestmark = pytest.mark.lab


def test_the_demo_passes_from_a_clean_clone_also_after_kill_9(tmp_path):
    """Killed in the middle of a rollout, the next demo removes what is left and passes."""
    clone = tmp_path / "railbed"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    killed = subprocess.Popen(
        [str(clone / "railbed"), "demo"],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert killed.stdout is not None
    assert any("wave spines-canary" in line for line in killed.stdout)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    again = subprocess.run(
        [str(clone / "railbed"), "demo"],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert "All as it must be" in again.stdout
    assert list((clone / ".railbed/labs/demo/report").glob("run-*.html"))
    left = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    assert "rb-demo-" not in left
    assert not Path("/run/railbed/demo").exists()
