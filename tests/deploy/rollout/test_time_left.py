"""What a heading says of the time that is left."""

from __future__ import annotations

import re

import pytest

from deploy.rollout import runbook
from deploy.rollout.time_left import left
from inventory.plan import Wave

WAVES = tuple(
    Wave(f"{step}-{number}", step, ("one",), canary=not number)
    for step in ("nodes", "switches")
    for number in range(4)
)


def test_nothing_is_said_before_a_wave_of_the_step_has_ended():
    """Neither at the begin, nor when nodes have ended and switches begin."""
    assert left(WAVES, ()) == ""
    assert left(WAVES[4:], [("nodes", 60.0)] * 4) == ""
    assert left((), [("nodes", 60.0)]) == ""


def test_a_step_is_left_by_the_mean_of_its_own_waves():
    """Nodes' waves that are left, and not those of switches, which take another time."""
    assert left(WAVES[1:], [("nodes", 100.0)]) == "about 5 min left for nodes"
    took_s = [("nodes", 5000.0)] * 4 + [("switches", 200.0), ("switches", 400.0)]
    assert left(WAVES[6:], took_s) == "about 10 min left for switches"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.1, "10 s"), (44, "40 s"), (89, "90 s"), (91, "2 min"), (3600, "60 min"), (9000, "2.5 h")],
)
def test_it_is_said_in_the_unit_that_a_person_plans_with(seconds, said):
    """Roughly, as it is known."""
    assert left(WAVES[-1:], [("switches", seconds)]) == f"about {said} left for switches"


def test_the_heading_says_it_behind_the_number():
    """And nothing where nothing is known."""
    said = runbook.heading(WAVES[5], 6, 8, left(WAVES[5:], [("switches", 240.0)]))
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d wave switches-1, wave 6 of 8, about 12 min left for switches: one", said
    )
