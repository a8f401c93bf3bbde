"""The longest prefix decides, and sets of prefixes are what their rules say."""

from __future__ import annotations

import random
from ipaddress import IPv4Network

import pytest

from switch_configs.readback.facts import PermitFacts
from validation.fabric.fabric import fabric
from validation.fabric.failures import Whole
from validation.fabric.prefixes import Prefixes, numbers
from validation.fabric.rounds import by_rounds
from validation.fabric.solve import solve

from .made import Made, clos


def lost(made: Made) -> set[tuple[str, str]]:
    seen = Whole(made.network())
    every = seen.made.prefixes.every
    return {
        (seen.made.tables[at].box.name, str(every[number]))
        for at, bits in seen.forwarding.lost()
        for number in numbers(bits)
    }


def test_a_prefix_that_is_discarded_on_one_way_does_not_surely_arrive():
    made = clos(3, 2)
    made.change("spine0", discards=("10.16.1.0/24",))
    assert lost(made) == {("leaf0", "10.16.1.0/24"), ("leaf2", "10.16.1.0/24")}
    assert len(solve(made.network()).next_hops("leaf0", "10.16.1.0/24")) == 2


def test_without_its_route_a_packet_follows_a_wider_one():
    made = clos(3, 1)
    wide = PermitFacts("10.16.0.0/16", 16, 16)
    border = made.facts["leaf2"]
    made.change("leaf2", originates=(*border.originates, "10.16.0.0/16"))
    made.change("leaf2", discards=("10.16.2.0/24", "10.16.0.0/16"))
    for name in made.facts:
        for policy in made.facts[name].policies:
            made.policy(name, policy.name, permits=(*policy.permits, wide))
    assert lost(made) == set()
    narrow = (wide, PermitFacts("10.16.0.0/24", 24, 24), PermitFacts("10.16.2.0/24", 24, 24))
    made.policy("spine0", "down-in", permits=narrow)
    seen = Whole(made.network())
    number = seen.made.prefixes.number[IPv4Network("10.16.1.0/24")]
    ways = {
        edge.far
        for edge, bits in zip(seen.made.edges, seen.forwarding.sends, strict=True)
        if bits >> number & 1
    }
    assert ways == {"leaf2:swp2", "spine0:swp0"}
    assert lost(made) == {("leaf0", "10.16.1.0/24"), ("leaf2", "10.16.1.0/24")}


def inside() -> Made:
    """leaf0 and leaf1 are of one AS, with a cable and a session between them."""
    made = clos(3, 1)
    made.change("leaf1", asn=65100)
    made.session(made.wires[1].high, peer_asn=65100)
    made.wire("leaf0", "leaf1")
    for end in (made.wires[3].low, made.wires[3].high):
        made.session(end, peer_asn="internal", policy_in=None, policy_out=None)
    return made


def far(made: Made, name: str, prefix: str, *failed: str) -> list[str]:
    return [hop.far for hop in solve(made.network(), failed).next_hops(name, prefix)]


def test_inside_an_as_no_policy_is_needed_and_other_ways_come_first():
    made = inside()
    assert far(made, "leaf0", "10.16.1.0/24") == ["leaf1:swp3"]
    assert far(made, "leaf0", "10.16.2.0/24") == ["spine0:swp0"]
    assert far(made, "leaf0", "10.16.2.0/24", "leaf0:swp0") == ["leaf1:swp3"]
    made.session(made.wires[3].low, peer_asn="external")
    assert far(made, "leaf0", "10.16.2.0/24", "leaf0:swp0") == []


def test_inside_an_as_a_path_grows_no_longer():
    made = inside()
    made.wire("leaf2", "leaf1")
    assert far(made, "leaf1", "10.16.2.0/24") == ["leaf2:swp4"]
    assert far(made, "leaf0", "10.16.2.0/24") == ["leaf1:swp3"]


@pytest.mark.parametrize("in_rounds", [False, True])
def test_inside_an_as_nothing_is_passed_on(in_rounds):
    made = inside()
    made.change("spine0", asn=65100)
    for wire in made.wires:
        for end in (wire.low, wire.high):
            made.session(end, peer_asn="external", policy_in=None, policy_out=None)
    for end in (wire for pair in made.wires for wire in (pair.low, pair.high)):
        made.session(end, peer_asn="internal")
    made.change("leaf2", asn=65100)
    net = made.network()
    routes = by_rounds(fabric(net), frozenset()) if in_rounds else solve(net)
    assert routes.next_hops("leaf0", "10.16.2.0/24") == ()
    assert [hop.far for hop in routes.next_hops("spine0", "10.16.2.0/24")] == ["leaf2:swp2"]
    assert [hop.far for hop in routes.next_hops("leaf0", "10.16.1.0/24")] == ["leaf1:swp3"]


@pytest.mark.parametrize("seed", range(20))
def test_rules_permit_what_they_say(seed):
    draw = random.Random(seed)
    nets = [
        IPv4Network((draw.randrange(256) << 24 | draw.randrange(4) << 16, bits), strict=False)
        for bits in (draw.randint(0, 32) for _ in range(60))
    ]
    held = Prefixes(nets)
    for _ in range(20):
        inside_of, low = draw.choice(nets), draw.randint(0, 32)
        rule = PermitFacts(str(inside_of), low, draw.randint(low, 32))
        wanted = [
            net
            for net in held.every
            if net.subnet_of(inside_of) and low <= net.prefixlen <= rule.longest_bits
        ]
        assert [held.every[number] for number in numbers(held.permitted([rule]))] == wanted
    assert held.all == held.bits(nets)
    for at, cover in held.cover.items():
        wider = [one for one in held.every if held.every[at].subnet_of(one)]
        assert max(wider[:-1] or wider, key=lambda one: one.prefixlen) == held.every[cover]
