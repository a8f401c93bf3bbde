"""The whole option space of `init`: each combination is refused with a reason, or is proved."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.bench.init_space import combinations, judged

PARTS = 112
_MOST_TOLD = 10


@pytest.mark.full
@pytest.mark.parametrize("part", range(PARTS))
def test_each_combination_of_a_part_is_refused_with_a_reason_or_proved(part, tally):
    """`init` refuses each combination with a reason, or check, plan, render and proof pass."""
    found = [(one, judged(one)) for one in combinations()[part::PARTS]]
    count = Counter(said.kind for _, said in found)
    tally(
        "options of init",
        tried=len(found),
        accepted=count["accepted"],
        refused=count["refused"],
        contradictions=count["contradiction"],
    )
    wrong = [(one, said.reason) for one, said in found if said.kind == "contradiction"]
    assert not wrong[:_MOST_TOLD]
    assert all(said.reason for _, said in found if said.kind == "refused")


def test_the_parts_are_the_whole_space_and_each_has_some_of_it():
    every = combinations()
    parts = [every[part::PARTS] for part in range(PARTS)]
    assert all(parts)
    assert sorted(map(repr, every)) == sorted(repr(one) for part in parts for one in part)
    assert len({repr(one) for one in every}) == len(every)
