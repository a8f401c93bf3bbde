"""Sites of benches and labs: they open without a problem, and have their shape."""

from __future__ import annotations

from collections import Counter

import pytest

from inventory import open_site
from inventory.plan import Plan
from tests.generated.large_site import LARGE_PODS, NODES_PER_POD, large_site
from tests.generated.sites import SMALL_THREE_TIER, generated_site


def tiers(plan: Plan) -> Counter[tuple[str, str]]:
    return Counter((one.plane, one.tier) for one in plan.switches)


def test_a_three_tier_fabric_small_enough_for_namespaces(tmp_path):
    plan = open_site(generated_site(tmp_path, SMALL_THREE_TIER))
    expected = {("compute", "leaf"): 4, ("compute", "spine"): 4, ("compute", "superspine"): 4}
    assert tiers(plan) == expected
    assert len(plan.nodes) == 4
    assert plan.undeployable == ()


@pytest.mark.parametrize("pods", [1, pytest.param(LARGE_PODS, marks=pytest.mark.full)])
def test_large_sites_have_every_plane(tmp_path, pods):
    """Three tiers, storage and business on shared switches, OOB, racks and a boundary; 1:1."""
    plan = open_site(large_site(tmp_path, pods))
    expected = {
        ("compute", "leaf"): 16 * pods,
        ("compute", "spine"): 16 * pods,
        ("compute", "superspine"): 16 * 64,
        ("storage", "leaf"): 2 * (pods + 5),
        ("storage", "spine"): 32,
    }
    assert tiers(plan) == expected
    gpus = [one for one in plan.nodes if one.kind == "gpu"]
    assert len(gpus) == pods * NODES_PER_POD
    assert {nic.plane for one in gpus for nic in one.nics} == {"storage", "business"}
    assert {one.tier for one in plan.oob_switches} == {"access", "aggregation", "core"}
    assert all(one.power_w <= one.limit_w for one in plan.racks)
    assert plan.boundary is not None
    assert plan.undeployable == ()
    compute = {one.tier: one.ratio for one in plan.capacities if one.plane == "compute"}
    assert compute == {"leaf": 1.0, "spine": 1.0, "superspine": 0.0}
