"""What failures take away: alike parts alike, counted as a plain walk over the routes counts it."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest

from validation.fabric.failures import Whole, single_failures, whole
from validation.fabric.roles import Roles

from .made import EVERYTHING, Made, clos, drawn, parts, pods
from .slow import Hops, slow


def arrives(made: Made, routes: Hops, name: str, prefix: str, seen: tuple[str, ...] = ()) -> bool:
    """Whether packets arrive by whichever path."""
    if prefix in made.facts[name].originates:
        return True
    ports = routes.get((name, prefix), frozenset())
    far = {
        near[1]: other[0]
        for wire in made.wires
        for near, other in ((wire.low, wire.high), (wire.high, wire.low))
        if near[0] == name
    }
    return bool(ports) and all(
        far[port] not in seen and arrives(made, routes, far[port], prefix, (*seen, name))
        for port in ports
    )


def pairs(made: Made) -> list[tuple[str, str]]:
    leaves = [name for name, tier in made.tier.items() if tier == 0]
    users = {one for name in leaves for one in made.facts[name].originates[1:]}
    return [
        (name, one)
        for name, one in product(leaves, sorted(users))
        if one not in made.facts[name].originates
    ]


@pytest.mark.instances(keep=6)
@pytest.mark.parametrize("seed", range(40))
def test_lost_pairs_are_those_of_a_plain_walk(seed):
    draw = random.Random(seed)
    made = drawn(draw)
    seen, before = Whole(made.network()), slow(made)
    works = [pair for pair in pairs(made) if arrives(made, before, *pair)]
    for failed in draw.sample(sorted(parts(made).values()), 4):
        after = slow(made, failed)
        alive = {
            one
            for name, facts in made.facts.items()
            if name not in failed
            for one in facts.originates
        }
        counted = [one for one in works if one[0] not in failed and one[1] in alive]
        loss = seen.loss("x", failed)
        assert loss.pairs == len(counted)
        assert loss.lost == sum(not arrives(made, after, *one) for one in counted)
        assert loss.lost_share == (loss.lost / loss.pairs if loss.pairs else 0)


@pytest.mark.parametrize("seed", range(40))
def test_each_part_loses_what_its_kind_loses(seed):
    made = drawn(random.Random(seed))
    seen = Whole(made.network())
    named = [one for loss in seen.single_failures for one in loss.alike]
    assert len(named) == len(set(named))
    for loss in seen.single_failures:
        for one in loss.alike[1:]:
            other = seen.loss(one, {one})
            same = ("pairs", "lost", "capacity_share", "paths")
            assert [getattr(loss, word) for word in same] == [getattr(other, word) for word in same]
            assert bool(loss.cycles) == bool(other.cycles)
            assert len(loss.valleys) == len(other.valleys)


def test_a_healthy_fabric_loses_capacity_and_nobody():
    losses = {loss.name: loss for loss in single_failures(clos(4, 3, 2).network())}
    assert [(len(one.alike), one.lost, one.capacity_share) for one in losses.values()] == [
        (4, 0, 1.0),
        (24, 0, 0.5),
        (3, 0, pytest.approx(2 / 3)),
    ]
    assert losses["spine0"].paths == (6, 4)
    assert losses["leaf0:swp0"].narrowest == "spine0"
    assert not any(one.looped or one.valleys or one.cycles for one in losses.values())


def test_parts_that_fail_together_are_asked_together():
    seen = Whole(clos(2, 2).network())
    plane = seen.loss("both spines", {"spine0", "spine1"})
    assert (plane.pairs, plane.lost, plane.lost_share) == (2, 2, 1.0)
    assert {one[0] for one in plane.lost_pairs} == {"leaf0", "leaf1"}
    one_cable_each = seen.loss("an optic batch", {"leaf0:swp0", "spine1:swp3"})
    assert one_cable_each.lost == 2


def test_rates_weigh_what_is_left():
    made = clos(2, 2)
    made.change(
        "leaf0",
        ports=tuple(
            replace(one, rate_gbps=800) if one.name == "swp1" else one
            for one in made.facts["leaf0"].ports
        ),
    )
    loss = Whole(made.network()).loss("x", {"spine1"})
    assert loss.capacity_share == pytest.approx(1 / 3)


def test_a_leak_makes_a_valley_and_a_circular_wait_once_cables_fail():
    """As in Hu et al., HotNets 2016: two leaves send up again what came from above."""
    made = leaking()
    seen = Whole(made.network())
    assert not seen.forwarding.valleys
    loss = seen.loss("two cables", {"leaf0:swp0", "leaf1:swp3"})
    assert loss.valleys
    assert loss.lost == 0


def leaking() -> Made:
    """Spines of their own ASNs, and leaves that pass on all that they hear."""
    made = clos(4, 2)
    for at, name in enumerate(("spine0", "spine1")):
        made.change(name, asn=65000 + at)
    for wire in made.wires:
        made.session(wire.low, peer_asn=made.facts[wire.high[0]].asn)
    for at in range(4):
        made.policy(f"leaf{at}", "up-out", permits=EVERYTHING)
    return made


def test_roles_are_seen_without_a_plan():
    roles = Roles(Whole(pods().network()).made)
    assert {tier: sum(one == tier for one in roles.tier.values()) for tier in range(3)} == {
        0: 4,
        1: 4,
        2: 2,
    }
    part = Roles(Whole(pods().network(without=("leaf0-0", "leaf0-1"))).made)
    assert "spine0-0" not in part.tier
    assert part.tier["super0-0"] == 2


def test_all_who_ask_of_one_network_share_the_work():
    net = clos().network()
    assert whole(net) is whole(net)
    assert whole(net) is not whole(clos().network())
