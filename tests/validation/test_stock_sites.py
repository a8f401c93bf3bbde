"""Sites that `init` makes climb the ladder on healthy evidence, or `check` says where they stop."""

from __future__ import annotations

import pytest

from inventory import open_site
from tests.bench.stock_sites import Climbed, Rung, climbed, reasons, table, wishes, worst
from validation.ladder import open_ends

WISHES = wishes()


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("wish", WISHES, ids=range(len(WISHES)))
def test_a_stock_site_climbs_the_ladder_or_check_says_where_it_stops(wish):
    found = climbed(wish)
    if found.refused:
        assert found.refused.startswith("--")
        return
    assert not found.wrong
    failed = {one.stage: one.why for one in found.rungs if worst(one) == "fail"}
    assert not failed
    assert not found.untold
    asked = {one.stage for one in found.rungs if worst(one)}
    assert asked >= {10, 15, 20, 25, 30, 40, 45, 50, 60, 70, 80}


def test_what_check_does_not_say_is_told_by_the_bench():
    """A stage left open of which nothing was said is a contradiction, and stands in the table."""
    rung = Rung(60, (("inconclusive", 2), ("pass", 1)), (("alone", "no counter"),))
    one = Climbed(WISHES[0], system="eos", rungs=(rung,), said=frozenset({80}))
    assert one.untold == (60,)
    assert Climbed(WISHES[0], system="eos", rungs=(rung,), said=frozenset({60})).untold == ()
    assert any(row.split() == ["60", "0/1/0/0"] for row in table([one]))
    assert list(reasons([one])) == ["60 eos: 1 sites: alone: no counter"]


def test_what_the_ladder_leaves_open_is_known_before_anything_is_measured():
    assert open_ends(open_site("lab")) == ()
    told = "\n".join(open_ends(open_site("superpod-10k")))
    assert "stage 80 refuses a drill: nobody has tried to do this on switches" in told
    pod = "\n".join(open_ends(open_site("pod-256")))
    assert "stage 42 pings no cable from eos" in pod
    assert "stage 80 pulls nothing" in pod
