"""How long tests took: kept between runs, to order the next one and to say what is left of it.

A clone's own last figures lie in `.railbed/`; `tests/impact/seconds.csv` is what a fresh clone
begins with, written anew by `./railbed test --keep-seconds`.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_SHIPPED = _ROOT / "tests/impact/seconds.csv"
_OWN = _ROOT / ".railbed/test-seconds.csv"
# What a test of a file that nobody has timed is taken for.
UNKNOWN_S = 0.2
_SLOWEST = 20


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--keep-seconds", action="store_true", help=f"write {_SHIPPED.relative_to(_ROOT)} anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Stopwatch(), "railbed stopwatch")


@cache
def kept() -> dict[str, float]:
    """Test function (file::name, without instances) to the seconds of one run of all of it."""
    found: dict[str, float] = {}
    for file in (_SHIPPED, _OWN):
        if file.is_file():
            with file.open(newline="") as lines:
                found |= {row["test"]: float(row["seconds"]) for row in csv.DictReader(lines)}
    return found


def function_of(nodeid: str) -> str:
    """The test function of an instance."""
    return nodeid.partition("[")[0]


@dataclass(eq=False)
class Stopwatch:
    """Adds up what each test function took, prints the slowest tests, keeps the figures."""

    functions: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    tests: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.functions[function_of(report.nodeid)] += report.duration
        self.tests[f"{report.nodeid} ({report.when})"] += report.duration

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        slowest = sorted(self.tests.items(), key=lambda one: (-one[1], one[0]))[:_SLOWEST]
        if len(self.tests) > 10 * _SLOWEST:
            terminalreporter.section(f"the slowest {_SLOWEST}")
            for name, seconds in slowest:
                terminalreporter.write_line(f"{seconds:7.1f} s  {name}")
        if config.rootpath == _ROOT:
            _write(_OWN, kept() | self.functions)
        if config.getoption("--keep-seconds"):
            _write(_SHIPPED, self.functions)


def _write(file: Path, functions: dict[str, float]) -> None:
    """Only functions that still exist in a file that still exists, the same bytes for the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    aside = file.with_suffix(".new")
    with aside.open("w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("test", "seconds"))
        for name, seconds in sorted(functions.items()):
            if (_ROOT / name.partition("::")[0]).is_file():
                writer.writerow((name, f"{seconds:.2f}"))
    aside.replace(file)
