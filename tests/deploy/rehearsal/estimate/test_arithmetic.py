"""Waves take what the rollout's own schedule makes of them: by a clock that ticks each second."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from deploy.rehearsal.estimate.arithmetic import (
    NOTHING,
    Estimate,
    Later,
    Part,
    Range,
    Wave,
    in_groups,
    longest,
    rounds,
    scaled,
    side_by_side,
    total,
    wider,
)


def ticked(jobs: Sequence[int], at_once: int) -> int:
    """How long jobs take that begin in order, at most so many at once; a second at a time."""
    waiting, now = [*jobs], 0
    running: list[int] = []
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(waiting.pop(0))
        step = [left - 1 for left in running]
        now += 1
        running = [left for left in step if left > 0]
    return now


@pytest.mark.parametrize("seed", range(20))
def test_jobs_side_by_side_take_what_a_clock_says(seed):
    random = Random(seed)
    jobs = [random.randint(1, 40) for _ in range(random.randint(1, 30))]
    at_once = random.randint(1, 9)
    assert side_by_side(jobs, at_once) == ticked(jobs, at_once)


def test_nothing_takes_no_time_and_one_at_a_time_takes_all():
    assert side_by_side([], 4) == 0
    assert side_by_side([3, 5, 7], 1) == 15
    assert side_by_side([3, 5, 7], 3) == 7


def test_groups_come_one_after_another():
    alone, rest = [[Range(2, 4)], [Range(2, 4)]], [Range(1, 9)] * 3
    assert in_groups([*alone, rest], 2) == Range(2 + 2 + 2, 4 + 4 + 18)
    assert in_groups([], 2) == NOTHING


def test_ranges_add_up_and_the_longest_of_each_end_counts():
    assert total([Range(1, 2), Range(3, 5)]) == Range(4, 7)
    assert longest([Range(1, 9), Range(3, 5)]) == Range(3, 9)
    assert longest([]) == NOTHING


def test_a_small_twin_says_the_least_and_the_most_of_many():
    """At least as long as there, at most as often anew as there are more."""
    assert scaled([(2, 10.0), (4, 12.0)], 8) == Range(10, 40)
    assert scaled([(8, 10.0)], 2) == Range(10, 10)
    assert scaled([], 2) is None
    assert (rounds(0), rounds(32), rounds(33)) == (1, 1, 2)


def test_the_sum_has_no_act_of_which_nobody_knows_the_time():
    known, unknown = Part("a", Range(1, 2), "plan"), Part("b", None, "nobody knows")
    later = Later("restart", 2, Part("c", None, "nobody knows"))
    wave = Wave("leaves", "switches", 2, 1, Range(4, 6), Range(1, 1))
    made = Estimate("x", Range(1, 2), (wave, wave), Range(3, 4), (known, unknown), (later,))
    assert made.takes == Range(1 + 2 * 5 + 3, 2 + 2 * 7 + 4)
    assert made.unknown == ("b", "c")


def test_figures_of_one_name_are_told_by_the_weaker_basis_whatever_comes_first():
    seen, twin = Part("gates", Range(3, 4), "recorded", "2"), Part("gates", Range(6, 8), "twin")
    assert wider(seen, twin) == wider(twin, seen) == Part("gates", Range(3, 8), "twin")
    assert wider(None, seen) == seen


def test_what_nobody_knows_hides_nothing_that_is_known():
    known, unknown = Part("gates", Range(3, 4), "recorded"), Part("gates", None, "nobody knows")
    assert wider(known, unknown) == wider(unknown, known) == known
    assert known.key != unknown.key
