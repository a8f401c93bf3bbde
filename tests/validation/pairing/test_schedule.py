"""The pair schedule: who meets whom, nobody twice at once, and uplinks not overfilled."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory import open_site
from inventory.plan import Plan
from tests.generated.sites import Size, generated_site
from tests.plugins.tiers import examples
from tests.validation.recorded import lab
from tests.validation.uplinks import uplink_load
from validation.expect import expectations
from validation.pairing import schedule
from validation.pairing.loads import terms_of
from validation.pairing.schedule import circle, loads, seats

SIZES = st.builds(
    Size,
    pods=st.integers(1, 5),
    spines=st.integers(1, 4),
    rails=st.integers(1, 3),
    nodes_per_pod=st.integers(1, 6),
    uplinks=st.integers(1, 2),
)


@cache
def site(size: Size) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        return open_site(generated_site(Path(folder), size))


@given(st.integers(0, 40))
def test_in_the_circle_everybody_meets_everybody_once(count):
    rounds = circle(range(count))
    assert len(rounds) == (0 if count < 2 else count - 1 + count % 2)
    met = [frozenset(pair) for row in rounds for pair in row]
    assert len(met) == len(set(met)) == count * (count - 1) // 2
    for row in rounds:
        assert len({one for pair in row for one in pair}) == 2 * len(row)


@settings(max_examples=examples(10, full=40), deadline=None)
@given(SIZES)
def test_every_nic_and_every_two_leaves_are_loaded_and_no_nic_twice_at_once(size):
    plan = site(size)
    rounds = schedule.schedule(plan)
    pairs = [pair for row in rounds for pair in row]
    everyone = seats(plan)
    leaves = {(one.rail, one.leaf) for one in everyone}
    if size.pods * size.nodes_per_pod > 1:
        assert {seat for pair in pairs for seat in (pair.a, pair.b)} == set(everyone)
    together = {(one.a.rail, frozenset((one.a.leaf, one.b.leaf))) for one in pairs if one.crosses}
    assert together == {
        (a[0], frozenset((a[1], b[1]))) for a, b in combinations(leaves, 2) if a[0] == b[0]
    }
    inside = Counter(frozenset((one.a, one.b)) for one in pairs if not one.crosses)
    assert set(inside.values()) <= {1}
    assert set(inside) == {
        frozenset((a, b))
        for a, b in combinations(everyone, 2)
        if (a.rail, a.leaf) == (b.rail, b.leaf)
    }
    assert all(one.a.rail == one.b.rail for one in pairs)
    for row in rounds:
        assert len({seat for one in row for seat in (one.a, one.b)}) == 2 * len(row)


@settings(max_examples=examples(10, full=40), deadline=None)
@given(SIZES)
def test_uplinks_are_expected_to_carry_what_they_may_and_one_pair_always_runs(size):
    plan, most = site(size), terms_of("iperf3").uplink_load
    for row in schedule.schedule(plan):
        crossing = Counter(seat.leaf for one in row if one.crosses for seat in (one.a, one.b))
        for leaf, share in uplink_load(plan, row).items():
            assert share <= most + 1e-9 or crossing[leaf] == 1


@settings(max_examples=examples(10, full=20), deadline=None)
@given(SIZES, st.data())
def test_a_part_of_the_devices_has_a_part_of_the_flows_in_the_same_rounds(size, data):
    plan = site(size)
    some = frozenset(data.draw(st.sets(st.sampled_from(plan.devices))))
    whole = {flow for row in loads(plan, frozenset(plan.devices)) for flow in row}
    assert {flow for row in loads(plan, some) for flow in row} <= whole


def test_the_same_plan_gives_the_same_schedule():
    assert loads(lab(), frozenset(lab().devices)) == loads(lab(), frozenset(lab().devices))


def test_the_lab_is_loaded_in_two_rounds_both_ways():
    rounds = loads(lab(), frozenset(lab().devices))
    assert [len(row) for row in rounds] == [8, 4]
    flows = [flow for row in rounds for flow in row]
    assert {(one.sender, one.receiver, one.rail) for one in flows} == {
        (one.receiver, one.sender, one.rail) for one in flows
    }
    for row in rounds:
        assert len({(one.receiver, one.port) for one in row}) == len(row)
    assert len({(one.receiver, one.port) for one in flows}) == len(flows)


def test_a_wide_pod_fills_its_rounds():
    """32 NICs a leaf: 31 rounds inside; across, as many pairs at once as half the uplinks."""
    plan = site(Size(pods=5, spines=16, rails=1, nodes_per_pod=32))
    rounds = schedule.schedule(plan)
    assert [len(row) for row in rounds] == [80] * 31 + [10]


def with_rdma(plan: Plan) -> Plan:
    """The same site with NICs at 400 Gb/s that have RDMA."""
    nodes = tuple(
        replace(one, rails=tuple(replace(nic, rdma_device="mlx5_0") for nic in one.rails))
        for one in plan.nodes
    )
    cables = tuple(replace(one, rate_gbps=400.0) for one in plan.cables)
    return replace(plan, nodes=nodes, cables=cables)


def test_rdma_leaves_meet_as_often_as_asked_and_each_time_by_other_nics():
    """So that hardly a cable between leaves is met by no flow that is judged."""
    plan = with_rdma(site(Size(pods=4, spines=16, rails=2, nodes_per_pod=8)))
    times = terms_of("ib_write_bw").across_times
    across = [pair for row in schedule.schedule(plan) for pair in row if pair.crosses]
    met = Counter((pair.a.rail, pair.a.leaf, pair.b.leaf) for pair in across)
    assert times > 1
    assert len(set(across)) == len(across)
    assert met
    assert set(met.values()) == {times}


def test_a_flow_across_waits_for_a_way_through_the_spines():
    ends = frozenset({"node-p1-1", "node-p2-1", "leaf-p1-r0", "leaf-p2-r0"})
    name = "bw:rail0:node-p1-1>node-p2-1"
    assert name not in {one.id for one in expectations(lab(), ends)}
    assert name in {one.id for one in expectations(lab(), ends | {"spine2"})}


def test_stages_beyond_the_last_one_asked_are_left_out():
    found = expectations(lab(), frozenset(lab().devices), 49)
    assert "bw" not in {one.check for one in found}


# A lab's links carry what their buckets held besides; no cable does.
@pytest.mark.parametrize(("tool", "most"), [("iperf3", 1.02), ("ib_write_bw", 1)])
def test_terms_leave_room_between_their_limits(tool, most):
    terms = terms_of(tool)
    assert 0 < terms.fail_below < terms.nothing_above <= most
    assert 0 < terms.uplink_load <= 1
    assert terms.source


def test_a_node_that_cannot_be_deployed_is_in_no_pair():
    plan = replace(lab(), undeployable=("node-p1-1",))
    names = {seat.node for row in schedule.schedule(plan) for one in row for seat in (one.a, one.b)}
    assert names == {"node-p1-2", "node-p2-1", "node-p2-2"}
