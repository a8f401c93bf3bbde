"""The packing of files onto workers ends, whatever they hold, and starts the longest first."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from xdist.remote import Producer

from tests.plugins import packing
from tests.plugins.packing import is_lab, pytest_xdist_make_scheduler


@dataclass(eq=False)
class Worker:
    """As xdist's: it begins a test only when it knows of the next one, or of the end."""

    waiting: list[int] = field(default_factory=list)
    shutting_down: bool = False
    gateway: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(id="worker"))

    def send_runtest_some(self, tests: list[int]) -> None:
        self.waiting += tests

    def shutdown(self) -> None:
        self.shutting_down = True

    def can_run(self) -> bool:
        return len(self.waiting) > 1 or (self.shutting_down and bool(self.waiting))


@pytest.fixture
def files(tmp_path: Path, rng: random.Random) -> dict[str, int]:
    """Files with one to five tests each, some of them with a lab."""
    sizes = {f"test_{number}.py": rng.randint(1, 5) for number in range(rng.randint(1, 12))}
    for name in sizes:
        (tmp_path / name).write_text("pytest.mark.lab" if rng.random() < 0.5 else "'mark.lab'")
    return sizes


@pytest.mark.parametrize("repeat", range(40))
def test_every_test_runs_once_and_labs_are_not_too_many(tmp_path, rng, files, repeat, monkeypatch):
    monkeypatch.setattr("xdist.scheduler.loadscope.parse_tx_spec_config", lambda _: [0] * 3)
    monkeypatch.setattr(packing, "LABS_AT_ONCE", 2)
    config: Any = SimpleNamespace(
        rootpath=tmp_path,
        getvalue=lambda _: "loadscope",
        option=SimpleNamespace(loadscopereorder=False),
    )
    scheduler = pytest_xdist_make_scheduler(config, Producer("test", enabled=False))
    assert scheduler
    ids = [f"{name}::test_{number}" for name, size in files.items() for number in range(size)]
    workers: list[Any] = [Worker() for _ in range(3)]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, ids)
    scheduler.schedule()
    ran: list[str] = []
    while able := [worker for worker in workers if worker.can_run()]:
        worker = rng.choice(able)
        ran.append(ids[worker.waiting[0]])
        labs = {
            ids[other.waiting[0]].partition("::")[0]
            for other in workers
            if other.can_run() and is_lab(tmp_path, ids[other.waiting[0]].partition("::")[0])
        }
        if not all(is_lab(tmp_path, file) for file in scheduler.workqueue):
            assert len(labs) <= 2
        scheduler.mark_test_complete(worker, worker.waiting.pop(0))
    assert sorted(ran) == sorted(ids)


def test_no_lab_waits_behind_a_test_that_takes_long(tmp_path, monkeypatch):
    """A worker is told of its next file before its last test begins, and keeps it."""
    monkeypatch.setattr("xdist.scheduler.loadscope.parse_tx_spec_config", lambda _: [0] * 3)
    monkeypatch.setattr(packing, "LABS_AT_ONCE", 2)
    labs = {"test_long.py": 300.0, "test_lab_1.py": 90.0, "test_lab_2.py": 80.0}
    took = {**labs, **{f"test_{number}.py": 1.0 + number for number in range(9)}}
    for name in took:
        (tmp_path / name).write_text("pytest.mark.lab" if name in labs else "")
    monkeypatch.setattr(packing, "each_s", {f"{name}::test": s for name, s in took.items()}.get)
    monkeypatch.setattr(packing, "FIRST", ("test_long.py",))
    config: Any = SimpleNamespace(
        rootpath=tmp_path,
        getvalue=lambda _: "loadscope",
        option=SimpleNamespace(loadscopereorder=False),
    )
    scheduler: Any = pytest_xdist_make_scheduler(config, Producer("test", enabled=False))
    workers: list[Any] = [Worker() for _ in range(3)]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, [f"{name}::test" for name in took])
    scheduler.schedule()
    held = [set(scheduler.assigned_work[worker]) for worker in workers]
    assert held[0] == {"test_long.py", "test_0.py"}, "the shortest that is no lab"
    assert sum("test_lab_1.py" in one for one in held[1:]) == 1, "a lab runs beside it"


def test_what_starts_from_the_first_lab_does_not_wait_beside_its_making(tmp_path, monkeypatch):
    monkeypatch.setattr("xdist.scheduler.loadscope.parse_tx_spec_config", lambda _: [0] * 2)
    first, after = packing.FIRST[0], f"{packing.AFTER_FIRST[0]}test_after.py"
    took = {first: 300.0, after: 200.0, "test_short.py": 1.0, "test_other.py": 2.0}
    for name in took:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("pytest.mark.lab" if name in (first, after) else "")
    monkeypatch.setattr(packing, "each_s", lambda function: took[function.partition("::")[0]])
    config: Any = SimpleNamespace(
        rootpath=tmp_path,
        getvalue=lambda _: "loadscope",
        option=SimpleNamespace(loadscopereorder=False),
    )
    scheduler: Any = pytest_xdist_make_scheduler(config, Producer("test", enabled=False))
    workers: list[Any] = [Worker() for _ in range(2)]
    ids = [f"{name}::test_{number}" for name in took for number in range(3)]
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, ids)
    scheduler.schedule()
    maker, other = workers
    assert first in scheduler.assigned_work[maker]
    assert "test_other.py" in scheduler.assigned_work[other]
    scheduler.mark_test_complete(maker, ids.index(f"{first}::test_0"))
    for number in range(3):
        scheduler.mark_test_complete(other, ids.index(f"test_other.py::test_{number}"))
    assert after in scheduler.assigned_work[other]
