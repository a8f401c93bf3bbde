"""The newcomer's first minutes: a clean clone, the demo, also after one that was killed."""

from __future__ import annotations

import pytest

from tests.deploy.lab.traces import traces
from tests.labs import kept_lab, lab_name
from tests.newcomer import EARLY, LATE, PASSED, clone, killed, passes

pytestmark = pytest.mark.lab


def test_the_demo_passes_from_a_clean_clone_also_after_kill_9():
    """Killed at an early moment, the next demo removes what is left and passes; of this run.

    Its lab is the one that most tests of a lab start from, so it is there once.
    """
    demo = kept_lab(of_this_run=True)
    assert PASSED in demo.said
    assert demo.killed_at in EARLY
    assert list(demo.kept.state.glob("report/run-*.html"))
    assert traces(demo.made_as) == []


@pytest.mark.full
@pytest.mark.parametrize("moment", [*EARLY, *LATE])
def test_the_demo_passes_after_kill_9_at_each_moment(moment):
    """Also where much was done already; nothing of its lab stays."""
    name = lab_name("demo")
    with clone(name) as here:
        killed(here, name, moment)
        passes(here, name)
        assert traces(name) == []
