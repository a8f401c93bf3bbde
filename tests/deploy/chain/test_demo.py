"""The newcomer's first minutes: a clean clone, the demo, also after one that was killed."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.lab.traces import forget, traces
from tests.labs import lab_name

from .chain import ROOT

pytestmark = pytest.mark.lab
# What the demo says at the moments at which it is killed. Later ones cost what they wait for.
EARLY = ("lab {lab}: 11 machines", "lab {lab} is up", "looking at every device", "wave oob")
LATE = ("wave nodes-canary", "wave spines-canary", "wave leaves-r1", "Applied again")


@pytest.fixture
def name() -> Iterator[str]:
    found = lab_name("demo")
    forget(found)
    yield found
    forget(found)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone as a newcomer makes it."""
    clone = tmp_path / "railbed"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    return clone


def killed(clone: Path, name: str, moment: str) -> None:
    """The demo, ended by kill -9 as soon as it says this."""
    running = subprocess.Popen(
        [str(clone / "railbed"), "demo", "--lab", name],
        cwd=clone,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert running.stdout is not None
    said: list[str] = []
    for line in running.stdout:
        said.append(line)
        if moment.format(lab=name) in line:
            break
    else:
        raise AssertionError("".join(said))
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()


def passes(clone: Path, name: str) -> None:
    """The whole demo, from nothing; it says so, leaves its report and nothing of its lab."""
    done = subprocess.run(
        [str(clone / "railbed"), "demo", "--lab", name],
        cwd=clone,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All as it must be" in done.stdout
    assert list((clone / f".railbed/labs/{name}/report").glob("run-*.html"))
    assert traces(name) == []


def test_the_demo_passes_from_a_clean_clone_also_after_kill_9(clone, name, rng):
    """Killed at a moment that the seed draws, the next demo removes what is left and passes."""
    killed(clone, name, rng.choice(EARLY))
    passes(clone, name)


@pytest.mark.full
@pytest.mark.parametrize("moment", [*EARLY, *LATE])
def test_the_demo_passes_after_kill_9_at_each_moment(clone, name, moment):
    """Also where much was done already."""
    killed(clone, name, moment)
    passes(clone, name)
