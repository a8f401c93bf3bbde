"""Runs railbed's own tests: what the lab needs is installed first, then pytest judges.

The tests themselves say at their end what this run did not prove, and why.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .lab.host import ensure_host_packages

ROOT = Path(__file__).parents[1]
# Labs wait more than they compute, so one worker more than there are cores. tests/conftest.py
# puts the labs into two lanes: never more than two are being built or broken at once. Past eight,
# workers only cost memory: each collects every test, and the longer lane takes as long as before.
WORKERS = min((os.cpu_count() or 1) + 1, 8)
SIDE_BY_SIDE = (
    *("-n", str(WORKERS), "--dist", "loadscope", "--no-loadscope-reorder"),
    "--durations=20",
)


def run_tests(full: bool, extra: list[str]) -> int:
    """Run the quick tier, or all of it with `full`; `extra` goes to pytest. Its exit status."""
    if os.geteuid() == 0 and sys.platform == "linux":
        ensure_host_packages(_say)
    return subprocess.run(pytest_command(full, extra), cwd=ROOT, check=False).returncode


def pytest_command(full: bool, extra: list[str]) -> list[str]:
    """The command line of a test run: as pytest is asked in `extra`, else all side by side."""
    asked = extra or SIDE_BY_SIDE
    return [sys.executable, "-P", "-m", "pytest", *(["--full"] if full else []), *asked]


def _say(text: str) -> None:
    """Progress, on stderr: stdout is pytest's."""
    sys.stderr.write(f"railbed: {text}\n")
