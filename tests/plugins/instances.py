"""Instances of a class of tests: a few by the seed in each run, all of them in `--full`.

What is named on the command line always runs: a file or a function though its class is drawn, a
function or an instance with all that it has. So it is with what `--changed` chose: a class of
functions or files is not drawn once more, and near the change a function has NEAR_S of its
instances.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from .order import file_of
from .seconds import Stopwatch, each_s, function_of, shipped
from .seed import drawn

# A parametrised function of whose instances each takes longer than DEAR_S is a class without a
# mark: of it run as many as take CLASS_S, and one at least. Shorter ones run whole.
DEAR_S = 0.25
CLASS_S = 2.0
# Of a function that is near to a change, and that the choice runs whole, as many as take NEAR_S.
NEAR_S = 20.0
_LEFT_OUT = "instances left out"
_CLASSES = "classes sampled"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "instances(keep, by=None, of=None, but=None, files_of=None): the seed keeps so many "
        "instances of this parametrised test (for each value of the argument `by`), of the "
        "functions of the class `of` (or of their values of `by`; those whose names match `but` "
        "all run), or of the files of the class `files_of`; --full runs all",
    )
    config.pluginmanager.register(LeftOut(), "railbed left out")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the seed does not choose."""
    if config.getoption("--full"):
        return
    draw = Draw(config.option.seed, _named(config), _chosen(config))
    out = draw.left_out(items)
    if out:
        config.hook.pytest_deselected(items=[item for item in items if item in out])
        items[:] = [item for item in items if item not in out]
    counted = config.pluginmanager.get_plugin("railbed left out")
    assert isinstance(counted, LeftOut)
    counted.classes = draw.classes
    counted.functions = dict(Counter(function_of(item.nodeid) for item in out))


def _named(config: pytest.Config) -> frozenset[str]:
    """Files and functions that the command line names, as in the names of tests."""
    named = set()
    for arg in config.args:
        path, colons, function = function_of(arg).partition("::")
        file = (config.invocation_params.dir / path).resolve()
        if file.is_file() and file.is_relative_to(config.rootpath):
            named.add(f"{file.relative_to(config.rootpath).as_posix()}{colons}{function}")
    return frozenset(named)


def _chosen(config: pytest.Config) -> Mapping[str, float] | None:
    """With `--changed`, the functions that were chosen, and their shares; else nothing."""
    choice = config.getoption("--choice", None)
    return None if choice is None else json.loads(choice.read_text())


@dataclass(eq=False)
class Draw:
    """One seed's choice; `classes`: of how many classes of tests it was made."""

    seed: int
    named: frozenset[str] = frozenset()
    chosen: Mapping[str, float] | None = None
    classes: int = 0

    def left_out(self, items: Sequence[pytest.Item]) -> set[pytest.Item]:
        """The tests that do not run, of whole classes of them."""
        classes: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
        keep: dict[str, int] = {}
        for item in items:
            if not item.get_closest_marker("full"):
                # What this tier skips is not drawn: it would stand for its class unseen.
                for name, instance, count in self._classes_of(item):
                    classes[name][instance].append(item)
                    keep[name] = count
        self.classes = len(classes)
        out: set[pytest.Item] = set()
        for name, instances in classes.items():
            if len(instances) > keep[name]:
                # By chance alone: drawn by what it takes, what is dear would hardly ever run.
                kept = {*drawn(self.seed, name).sample(sorted(instances), keep[name])}
                for instance in instances.keys() - kept:
                    out |= {*instances[instance]}
        return out

    def _classes_of(self, item: pytest.Item) -> Iterator[tuple[str, str, int]]:
        """The classes that a test belongs to, its instance in each, and how many are kept."""
        function, file = function_of(item.nodeid), file_of(item.nodeid)
        values: Mapping[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        is_class = False
        for mark in item.iter_markers("instances"):
            told, keep = mark.kwargs, int(mark.kwargs["keep"])
            value = repr(values[told["by"]]) if "by" in told else ""
            if "by" in told or not {"of", "files_of"} & told.keys():
                is_class = True
                if function not in self.named and "of" in told:
                    yield told["of"], value, keep
                elif function not in self.named:
                    yield f"{function} {value}", item.nodeid, self._near(keep, function)
            elif self.chosen is None and not {file, function} & self.named:
                if "files_of" in told:
                    yield told["files_of"], file, keep
                elif not re.search(told.get("but", "$^"), function.rpartition("::")[2]):
                    yield told["of"], function, keep
        if values and not is_class and function not in self.named:
            took = shipped().get(function)
            if took and took.each_s >= DEAR_S:
                keep = max(1, int(CLASS_S / took.each_s))
                yield function, item.nodeid, self._near(keep, function)

    def _near(self, keep: int, function: str) -> int:
        """So many instances of a function, or more of one that the choice runs whole."""
        if self.chosen is None or self.chosen.get("::".join(function.split("::")[:2])) != 1:
            return keep
        return max(keep, int(NEAR_S / max(each_s(function), 0.01)))


@dataclass(eq=False)
class LeftOut:
    """Counts what was left out, in the worker that collected, and says it at the end."""

    classes: int = 0
    functions: Mapping[str, int] = field(default_factory=dict)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_CLASSES] = self.classes
            session.config.workeroutput[_LEFT_OUT] = dict(self.functions)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        told = getattr(node, "workeroutput", None) or {}
        # Every worker collects the same.
        self.classes = told.get(_CLASSES, self.classes)
        self.functions = told.get(_LEFT_OUT, self.functions)

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.functions:
            return
        config = terminalreporter.config
        watch = config.pluginmanager.get_plugin("railbed stopwatch")
        assert isinstance(watch, Stopwatch)
        watch.left_out = self.functions
        count = sum(self.functions.values())
        minutes = sum(each_s(one) * left for one, left in self.functions.items()) / 60
        terminalreporter.write_line(
            f"sampled by seed {config.option.seed}: of {self.classes} classes of tests, {count} "
            f"instances were left out, {minutes:.0f} minutes of tests; ./railbed test --full runs "
            "them"
        )
