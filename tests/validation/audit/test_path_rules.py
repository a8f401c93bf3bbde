"""Rules on paths find what they are for, and stay silent where boxes are missing."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from inventory import open_site
from inventory.starter import ASBUILT_CSV, Wish, starter_text
from switch_configs import render
from switch_configs.readback.facts import PermitFacts, PortFacts
from tests.bench.init_space import shelf
from tests.generated.sites import SMALL_THREE_TIER, generated_site
from tests.validation.fabric.made import EVERYTHING, Made, clos, pods
from tests.validation.fabric.test_failures import leaking
from validation.audit.box import Box, box
from validation.audit.network import Network, network
from validation.audit.rules import rules

MINE = tuple(
    rule for rule in rules() if type(rule).__module__.rpartition(".")[2] in ("paths", "sessions")
)


def told(net: Network) -> dict[str, list[str]]:
    """Subjects and findings by rule."""
    found: dict[str, list[str]] = {}
    for rule in MINE:
        for one in rule.of_network(net):
            found.setdefault(one.rule, []).append(f"{one.subject}: {one.found}")
    return found


@cache
def site(name: str) -> tuple[Box, ...]:
    plan = open_site(name)
    found = (
        box(one, {file.path: file.text for file in render(plan, one).files}) for one in plan.switch
    )
    return tuple(one for one in found if isinstance(one, Box))


def port(made: Made, end: tuple[str, str], **changes: object) -> None:
    name, port_name = end
    kept = made.facts[name].ports
    some = (replace(one, **changes) if one.name == port_name else one for one in kept)  # type: ignore[arg-type]
    made.change(name, ports=tuple(some))


def own_asns(made: Made) -> None:
    """Spines of an AS each, so that no loop check hides a leak."""
    for at, name in enumerate(sorted(name for name, tier in made.tier.items() if tier == 1)):
        made.change(name, asn=65000 + at)
    for wire in made.wires:
        made.session(wire.low, peer_asn=made.facts[wire.high[0]].asn)


def leak(made: Made) -> None:
    own_asns(made)
    made.policy("leaf0", "up-out", permits=EVERYTHING)


def unplug(made: Made) -> None:
    """The session of one cable is at one end alone."""
    name, key = made.wires[0].high
    kept = (one for one in made.facts[name].sessions if one.key != key)
    made.change(name, sessions=tuple(kept))


def forget(made: Made, *names: str) -> None:
    """Users' prefixes of leaf1 are let in by none of these."""
    rules_ = tuple(PermitFacts(f"10.16.{at}.0/24", 24, 24) for at in (0, 2))
    for name in names:
        made.policy(name, "down-in", permits=(*rules_, PermitFacts("10.255.0.0/16", 32, 32)))


def blind(made: Made) -> None:
    """A spine lets no prefix of users in."""
    made.policy("spine0", "down-in", permits=(PermitFacts("10.255.0.0/16", 32, 32),))


def two_owners(made: Made) -> None:
    for at in (0, 2):
        port(made, made.wires[at].low, addresses=("192.0.2.1/24",))


def hosts(made: Made) -> None:
    for at in range(2):
        one = PortFacts("eth1", 9216, (f"10.16.{at}.1/24",), "to a host")
        made.change(f"leaf{at}", ports=(*made.facts[f"leaf{at}"].ports, one))


def small_packets(made: Made) -> None:
    hosts(made)
    for end in (made.wires[0].low, made.wires[0].high):
        port(made, end, ip_mtu_bytes=4500)


def narrow(made: Made) -> None:
    own_asns(made)
    made.change("leaf0", ecmp_width=1)


