"""Writes how far a run has come where its guard can read it: tests done, all, failed.

`./railbed test` loads it and names an open descriptor; a worker of pytest-xdist writes nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--progress-to", type=int, help="a descriptor for counts; ./railbed test's")


def pytest_configure(config: pytest.Config) -> None:
    where = config.getoption("--progress-to")
    if where is not None and not hasattr(config, "workerinput"):
        # Programs that the tests start are not to write into it.
        os.set_inheritable(where, False)
        config.pluginmanager.register(Progress(where), "counts progress")


@dataclass(eq=False)
class Progress:
    """The counts of one run."""

    where: int
    total: int = 0
    done: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.total = self.total or len(session.items)
        self._write()

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        self.total = len(ids)
        self._write()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            self.done.add(report.nodeid)
        if report.failed:
            self.failed.add(report.nodeid)
        self._write()

    def _write(self) -> None:
        text = f"{len(self.done)} {self.total} {len(self.failed)}\n"
        os.pwrite(self.where, text.encode().ljust(40), 0)
