"""Sites that `init` makes climb the ladder on healthy evidence, or `check` says where they stop."""

from __future__ import annotations

import pytest

from inventory import open_site
from inventory.nodes.left_out import left_out, not_locked
from inventory.starter import ASBUILT_CSV, Wish, starter_text
from tests.bench.init_space import shelf
from tests.bench.stock_sites import Climbed, Rung, climbed, reasons, rungs, table, wishes, worst
from tests.generated.sites import make_up_asbuilt
from tests.roles import wishes as wishes_of_roles
from validation.ladder import open_ends
from validation.stages.s45_single_node.expect import expectations

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


@pytest.mark.instances(keep=2)
@pytest.mark.parametrize("profile", sorted({one.node_profile for one in WISHES}))
def test_with_all_locked_the_ladder_shows_all_that_a_stock_profile_asks(profile, tmp_path):
    """DOCA, driver, subnet manager, storage path, containers, NCCL, DCGM, burn and nccl-tests."""
    switch = "sn5600-sonic" if "b300" in profile else "sn4700-sonic"
    wish = Wish("stock", 4, profile, switch, None, "roce", "own", None, 1.0)
    (tmp_path / "fabric.yml").write_text(starter_text(wish, shelf()), encoding="utf-8")
    (tmp_path / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
    wishes_of_roles.lock(tmp_path, {**wishes_of_roles.MORE, **wishes_of_roles.REST})
    make_up_asbuilt(tmp_path)
    plan = open_site(tmp_path)
    assert left_out(plan) == not_locked(plan) == ()
    climb = {one.stage: one for one in rungs(plan)}
    failed = {stage: one.why for stage, one in climb.items() if worst(one) == "fail"}
    assert not failed
    said = {int(one.split()[1]) for one in open_ends(plan)}
    assert {stage for stage, one in climb.items() if worst(one) == "inconclusive"} <= said
    checks = {one.check for one in expectations(plan, frozenset(plan.devices))}
    assert checks >= {"dcgm", "burn", "nvlink", "nvlink_reduce", "nic_self"}


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
    assert "stage 80 refuses a drill: cumulus would need an access list" in told
    assert "nobody has tried" in told
    pod = "\n".join(open_ends(open_site("pod-256")))
    assert "stage 42 does not ping along cables from eos" in pod
    assert "stage 80 takes no cable down" in pod
