"""A run says what it did not prove, and never takes a skip for a pass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.guard.test_run import SIDE_BY_SIDE, pytest_command
from tests.tree import ROOT

MARKED = '''
import pytest

@pytest.mark.full
def test_of_the_full_tier():
    """Every fault of the matrix is found.

    More words.
    """

@pytest.mark.samples
def test_reads_captures(samples):
    assert (samples / "one.txt").is_file()

def test_plain():
    pass
'''


@pytest.fixture
def run(tmp_path: Path):
    """Run pytest as `railbed test` does, on a folder with tests of each kind."""
    shutil.copy2(ROOT / "tests/conftest.py", tmp_path)
    (tmp_path / "test_marked.py").write_text(MARKED)
    (tmp_path / "one.txt").touch()

    def call(*args: str, full: bool = False, samples: str = "") -> str:
        config = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={tmp_path}"]
        command = pytest_command(full, [*config, "-p", "no:cacheprovider", *args, str(tmp_path)])
        env = {**os.environ, "RAILBED_SAMPLES": samples}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        return done.stdout

    return call


def test_names_what_was_left_out_and_what_it_would_have_proved(run):
    out = run()
    assert "NOT PROVED in this run" in out
    assert "part of ./railbed test --full only; 1 not run:" in out
    assert "  test_marked.py: Every fault of the matrix is found." in out
    assert "that RAILBED_SAMPLES names; 1 not run:" in out
    assert "  test_marked.py: reads captures" in out
    assert "1 passed, 2 skipped" in out


def test_so_it_does_when_tests_run_side_by_side(run):
    out = run(*SIDE_BY_SIDE)
    assert "part of ./railbed test --full only; 1 not run:" in out
    assert "  test_marked.py: Every fault of the matrix is found." in out
    assert "1 passed, 2 skipped" in out


def test_side_by_side_a_failure_is_named_at_once(run, tmp_path):
    (tmp_path / "test_marked.py").write_text("def test_bad(): assert not 'good'\n")
    with pytest.raises(AssertionError, match=r"failed: test_marked.py::test_bad \(call\)\n"):
        run(*SIDE_BY_SIDE)


def test_says_nothing_when_all_was_run(run, tmp_path):
    out = run(full=True, samples=str(tmp_path))
    assert "NOT PROVED" not in out
    assert "3 passed" in out


def test_an_unknown_mark_is_an_error(run, tmp_path):
    """A misspelt `lab` must not run a lab test unguarded."""
    (tmp_path / "test_marked.py").write_text("import pytest\npytestmark = pytest.mark.labb\n")
    with pytest.raises(AssertionError, match="'labb' not found in `markers`"):
        run()


def test_runs_in_this_environment():
    assert pytest_command(True, ["-x"]) == [
        sys.executable, "-P", "-m", "pytest", "--full", "-x"
    ]  # fmt: skip
