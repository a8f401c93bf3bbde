"""Instances of a class of tests: a few by the seed in each run, all of them in `--full`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from .seed import drawn

_LEFT_OUT = "instances left out"
_CLASSES = "classes sampled"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "instances(keep, by=None): of this parametrised test, the seed keeps so many instances "
        "(for each value of the argument `by`); --full runs all",
    )
    config.pluginmanager.register(LeftOut(), "railbed left out")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the seed does not choose; what was asked for by name always runs."""
    if config.getoption("--full"):
        return
    named = {arg.partition("[")[0] for arg in config.args if "[" in arg}
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        for group in _group(item):
            if group.partition(" ")[0] not in named:
                groups[group].append(item)
    left_out: set[pytest.Item] = set()
    for group, members in groups.items():
        keep = _keep(members[0])
        if len(members) > keep:
            members.sort(key=lambda item: item.nodeid)
            left_out |= {*members} - {*drawn(config.option.seed, group).sample(members, keep)}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    counted = config.pluginmanager.get_plugin("railbed left out")
    assert isinstance(counted, LeftOut)
    counted.classes, counted.instances = len(groups), len(left_out)


def _group(item: pytest.Item) -> Iterator[str]:
    """The class that an instance belongs to: its function and, where told, one argument."""
    mark = item.get_closest_marker("instances")
    if mark is None or item.get_closest_marker("full"):
        return  # What this tier skips is not drawn: it would stand for its class unseen.
    by = mark.kwargs.get("by")
    value: Any = item.callspec.params[by] if by else ""  # type: ignore[attr-defined]
    yield f"{item.nodeid.partition('[')[0]} {value!r}" if by else item.nodeid.partition("[")[0]


def _keep(item: pytest.Item) -> int:
    mark = item.get_closest_marker("instances")
    assert mark is not None
    return int(mark.kwargs["keep"])


@dataclass(eq=False)
class LeftOut:
    """Counts what was left out, in the worker that collected, and says it at the end."""

    classes: int = 0
    instances: int = 0
    of_workers: list[tuple[int, int]] = field(default_factory=list)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_CLASSES] = self.classes
            session.config.workeroutput[_LEFT_OUT] = self.instances

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", None) or {}
        self.of_workers.append((told.get(_CLASSES, 0), told.get(_LEFT_OUT, 0)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        classes, instances = max([(self.classes, self.instances), *self.of_workers])
        if instances:
            seed = terminalreporter.config.option.seed
            terminalreporter.write_line(
                f"sampled by seed {seed}: of {classes} classes of tests, {instances} instances "
                "were left out; ./railbed test --full runs them"
            )
