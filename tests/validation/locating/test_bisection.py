"""Bisection of stragglers, run against groups whose slow nodes it is not told."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from math import ceil, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.plugins.tiers import examples
from validation.locating.bisection import Group, Named, Ran, Result, next_groups

Runner = Callable[[Group], Result]


def names(count: int) -> list[str]:
    return [f"n{at:04}" for at in range(count)]


def slow_where(bad: Collection[str]) -> Runner:
    return lambda group: Result.SLOW if set(group) & set(bad) else Result.GOOD


def searched(nodes: list[str], run: Runner, most: int = 60) -> tuple[Named, list[Ran], int]:
    """The verdict, all runs, and in how many steps."""
    results: list[Ran] = []
    for step in range(most):
        asked = next_groups(nodes, results)
        if isinstance(asked, Named):
            return asked, results, step
        told = [node for group in asked for node in group]
        assert len(told) == len(set(told)), "a node is in two groups of one step"
        assert all(len(group) > 1 for group in asked)
        results += [Ran(group, run(group)) for group in asked]
    raise AssertionError(f"no end after {most} steps")


def test_a_healthy_fabric_is_asked_once_and_blames_nobody():
    verdict, results, steps = searched(names(64), slow_where(()))
    assert (steps, len(results)) == (1, 1)
    assert verdict == Named()


@pytest.mark.parametrize("count", [3, 4, 5, 16, 64, 1280])
def test_one_slow_node_takes_about_log2_n_steps(count):
    for bad in {names(count)[at] for at in (0, count // 3, count - 1)}:
        verdict, results, steps = searched(names(count), slow_where({bad}))
        assert verdict.suspects == ((bad,),)
        assert verdict.sure.probability > 0.99
        assert steps <= ceil(log2(count)) + 3
        assert len(results) <= 2 * ceil(log2(count)) + 4


@settings(max_examples=examples(40, full=200), deadline=None)
@given(st.integers(8, 200), st.integers(0, 5), st.randoms(use_true_random=False))
def test_several_slow_nodes_are_each_named_and_no_other(count, many, dice):
    nodes = names(count)
    bad = set(dice.sample(nodes, min(many, count // 4)))
    verdict, results, steps = searched(nodes, slow_where(bad))
    assert {one for group in verdict.suspects for one in group} == bad
    assert all(len(group) == 1 for group in verdict.suspects)
    assert steps <= ceil(log2(count)) + 4
    assert len(results) <= 1 + max(1, len(bad)) * (2 * ceil(log2(count)) + 4)


def test_two_nodes_cannot_be_told_apart_and_say_so():
    verdict, _, _ = searched(names(2), slow_where({"n0001"}))
    assert verdict.suspects == (("n0000", "n0001"),)
    assert verdict.sure.nats == 0
    assert "no node is known to be good" in verdict.hint


def test_where_all_are_slow_nobody_is_named_alone():
    verdict, _, steps = searched(names(32), lambda _: Result.SLOW)
    assert all(len(group) > 1 for group in verdict.suspects)
    assert steps < 12


def test_what_is_slow_only_together_is_no_nodes_fault():
    """All of them together are slow, and every half is good: the way between is to blame."""
    nodes = names(32)
    verdict, _, _ = searched(nodes, lambda g: Result.SLOW if len(g) > 16 else Result.GOOD)
    assert verdict.suspects == ()
    assert verdict.together == (tuple(nodes),)


def test_a_slow_run_by_chance_blames_nobody():
    ran: list[Group] = []

    def first_is_slow(group: Group) -> Result:
        ran.append(group)
        return Result.SLOW if len(ran) == 1 else Result.GOOD

    verdict, _, _ = searched(names(32), first_is_slow)
    assert verdict == Named()


def test_a_run_without_a_result_is_repeated_then_split_and_never_clears():
    def crashes(group: Group) -> Result:
        if "n0005" in group:
            return Result.UNKNOWN
        return Result.SLOW if "n0020" in group else Result.GOOD

    verdict, _, _ = searched(names(32), crashes)
    assert verdict.suspects == (("n0020",),)
    assert verdict.unknown == ("n0005",)


def test_noise_blames_no_good_node():
    """One run in fifty is slow by chance; several are never all with the same single node."""
    dice, missed = random.Random(7), 0
    for _ in range(300):
        nodes = names(64)
        bad = set(dice.sample(nodes, dice.randrange(3)))

        def noisy(group: Group, bad: set[str] = bad) -> Result:
            chance = dice.random() < 0.02
            return Result.SLOW if chance or set(group) & bad else Result.GOOD

        verdict, _, _ = searched(nodes, noisy)
        found = {one for group in verdict.suspects for one in group}
        assert found <= bad
        missed += found != bad
    assert missed == 0


def test_groups_of_strangers_are_refused():
    with pytest.raises(ValueError, match="x"):
        next_groups(names(4), [Ran(("n0001", "x"), Result.GOOD)])


def test_the_order_of_results_and_of_names_in_groups_does_not_matter():
    nodes = names(16)
    ran = [Ran(tuple(nodes), Result.SLOW), Ran(tuple(nodes[:8]), Result.GOOD)]
    turned = [Ran(tuple(reversed(one.group)), one.result) for one in reversed(ran)]
    assert next_groups(nodes, ran) == next_groups(nodes, turned)
