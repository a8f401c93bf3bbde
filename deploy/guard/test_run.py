"""Runs railbed's own tests: what labs and lint need is installed first, then pytest judges.

The tests themselves say at their end what this run did not prove, and why.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from deploy.lab.host import PROGRAMS, install_missing

from . import guard_run

ROOT = Path(__file__).parents[2]
# Labs wait more than they compute, so two workers more than there are cores; no more than three
# labs run beside other tests (tests/plugins/packing.py). Past eight, workers only cost memory: each
# collects every test.
WORKERS = min((os.cpu_count() or 1) + 2, 8)
SIDE_BY_SIDE = ("-n", str(WORKERS), "--dist", "loadscope", "--no-loadscope-reorder")
# Program -> Debian package: the one linter that is none of the environment's.
LINTERS = {"shellcheck": "shellcheck"}
# What nodes of the RHEL family are tried with.
RPM = {"createrepo_c": "createrepo-c", "dnf": "dnf-plugins-core", "rpmbuild": "rpm"}
# Options of tests/plugins that choose among all tests: what is left runs side by side as well.
# Each with the number of values that may follow it.
CHOOSING = {"--seed": 1, "--keep-seconds": 0, "--resume": 0}
# Tells how far the tests have come, into a file that the guard reads when they are cut off.
_PROGRESS = ("-p", "tests.plugins.counts")


def run_tests(full: bool, extra: list[str]) -> None:
    """Run the quick tier, or all of it with `full`; `extra` goes to pytest. Never returns."""
    if os.geteuid() == 0 and sys.platform == "linux":
        install_missing({**PROGRAMS, **LINTERS, **RPM}, _say)
    with tempfile.TemporaryFile() as progress:
        guard_run.enter(guard_run.CutOffNotice(lambda: _done(progress.fileno())))
        os.set_inheritable(progress.fileno(), True)
        os.chdir(ROOT)
        command = pytest_command(full, extra)
        command += [*_PROGRESS, f"--progress-to={progress.fileno()}"]
        os.execv(command[0], command)  # noqa: S606


def pytest_command(full: bool, extra: list[str]) -> list[str]:
    """The command line of a test run: as pytest is asked in `extra`, else all side by side."""
    base, rest = split_changed(extra)
    asked = [*SIDE_BY_SIDE, *rest] if only_chooses(rest) else rest
    command = [sys.executable, "-P", "-m", "pytest", *(["--full"] if full else []), *asked]
    if base is None:
        return command
    # What the change can touch is found first; that program then becomes pytest.
    return [sys.executable, "-P", "-m", "tests.impact", "--base", base, "--run", *command]


def split_changed(extra: list[str]) -> tuple[str | None, list[str]]:
    """The base that `--changed [BASE]` names ("" for its default, None without it); the rest."""
    for at, option in enumerate(extra):
        name, is_joined, base = option.partition("=")
        if name == "--changed":
            rest = extra[at + 1 :]
            if not is_joined and rest and not rest[0].startswith("-"):
                base = rest.pop(0)
            return base, [*extra[:at], *rest]
    return None, extra


def only_chooses(extra: list[str]) -> bool:
    """Whether these options name no tests and no way to run them."""
    left = list(extra)
    while left:
        name, is_joined, _ = left.pop(0).partition("=")
        if name not in CHOOSING:
            return False
        if CHOOSING[name] and not is_joined and left and not left[0].startswith("-"):
            left.pop(0)
    return True


def _done(progress: int) -> str:
    """How far the tests had come."""
    counts = os.pread(progress, 100, 0).split()
    if len(counts) != 3:
        return "no test was done"
    done, total, failed = map(int, counts)
    return f"{done} of {total} tests were done, {failed} failed"


def _say(text: str) -> None:
    """Progress, on stderr: stdout is pytest's."""
    sys.stderr.write(f"railbed: {text}\n")
