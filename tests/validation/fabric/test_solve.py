"""Simulated routes equal those of a second, plain solver, whatever is wrong and whatever fails."""

from __future__ import annotations

import random

import pytest

from switch_configs.readback.facts import Hazard
from validation.fabric.fabric import fabric
from validation.fabric.rounds import by_rounds
from validation.fabric.solve import solve

from .made import ABOVE, DRAINED, EVERYTHING, Made, clos, drawn, parts, pods
from .slow import Hops, slow


def hops(made: Made, failed: tuple[str, ...] = ()) -> Hops:
    routes = solve(made.network(), failed)
    prefixes = {one for facts in made.facts.values() for one in facts.originates}
    return {
        (name, prefix): frozenset(hop.port for hop in routes.next_hops(name, prefix))
        for name, facts in made.facts.items()
        for prefix in prefixes
        if prefix not in facts.originates and name not in failed
    }


@pytest.mark.instances(keep=20)
@pytest.mark.parametrize("seed", range(150))
def test_random_fabrics_are_solved_as_by_the_plain_solver(seed):
    draw = random.Random(seed)
    made = drawn(draw)
    assert hops(made) == slow(made)
    for failed in draw.sample(sorted(parts(made).values()), 3):
        assert hops(made, failed) == slow(made, failed)
    several = tuple(one for some in draw.sample(sorted(parts(made).values()), 3) for one in some)
    assert hops(made, several) == slow(made, several)


def test_a_whole_fabric_uses_every_spine():
    made = clos(leaves=3, spines=2, parallel=2)
    routes = solve(made.network())
    assert len(routes.next_hops("leaf0", "10.16.1.0/24")) == 4
    assert len(routes.next_hops("spine0", "10.16.1.0/24")) == 2
    assert routes.next_hops("leaf0", "10.16.0.0/24") == ()
    assert routes.next_hops("leaf0", "10.99.0.0/24") == routes.next_hops("nobody", "x") == ()
    assert {hop.far.partition(":")[0] for hop in routes.next_hops("leaf0", "10.16.1.0/24")} == {
        "spine0",
        "spine1",
    }


def test_a_session_without_ipv4_at_one_end_brings_no_path():
    made = clos(leaves=2, spines=2)
    made.session(("spine0", made.wires[0].high[1]), carries_ipv4=False)
    routes = solve(made.network())
    assert len(routes.fabric.sessions.up) == 4
    assert [hop.far for hop in routes.next_hops("leaf0", "10.16.1.0/24")] == ["spine1:swp1"]


def test_a_way_through_a_drained_box_is_used_last():
    made = clos(leaves=2, spines=2)
    made.policy("spine0", "down-out", adds=(DRAINED,))
    routes = solve(made.network())
    assert [hop.far for hop in routes.next_hops("leaf0", "10.16.1.0/24")] == ["spine1:swp1"]
    alone = solve(made.network(), {"spine1"})
    assert [hop.far for hop in alone.next_hops("leaf0", "10.16.1.0/24")] == ["spine0:swp0"]


def test_boxes_that_rank_drained_routes_otherwise_are_solved_by_rounds():
    made = clos(leaves=2, spines=2)
    made.systems = dict.fromkeys(made.facts, "eos")
    made.policy("spine0", "down-out", adds=(DRAINED,))
    made.policy("leaf1", "up-in", drained_last=False)
    routes = solve(made.network())
    assert len(routes.next_hops("leaf0", "10.16.1.0/24")) == 1
    assert len(routes.next_hops("leaf1", "10.16.0.0/24")) == 2
    assert routes.unstable == 0


@pytest.mark.parametrize("seed", range(30))
def test_rounds_and_waves_agree_where_both_can_be_used(seed):
    made = fabric(drawn(random.Random(seed)).network())
    assert by_rounds(made, frozenset()).hops == solve(made).hops


def test_what_a_prefix_list_forgets_is_reached_by_nobody():
    made = pods()
    made.policy("super0-0", "down-out", permits=())
    routes = solve(made.network())
    assert [hop.far.partition(":")[0] for hop in routes.next_hops("leaf0-0", "10.16.2.0/24")] == [
        "spine0-1"
    ]


def test_a_mark_from_above_keeps_routes_from_going_up_again():
    made = pods(supers=2)
    routes = solve(made.network())
    ways = routes.next_hops("super0-0", "10.16.0.0/24")
    assert [hop.far.partition(":")[0] for hop in ways] == ["spine0-0"]
    made.policy("spine0-0", "up-in", adds=())
    made.policy("spine0-0", "up-out", refuses=(), permits=EVERYTHING)
    told = [
        edge
        for e, edge in enumerate(solve(made.network()).fabric.edges)
        if edge.far.startswith("spine0-0") and ABOVE in edge.refused_out
    ]
    assert told == []


def test_an_announced_prefix_needs_a_route_of_its_own():
    made = clos(leaves=2)
    made.change("leaf1", discards=())
    routes = solve(made.network())
    assert routes.next_hops("leaf0", "10.16.1.0/24") == ()
    assert routes.fabric.tables[1].unbacked == ("10.16.1.0/24",)


def test_without_relaxing_only_one_neighbouring_as_is_used():
    made = clos(leaves=2, spines=2)
    for at, name in enumerate(("spine0", "spine1")):
        made.change(name, asn=65000 + at)
    for wire in made.wires:
        made.session(wire.low, peer_asn=made.facts[wire.high[0]].asn)
    words = "paths over different ASNs are not shared: no multipath-relax"
    hazard = Hazard(words, "paths-not-shared")
    made.change("leaf0", hazards=(hazard,), ecmp_width=1)
    routes = solve(made.network())
    assert [width for _, width in routes.choices("leaf0", "10.16.1.0/24")] == [1, 1]
    assert [width for _, width in routes.choices("leaf1", "10.16.0.0/24")] == [2]
