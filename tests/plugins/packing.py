"""Side by side: which worker runs which file, the longest first, few labs beside other tests."""

from __future__ import annotations

import ast
from collections import OrderedDict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .order import file_of
from .seconds import each_s, function_of

if TYPE_CHECKING:
    from xdist.scheduler import LoadScopeScheduling

# What 2 cores carry beside tests that compute: labs wait a third of their time, but more of them
# only make each other slow. Where nothing else is left, each worker has one.
LABS_AT_ONCE = 3
# What is left of a worker's files, from which on what comes next should be short.
LONG_S = 30.0
# The first runs the demo, and keeps the lab that most others start from; the second keeps the one
# whose OOB server alone is as planned.
FIRST = ("tests/deploy/chain/test_converged.py", "tests/deploy/hands/test_oob.py")
# Files that start from the lab which the first one makes: beside it they would only wait.
AFTER_FIRST = ("tests/deploy/chain/", "tests/deploy/nodes/")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """What one worker runs in a row is a file."""
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class LongestFirst(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return file_of(nodeid)

        def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
            super().mark_test_complete(node, item_index, duration)
            # A worker that found no lab free may find one now.
            for other in self.nodes:
                if other is not node:
                    self._reschedule(other)

        def _reschedule(self, node: Any) -> None:
            if node.shutting_down:
                return
            if not self.workqueue:
                node.shutdown()
            # A worker starts its last test only when it knows of the next.
            elif self._pending_of(self.assigned_work[node]) <= 1:
                self._assign_work_unit(node)

        def _assign_work_unit(self, node: Any) -> None:
            if self._put_next_in_front(node):
                super()._assign_work_unit(node)

        def _put_next_in_front(self, node: Any) -> bool:
            """The longest file of which another lab does not become one too many.

            Behind a test that takes long, the shortest: nobody else can take it meanwhile.
            """
            # A worker's labs come one after another.
            running = sum(
                any(
                    is_lab(config.rootpath, file) and not all(tests.values())
                    for file, tests in work.items()
                )
                for other, work in self.assigned_work.items()
                if other is not node
            )
            others = [file for file in self.workqueue if not is_lab(config.rootpath, file)]
            free = list(self.workqueue) if running < LABS_AT_ONCE or not others else others
            if self._is_first_made():
                free = [file for file in free if not file.startswith(AFTER_FIRST)] or free
            if not free:
                return False
            left_s = sum(map(expected_s, self.assigned_work.get(node, {}).values()))
            if left_s > LONG_S and others:
                chosen = min(others, key=lambda file: (expected_s(self.workqueue[file]), file))
            else:
                chosen = min(free, key=lambda file: _rank(config.rootpath, file, self.workqueue))
            self.workqueue.move_to_end(chosen, last=False)
            return True

        def _is_first_made(self) -> bool:
            """Whether the first file is under way, and none of its tests has ended."""
            tests = (work.get(FIRST[0]) for work in self.assigned_work.values())
            return any(one is not None and not any(one.values()) for one in tests)

    return LongestFirst(config, log)


def _rank(
    root: Path, file: str, queue: OrderedDict[str, dict[str, bool]]
) -> tuple[bool, int, bool, float, str]:
    first = FIRST.index(file) if file in FIRST else len(FIRST)
    return file not in FIRST, first, not is_lab(root, file), -expected_s(queue[file]), file


def expected_s(tests: dict[str, bool]) -> float:
    """What the tests of a file that have not run yet will take, by the figures of earlier runs."""
    return sum(each_s(function_of(nodeid)) for nodeid, is_done in tests.items() if not is_done)


@cache
def is_lab(root: Path, file: str) -> bool:
    """Whether the tests of a file build a lab."""
    path = root / file
    if not path.is_file() or "mark.lab" not in (text := path.read_text()):
        return False
    return any(
        isinstance(node, ast.Attribute) and ast.unparse(node).endswith("mark.lab")
        for node in ast.walk(ast.parse(text))
    )
