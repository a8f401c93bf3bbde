"""Circular waits are found, and only those."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace

import pytest

from validation.fabric.buffers import cycles, waiting
from validation.fabric.failures import Whole
from validation.fabric.forward import Forwarding
from validation.fabric.prefixes import numbers
from validation.fabric.solve import solve

from .made import EVERYTHING, clos, drawn, parts, pods
from .test_failures import leaking

# Packets between leaf0 and leaf2 then bounce at leaf1 or leaf3, both ways (as Hu et al. show it).
APART = ("leaf0:swp0", "leaf2:swp5")


def packets(forwarding: Forwarding) -> set[tuple[str, str]]:
    """Every (port that it leaves by, next such port) of every packet, walked one at a time."""
    made = forwarding.routes.fabric
    found = set()
    for at, wanted in enumerate(forwarding.roles.wants):
        if made.tables[at].box.name in forwarding.routes.failed:
            continue
        for number in numbers(wanted):
            stack: list[tuple[int, str]] = [(at, "")]
            seen = set()
            while stack:
                here, came = stack.pop()
                if (here, came) in seen:
                    continue
                seen.add((here, came))
                for e in made.into[here]:
                    if forwarding.sends[e] >> number & 1:
                        leaves = f"{made.tables[here].box.name}:{made.edges[e].port}"
                        if came:
                            found.add((came, leaves))
                        stack.append((made.edges[e].source, leaves))
    return found


def circular(waits: set[tuple[str, str]]) -> bool:
    """Whether any walk along the waits comes back, by searching from each in turn."""
    after = defaultdict(set)
    for one, other in waits:
        after[one].add(other)
    for start in list(after):
        seen, queue = set(), [start]
        while queue:
            for other in after.get(queue.pop(), ()):
                if other == start:
                    return True
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
    return False


@pytest.mark.parametrize("seed", range(60))
def test_circles_are_found_exactly_where_packets_make_them(seed):
    draw = random.Random(seed)
    made = leaking() if draw.random() < 0.5 else drawn(draw)
    seen = Whole(made.network())
    some = draw.sample(sorted(parts(made).values()), draw.randint(0, 3))
    failed = [*APART[: draw.randint(0, 2)], *(one for part in some for one in part)]
    forwarding = Forwarding(solve(seen.made, failed), seen.roles)
    found = cycles(forwarding)
    assert bool(found) == circular(packets(forwarding))
    waits = packets(forwarding)
    for one in found:
        assert set(zip(one.ports, (*one.ports[1:], one.ports[0]), strict=True)) <= waits
        assert one.prefixes


def test_healthy_fabrics_have_none_whatever_fails():
    for made in (clos(), pods(), pods(supers=2)):
        seen = Whole(made.network())
        assert cycles(seen.forwarding) == ()
        assert not any(loss.cycles for loss in seen.single_failures)


def test_bouncing_packets_make_one():
    seen = Whole(leaking().network())
    assert cycles(seen.forwarding) == ()
    forwarding = Forwarding(solve(seen.made, APART), seen.roles)
    one, *_ = cycles(forwarding)
    assert [port.partition(":")[0] for port in one.ports] == ["spine1", "leaf1", "spine0", "leaf3"]
    assert waiting(forwarding)
    assert seen.loss("both", APART).cycles == cycles(forwarding)


def test_ports_that_pause_nothing_wait_for_nobody():
    made = leaking()
    for name, facts in made.facts.items():
        made.change(name, ports=tuple(replace(port, qos=None) for port in facts.ports))
    seen = Whole(made.network())
    forwarding = Forwarding(solve(seen.made, APART), seen.roles)
    assert cycles(forwarding) == ()
    assert cycles(forwarding, every_port=True)


def test_a_spine_that_sends_up_again_is_no_circle_by_itself():
    made = pods(supers=2)
    made.policy("spine0-0", "up-out", permits=EVERYTHING, refuses=())
    assert cycles(Whole(made.network()).forwarding) == ()