Spoil = Callable[[Made], None]
SPOILT: dict[str, tuple[Spoil, str]] = {
    "valley": (leak, "leaf0:swp0: "),
    "session-unmatched": (unplug, "leaf0:swp0: to spine0:swp0: no session there leads here"),
    "no-path": (lambda made: forget(made, "spine0", "spine1"), "leaf0: no route to 10.16.1.0/24"),
    "single-cut": (lambda made: forget(made, "spine0"), "spine1: once it fails, leaf0 does not"),
    "uneven-ecmp": (blind, "leaf0:swp0: carries 0 prefixes of users, others 2"),
    "address-twice": (two_owners, "leaf1:swp2: 192.0.2.1 is on leaf0:swp0 too"),
    "router-id-twice": (
        lambda made: made.change("leaf1", router_id=made.facts["leaf0"].router_id),
        "leaf1:10.255.0.1: router id 10.255.0.1, as leaf0",
    ),
    "announced-without-route": (
        lambda made: made.change("leaf1", discards=()),
        "leaf1:10.16.1.0/24: announces",
    ),
    "prefix-limit": (
        lambda made: made.session(made.wires[0].low, maximum_prefix=1),
        "leaf0:swp0: at most 1 prefixes, and spine0:swp0 announces",
    ),
    "mtu-path": (small_packets, "leaf0:swp0: IP MTU 4500 B"),
    "lossy-hop": (lambda made: port(made, made.wires[0].low, qos=None), "leaf0:swp0: pauses no"),
}


@pytest.mark.parametrize("rule", SPOILT)
def test_a_rule_finds_what_it_is_for(rule):
    made = clos(3, 2)
    assert told(made.network()) == {}
    spoil, words = SPOILT[rule]
    spoil(made)
    found = told(made.network())
    assert any(one.startswith(words) for one in found[rule]), found


OF_PATHS = {*SPOILT, "buffer-cycle", "ecmp-width"}


def test_every_rule_of_paths_is_tried():
    assert {rule.id for rule in MINE} == OF_PATHS


def test_a_circular_wait_is_found_before_the_failure_that_closes_it():
    made = leaking()
    assert "buffer-cycle" not in told(made.network())
    name, key = "spine0", "swp0"
    kept = (one for one in made.facts[name].sessions if one.key != key)
    made.change(name, sessions=tuple(kept))
    (found, *_) = told(made.network())["buffer-cycle"]
    assert "waits for" in found
    assert found.endswith("fails")


def test_distinct_neighbours_want_the_width_too():
    made = clos(3, 2)
    narrow(made)
    assert told(made.network()) == {"ecmp-width": ["leaf0: 1 paths, and 2 are equal"]}


def test_hosts_that_send_large_packets_find_whole_paths():
    made = clos(3, 2)
    hosts(made)
    assert told(made.network()) == {}


@pytest.mark.parametrize("name", ["lab", "pod-256"])
def test_shipped_sites_have_nothing_even_in_part(name):
    boxes = site(name)
    assert told(network(boxes)) == {}
    draw = random.Random(7)
    for _ in range(6):
        assert told(network(draw.sample(boxes, draw.randint(1, len(boxes))))) == {}


def test_generated_sites_of_three_tiers_have_nothing(tmp_path):
    plan = open_site(generated_site(tmp_path / "site", SMALL_THREE_TIER))
    found = [
        box(one, {file.path: file.text for file in render(plan, one).files}) for one in plan.switch
    ]
    whole = [one for one in found if isinstance(one, Box)]
    assert len(whole) == len(plan.switch)
    assert told(network(whole)) == {}
    assert told(network(one for one in whole if one.name != "spine-p1-1")) == {}


@pytest.mark.parametrize("kind", ["rail-optimized-two-tier", "two-tier"])
def test_sites_of_init_have_nothing(tmp_path, kind):
    wish = Wish("new", 4, "hgx-h100", "sn5600-cumulus", kind, storage="roce", business="own")
    (tmp_path / "fabric.yml").write_text(starter_text(wish, shelf()), encoding="utf-8")
    (tmp_path / "asbuilt.csv").write_text(ASBUILT_CSV, encoding="utf-8")
    plan = open_site(tmp_path)
    found = (
        box(one, {file.path: file.text for file in render(plan, one).files}) for one in plan.switch
    )
    assert told(network(one for one in found if isinstance(one, Box))) == {}


def test_a_part_of_a_fabric_is_not_blamed_for_what_was_not_read():
    made = pods(2, 2, 2, 2)
    draw = random.Random(3)
    for _ in range(40):
        names = sorted(made.facts)
        without = draw.sample(names, draw.randint(1, len(names) - 1))
        assert told(made.network(without)) == {}
