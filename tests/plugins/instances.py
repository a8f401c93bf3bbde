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
        "instances(keep, by=None, of=None, files_of=None): the seed keeps so many instances of "
        "this parametrised test (for each value of the argument `by`), of the functions of the "
        "class `of`, or of the files of the class `files_of`; --full runs all",
    )
    config.pluginmanager.register(LeftOut(), "railbed left out")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the seed does not choose; what was asked for by name always runs."""
    if config.getoption("--full"):
        return
    named = {arg.partition("[")[0] for arg in config.args if "[" in arg}
    classes: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    keep: dict[str, int] = {}
    for item in items:
        for name, instance in _class_of(item):
            if item.nodeid.partition("[")[0] not in named:
                classes[name][instance].append(item)
                keep[name] = _keep(item)
    left_out: set[pytest.Item] = set()
    for name, instances in classes.items():
        if len(instances) > keep[name]:
            drawn_ones = drawn(config.option.seed, name).sample(sorted(instances), keep[name])
            for instance in instances.keys() - {*drawn_ones}:
                left_out |= {*instances[instance]}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    counted = config.pluginmanager.get_plugin("railbed left out")
    assert isinstance(counted, LeftOut)
    counted.classes, counted.instances = len(classes), len(left_out)


def _class_of(item: pytest.Item) -> Iterator[tuple[str, str]]:
    """The class that a test belongs to, and which of its instances it is, or is a part of."""
    mark = item.get_closest_marker("instances")
    if mark is None or item.get_closest_marker("full"):
        return  # What this tier skips is not drawn: it would stand for its class unseen.
    function = item.nodeid.partition("[")[0]
    if "files_of" in mark.kwargs:
        yield mark.kwargs["files_of"], function.partition("::")[0]
    elif "of" in mark.kwargs:
        yield mark.kwargs["of"], function
    elif "by" in mark.kwargs:
        value: Any = item.callspec.params[mark.kwargs["by"]]  # type: ignore[attr-defined]
        yield f"{function} {value!r}", item.nodeid
    else:
        yield function, item.nodeid


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
