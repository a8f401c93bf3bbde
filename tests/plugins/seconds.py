"""How long tests took: kept between runs, to order the next one and to say what is left of it.

A clone's own last figures lie in `.railbed/`; `tests/impact/seconds.csv` is what a fresh clone
begins with, written anew by `./railbed test --keep-seconds`. Both tell of whole functions: what the
seed left out of a run is counted as what ran of them.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from deploy.files import write_atomically

_ROOT = Path(__file__).parents[2]
_SHIPPED = _ROOT / "tests/impact/seconds.csv"
_OWN = _ROOT / ".railbed/seconds-of-tests.csv"
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


@dataclass(frozen=True)
class Took:
    """What all instances of a test function take, and how many these are."""

    seconds: float
    instances: int

    @property
    def each_s(self) -> float:
        return self.seconds / self.instances


@cache
def shipped() -> dict[str, Took]:
    """Test functions (file::name, without instances) as this tree has timed them."""
    return _read(_SHIPPED)


@cache
def known() -> dict[str, Took]:
    """The same, with what this clone has timed itself."""
    return shipped() | _read(_OWN)


def _read(file: Path) -> dict[str, Took]:
    if not file.is_file():
        return {}
    with file.open(newline="") as lines:
        return {
            row["test"]: Took(float(row["seconds"]), int(row["instances"]))
            for row in csv.DictReader(lines)
        }


def kept() -> dict[str, float]:
    """Test function to the seconds of one run of all of it."""
    return {name: took.seconds for name, took in known().items()}


def each_s(function: str) -> float:
    """What one instance of a test function takes."""
    return known()[function].each_s if function in known() else UNKNOWN_S


def function_of(nodeid: str) -> str:
    """The test function of an instance."""
    return nodeid.partition("[")[0]


@dataclass(eq=False)
class Stopwatch:
    """Adds up what each test function took, prints the slowest tests, keeps the figures.

    `left_out`: of which functions the seed left out how many instances; `instances` fills it.
    """

    functions: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    tests: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    ran: Counter[str] = field(default_factory=Counter)
    left_out: Mapping[str, int] = field(default_factory=dict)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.functions[function_of(report.nodeid)] += report.duration
        self.ran[function_of(report.nodeid)] += report.when == "call"
        self.tests[f"{report.nodeid} ({report.when})"] += report.duration

    def whole(self) -> dict[str, Took]:
        """Of each function that ran, what all of its instances would have taken."""
        found = {}
        for name, seconds in self.functions.items():
            ran = self.ran[name] or 1
            every = ran + self.left_out.get(name, 0)
            found[name] = Took(seconds * every / ran, every)
        return found

    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter, config: pytest.Config
    ) -> None:
        slowest = sorted(self.tests.items(), key=lambda one: (-one[1], one[0]))[:_SLOWEST]
        if len(self.tests) > 10 * _SLOWEST:
            terminalreporter.section(f"the slowest {_SLOWEST}")
            for name, seconds in slowest:
                terminalreporter.write_line(f"{seconds:7.1f} s  {name}")
        if config.rootpath == _ROOT and self.functions:
            _write(_OWN, known() | self.whole())
        if config.getoption("--keep-seconds"):
            # Of classes of functions, those that this seed did not draw took what they took before.
            unseen = {name: known()[name] for name in self.left_out.keys() & known().keys()}
            _write(_SHIPPED, unseen | self.whole())


def _write(file: Path, functions: Mapping[str, Took]) -> None:
    """Only functions that still exist in a file that still exists, the same bytes for the same."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("test", "seconds", "instances"))
    for name, took in sorted(functions.items()):
        if (_ROOT / name.partition("::")[0]).is_file():
            writer.writerow((name, f"{took.seconds:.2f}", took.instances))
    write_atomically(file, out.getvalue())
