"""The figure of a rehearsal's memory: the most of all looks, and never its end."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from deploy.rehearsal import memory
from deploy.rehearsal.memory import most_memory


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Each look finds the next of these, or fails by it; the last one stays."""

    def given(*each: int | Exception) -> list[int]:
        taken, left = list[int](), list(each)

        def memory_bytes(_: str) -> int:
            taken.append(1)
            now = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(now, Exception):
                raise now
            return now

        monkeypatch.setattr(memory, "memory_bytes", memory_bytes)
        monkeypatch.setattr(memory, "_EACH_S", 0.001)
        return taken

    return given


def until_three(taken: list[int]) -> None:
    give_up = time.monotonic() + 60
    while len(taken) < 3:
        assert time.monotonic() < give_up
        time.sleep(0.001)


def test_it_is_the_most_of_all_looks(looks):
    taken = looks(5, 9, 2)
    with most_memory("none") as most:
        until_three(taken)
        assert most() == 9


@pytest.mark.parametrize("error", [PermissionError("smaps"), ValueError("no number")])
def test_a_look_that_fails_ends_neither_the_watch_nor_the_rehearsal(looks, error):
    taken = looks(error, 7, error)
    with most_memory("none") as most:
        until_three(taken)
        assert most() == 7


def test_where_no_look_can_be_taken_nothing_is_known(looks):
    taken = looks(OSError("no groups"))
    with most_memory("none") as most:
        until_three(taken)
        assert most() == 0


def test_what_is_asked_while_a_look_is_taken_is_answered(monkeypatch):
    """Two look at once, the watch and who asks it."""

    def slowly(_: str) -> int:
        time.sleep(0.002)
        return 4

    monkeypatch.setattr(memory, "_EACH_S", 0.0)
    monkeypatch.setattr(memory, "memory_bytes", slowly)
    with most_memory("none") as most:
        assert {most() for _ in range(20)} == {4}
