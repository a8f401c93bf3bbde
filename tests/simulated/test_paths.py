"""The simulated fabric: every path is a walk over planned cables, and hashing spreads."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from inventory import open_site, site_folder
from inventory.plan import Plan, PortRef
from tests.simulated.paths import HASHES, Fabric, Flow
from tests.simulated.traffic import Faults, Noise, Traffic

QUIET = Noise(spread=0, jobs=0)


@pytest.fixture(scope="module")
def plan() -> Plan:
    return open_site(site_folder("superpod-10k"))


def far_flow(plan: Plan, streams: int = 64) -> Flow:
    """From the first pod to the last, over all tiers."""
    a, b = (plan.node[name].rails[0] for name in ("node-p01-01", "node-p20-64"))
    ends = (PortRef("node-p01-01", a.port), PortRef("node-p20-64", b.port))
    return Flow(*ends, tuple(range(50000, 50000 + streams)), 400.0)


@pytest.mark.parametrize("hashing", HASHES)
def test_a_path_is_a_walk_over_planned_cables(plan, hashing):
    fabric = Fabric(plan, 3, hashing)
    ends = {one.a: one.b for one in plan.cables} | {one.b: one.a for one in plan.cables}
    flow = far_flow(plan)
    for path in fabric.paths(flow):
        hops = fabric.named(path)
        assert hops[0] == flow.sender
        assert ends[hops[-1]] == flow.receiver
        for one, following in pairwise(hops):
            assert ends[one].device == following.device
        tiers = [plan.switch[one.device].tier for one in hops[1:]]
        assert tiers == ["leaf", "spine", "superspine", "spine", "leaf"]


def test_streams_spread_and_other_seeds_choose_otherwise(plan):
    fabric = Fabric(plan, 3)
    flow = far_flow(plan)
    ups = {path[1] for path in fabric.paths(flow)}
    assert 20 < len(ups) <= 32
    assert fabric.paths(flow) != fabric.reseeded(4).paths(flow)
    assert fabric.paths(flow) == Fabric(plan, 3).paths(flow)


def test_a_dead_cable_is_on_no_path(plan):
    flow = far_flow(plan, 400)
    dead = Fabric(plan, 3).named(Fabric(plan, 3).paths(flow)[0])[2]
    fabric = Fabric(plan, 3, down=[dead])
    paths = [fabric.named(path) for path in fabric.paths(flow)]
    assert all(paths)
    assert dead not in {hop for path in paths for hop in path}


def test_a_lone_flow_gets_its_rate_and_every_hop_counts_it(plan):
    fabric = Fabric(plan, 3)
    traffic, flow = Traffic(fabric, 5, QUIET), far_flow(plan, 1)
    before = traffic.sent_bytes()
    ran = traffic.run([flow], 10)
    after = traffic.sent_bytes()
    assert ran.gbps[0] == pytest.approx(400 * 0.98)
    grown = {port: after[port] - before[port] for port in after if after[port] != before[port]}
    assert set(grown) == set(fabric.named(ran.paths[0][0]))
    assert set(grown.values()) == {int(400e9 / 8 * 10)}


def test_a_slow_port_slows_and_a_lossy_one_drags(plan):
    fabric, flow = Fabric(plan, 3), far_flow(plan, 1)
    hop = fabric.named(fabric.paths(flow)[0])[3]
    slow = Traffic(fabric, 5, QUIET, Faults(capacity={hop: 0.25})).run([flow], 10)
    assert slow.gbps[0] == pytest.approx(200 * 0.98)
    lossy = Traffic(fabric, 5, QUIET, Faults(drag={hop: 0.8})).run([flow], 10)
    assert lossy.gbps[0] == pytest.approx(320 * 0.98)


def test_two_senders_share_a_receiver(plan):
    fabric, flow = Fabric(plan, 3), far_flow(plan, 1)
    nic = plan.node["node-p01-02"].rails[0]
    other = Flow(PortRef("node-p01-02", nic.port), flow.receiver, (50000,), 400.0)
    assert Traffic(fabric, 5, QUIET).run([flow, other], 10).gbps == pytest.approx((196, 196))


def test_noise_makes_no_two_runs_alike(plan):
    traffic, flow = Traffic(Fabric(plan, 3), Random(1).randrange(99)), far_flow(plan, 4)
    assert traffic.run([flow], 10).gbps != traffic.run([flow], 10).gbps
