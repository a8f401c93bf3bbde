"""Side by side: how far a run is, what is left of it, which labs run; and failures at once."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from .order import file_of
from .packing import expected_s, is_lab

_EVERY_S = 20.0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    plugins = node.config.pluginmanager
    if not plugins.has_plugin("railbed progress"):
        terminal = plugins.getplugin("terminalreporter")
        files: dict[str, dict[str, bool]] = {}
        for nodeid in ids:
            files.setdefault(file_of(nodeid), {})[nodeid] = False
        plugins.register(Progress(terminal, node.config, files), "railbed progress")


@dataclass(eq=False)
class Progress:
    """Tells at intervals what was done, and of each failure when it happens."""

    terminal: pytest.TerminalReporter
    config: pytest.Config
    files: dict[str, dict[str, bool]]
    began: float = field(default_factory=time.monotonic)
    told: float = 0.0
    done: int = 0
    failed: int = 0
    running: dict[str, str] = field(default_factory=dict)

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """No dots: they would stand between the lines of progress."""
        if isinstance(report, pytest.TestReport) and report.when == "call" and report.passed:
            return "passed", "", "PASSED"
        return None

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        file = file_of(nodeid)
        if is_lab(self.config.rootpath, file):
            self.running[file] = nodeid

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed += 1
            self.terminal.write_line(f"\nfailed: {report.nodeid} ({report.when})", red=True)
            self.terminal.write_line(report.longreprtext)
            self.terminal.write_line(f"alone: {self.repeat(report.nodeid)}")
        if report.when == "teardown":
            tests = self.files.get(file_of(report.nodeid), {})
            self.done += 1
            tests[report.nodeid] = True
            if all(tests.values()):
                self.running.pop(file_of(report.nodeid), None)
        if time.monotonic() - self.told >= _EVERY_S:
            self.told = time.monotonic()
            self.terminal.write_line(self.line())

    def line(self) -> str:
        """One line: time, tests, failures, time left, labs."""
        minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
        every = sum(map(len, self.files.values()))
        failed = f", {self.failed} failed" if self.failed else ""
        labs = ", ".join(sorted(name.partition("tests/")[2] for name in self.running))
        return (
            f"{minutes:3}:{seconds:02}  {self.done} of {every} tests{failed}, about "
            f"{max(1, round(self.left_s() / 60))} min left{f'; labs: {labs}' if labs else ''}"
        )

    def left_s(self) -> float:
        """By the figures of earlier runs: all that is left shared out, but no file in halves."""
        files = [expected_s(tests) for tests in self.files.values()]
        workers = self.config.getoption("numprocesses", None) or 1
        return max(sum(files) / workers, max(files, default=0.0))

    def repeat(self, nodeid: str) -> str:
        """The command that runs one test alone, with this run's draws."""
        full = "--full " if self.config.getoption("--full") else ""
        return f"./railbed test {full}--seed {self.config.option.seed} {shlex.quote(nodeid)}"
