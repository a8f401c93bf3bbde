"""`--resume`: a run that was cut off goes on with what has not passed in it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_BEFORE = "passed before"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--resume", action="store_true", help="leave out what passed in runs of this tree and seed"
    )


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.option.passed_before = frozenset(config.workerinput[_BEFORE])
        return
    config.option.passed_before = frozenset()
    tier = "full" if config.getoption("--full") else "quick"
    file = (
        config.rootpath
        / ".railbed/passed"
        / f"{_tree(config.rootpath)}-{config.option.seed}-{tier}.txt"
    )
    if config.getoption("--resume") and file.is_file():
        config.option.passed_before = frozenset(file.read_text().splitlines())
    config.pluginmanager.register(Passed(file), "railbed passed")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Read once for all: workers must collect the same, whatever passes while they do."""
    node.workerinput[_BEFORE] = sorted(node.config.option.passed_before)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """After the draw: what passed was drawn, and nothing else is drawn in its place."""
    before = config.option.passed_before
    if before:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
        items[:] = [item for item in items if item.nodeid not in before]


def _tree(root: Path) -> str:
    """What is checked out, uncommitted changes of tracked files included."""
    asked = ["git", "-C", str(root), "stash", "create"]
    changed = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    asked = ["git", "-C", str(root), "rev-parse", f"{changed or 'HEAD'}^{{tree}}"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()[:16]


@dataclass(frozen=True)
class Passed:
    """Notes each test when it has passed, so that a cut-off run has lost none."""

    file: Path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a") as out:
                out.write(f"{report.nodeid}\n")
