"""What every test may use, and the last word of a run: what it did not prove, and why."""

from __future__ import annotations

import os
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parents[1]
NOT_PROVED = "not proved"
# A lab is built once for the tests of its folder, and two labs at a time are what 2 cores carry:
# the one brought through the whole chain, and after it machines with a kernel of their own, take
# about as long as all others together.
CHAIN_AND_VM = ("tests/deploy/chain/", "tests/vm/")
LANES = ("chain and vm", "other labs")
IS_LAB_HOST = sys.platform == "linux" and os.geteuid() == 0


def samples_folder() -> Path | None:
    """The folder of captures by others, or None where RAILBED_SAMPLES names none."""
    named = os.environ.get("RAILBED_SAMPLES", "")
    return Path(named) if named and Path(named).is_dir() else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run everything, not only the CI tier")
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden anew from what is made"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU with its driver")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what this machine or tier cannot run; put the labs last, or first beside the rest."""
    lacking = dict(missing(config))
    for item in items:
        for marker, reason in lacking.items():
            if item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))
                item.user_properties.append((NOT_PROVED, (reason, proof(item))))
                break
    files = {item: item.nodeid.partition("::")[0] for item in items}
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: lane(config.rootpath, files[item]) not in LANES)
    else:
        items.sort(key=lambda item: item.get_closest_marker("lab") is not None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Side by side, a failure is named when it happens: the last word is far away."""
    plugins = node.config.pluginmanager
    if not plugins.has_plugin("at once"):
        plugins.register(AtOnce(plugins.getplugin("terminalreporter")), "at once")


@dataclass(frozen=True)
class AtOnce:
    """Names each test that fails, between the dots."""

    terminal: pytest.TerminalReporter

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.terminal.write_line(f"\nfailed: {report.nodeid} ({report.when})")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """What one worker runs in order is a file, or a lane of labs."""
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Lanes(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return lane(config.rootpath, nodeid.partition("::")[0])

    return Lanes(config, log)


@cache
def lane(root: Path, file: str) -> str:
    """The lane of a file with a lab in it, else the file itself."""
    if "mark.lab" not in (root / file).read_text():
        return file
    return LANES[0] if file.startswith(CHAIN_AND_VM) else LANES[1]


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


@pytest.fixture(scope="session")
def is_full(pytestconfig: pytest.Config) -> bool:
    """Whether this is `./railbed test --full`: the whole fault matrix, not a sample of it."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are written anew; who does it reads the diff."""
    return bool(pytestconfig.getoption("--update-golden"))
