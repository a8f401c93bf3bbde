"""A seeded sample of the faults of tests/faults, each made on the real lab and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tests.faults.drive import FAULTS, Driver
from tests.faults.fault import Fault

from .chain import SELECTION

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("converged")]
SAMPLE = 2


@pytest.fixture
def faults(is_full: bool, sampled: Callable[[Iterable[Fault], int], list[Fault]]) -> list[Fault]:
    """All of them, or a few that the seed draws of those that need no load."""
    quiet = (one for one in FAULTS.values() if is_full or not one.loads)
    return sampled(quiet, SAMPLE)


def test_there_are_twenty_faults_of_every_kind():
    """At least twenty, at every quiet stage and each that loads the rails: two at the least."""
    assert len(FAULTS) >= 20
    assert {one.stage for one in FAULTS.values()} >= {10, 20, 25, 30, 40, 42, 50}
    stages = [one.stage for one in FAULTS.values()]
    assert min(stages.count(stage) for stage in (50, 60, 70)) >= 2


@pytest.mark.instances(keep=1, of="a fault that validate names")
def test_faults_are_caught_and_their_suspects_are_right(faults):
    """Each at its stage, with its verdict; the first suspect is right, and no other is named."""
    driver = Driver(SELECTION, print)
    outcomes = list(driver.run(faults))
    assert [one for one in outcomes if not one.caught] == []
    wrong = [one for one in outcomes if not (one.right and one.in_place)]
    assert len(wrong) <= len(outcomes) // 20, wrong
