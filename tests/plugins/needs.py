"""What a test needs, and the last word of a run: what it did not prove for the lack of it."""

from __future__ import annotations

import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

NOT_PROVED = "not proved"
IS_LAB_HOST = sys.platform == "linux" and os.geteuid() == 0


def samples_folder() -> Path | None:
    """The folder of captures by others, or None where RAILBED_SAMPLES names none."""
    named = os.environ.get("RAILBED_SAMPLES", "")
    return Path(named) if named and Path(named).is_dir() else None


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU with its driver")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what this machine or tier cannot run."""
    lacking = dict(missing(config))
    for item in items:
        for marker, reason in lacking.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
                item.user_properties.append((NOT_PROVED, (reason, proof(item))))
                break


def missing(config: pytest.Config) -> Iterator[tuple[str, str]]:
    """Marker and reason of each kind of test that cannot run here."""
    if not IS_LAB_HOST:
        yield "lab", "needs root on Linux"
    if not samples_folder():
        yield "samples", "needs the folder of captures that RAILBED_SAMPLES names"
    if not shutil.which("nvidia-smi"):
        yield "gpu", "needs an NVIDIA GPU with its driver"
    if not config.getoption("--full"):
        yield "full", "part of ./railbed test --full only"


def proof(item: pytest.Item) -> str:
    """What a test would have shown: its docstring's first line, else its name in words."""
    doc = getattr(getattr(item, "obj", None), "__doc__", None) or ""
    first = doc.strip().partition("\n")[0]
    return first or item.name.removeprefix("test_").replace("_", " ")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was not proved, so that nobody takes a skip for a pass."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for report in terminalreporter.stats.get("skipped", []):
        for name, value in report.user_properties:
            if name == NOT_PROVED:
                by_reason[value[0]].append(f"{report.nodeid.partition('::')[0]}: {value[1]}")
    if not by_reason:
        return
    terminalreporter.section("NOT PROVED in this run")
    for reason, proofs in sorted(by_reason.items()):
        terminalreporter.write_line(f"{reason}; {len(proofs)} not run:", bold=True)
        for line in sorted(set(proofs)):
            terminalreporter.write_line(f"  {line}")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of captures by others; a test that uses it carries the mark `samples`."""
    folder = samples_folder()
    assert folder, "mark this test with pytest.mark.samples"
    return folder
