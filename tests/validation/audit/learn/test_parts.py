"""The parts of learning: seats of ports, maxima, address space, text, facts one by one."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

import pytest

from inventory.load.yaml_positions import parse
from switch_configs import dialect, intent, render
from switch_configs.readback.facts import SwitchFacts
from validation.audit.learn.guess import Guess, Notes
from validation.audit.learn.hosts import group_name, plain_key
from validation.audit.learn.maxima import Evidence, Maxima, maxima
from validation.audit.learn.measure import facts_of
from validation.audit.learn.networks import natural
from validation.audit.learn.ports import Seat, names_of
from validation.audit.learn.seen import far_of
from validation.audit.learn.space import Space, around, cover
from validation.audit.learn.text import fabric_yaml

from .networks import plan_of, shelf


@pytest.mark.parametrize(
    ("profile", "ports", "seats"),
    [
        ("sn5600-cumulus", [("swp1s0", 400.0), ("swp1s1", 400.0)], [Seat(1, 2, 1), Seat(1, 2, 2)]),
        # A slow NIC in a fast port: the second cage begins before a finer split would be full.
        ("sn4700-cumulus", [(f"swp{n}s{s}", 100.0) for n in (1, 2) for s in (0, 1)],
         [Seat(n, 2, s) for n in (1, 2) for s in (1, 2)]),
        ("sn5600-sonic", [("Ethernet0", 400.0), ("Ethernet4", 400.0)],
         [Seat(1, 2, 1), Seat(1, 2, 2)]),
        ("arista-7060x6-64pe-eos", [(f"Ethernet1/{n}", 200.0) for n in (1, 3, 5, 7)],
         [Seat(1, 4, n) for n in (1, 2, 3, 4)]),
        ("sn5600-cumulus", [("Ethernet1", None)], []),
    ],
)  # fmt: skip
def test_ports_are_told_by_names_gaps_and_rates(profile, ports, seats):
    found = names_of(shelf().switches[profile]).seats(ports)
    assert sorted(found.values()) == seats


def evidence(**more: object) -> Evidence:
    said: dict[str, object] = {
        "slots": 8, "units": 1, "nic_planes": 1, "three_tier": False, "built": Maxima(1, 8, 0),
        "uplinks": 2, "top_uplinks": 1, "limit": None, "own": 1, "users": 0, "unit_bits": None,
        "spine": {}, "superspine": {}, "management": ({}, {}), "links": {},
    }  # fmt: skip
    return Evidence(**{**said, **more})  # type: ignore[arg-type]


def test_maxima_fit_all_that_is_seen():
    # Four pods: a quarter more than 32 leaves with an aggregate and a loopback, and 8 spines.
    assert maxima(evidence(limit=90, unit_bits=2))[0] == Maxima(4, 8, 0)
    spine = ({0: 0}, {(0, 0, 1): 24})
    assert maxima(evidence(management=spine))[0] == Maxima(3, 8, 0)
    # The second leaf's first link is the 17th: 8 spines of 2 links; were there 10, the 21st.
    assert maxima(evidence(links={(0, 1, 0): 100, (1, 1, 0): 120}))[0].spines == 10
    assert maxima(evidence())[0] == Maxima(1, 8, 0)


def test_space_is_free_apart_and_within_first():
    space = Space([IPv4Network("10.88.0.0/18"), IPv4Network("10.88.0.0/22")])
    assert space.free(24, [IPv4Network("10.88.0.0/18")]) == IPv4Network("10.88.4.0/24")
    assert space.free(24) == IPv4Network("172.16.0.0/24")
    assert not space.fits(IPv4Network("172.16.0.0/16"))
    assert not space.fits(IPv4Network("0.0.0.0/0"))
    assert around([IPv4Address("10.0.0.1"), IPv4Address("10.0.0.9")]) == IPv4Network("10.0.0.0/28")
    nets = [IPv4Network("10.0.0.0/31"), IPv4Network("10.0.1.0/31")]
    assert cover(nets) == IPv4Network("10.0.0.0/23")
    assert cover([]) is None


def test_most_say_and_the_others_contradict():
    notes = Notes()
    seen = [("a", 3), ("b", 3), ("c", 9), ("d", None)]
    assert notes.most("x", seen, 1, "ports") == 3
    assert notes.guesses == [Guess("x", "3", "likely", "ports, 2 of 3", ("c has 9",))]
    assert notes.most("y", [("a", None)], 1, "ports") == 1
    assert notes.guesses[1].sure == "guess"


def test_text_says_the_same_values():
    sections = {
        "site": "no",
        "topology": {"kind": "two-tier", "maxima": {"pods": 1}, "absent": ["a", "1e3"]},
        "business": {
            "vlans": [{"id": 3, "acl": [{"action": "deny", "destination": "10.0.0.0/8"}] * 6}]
        },
        "credentials": {"ssh_key": "file:id", "empty": ""},
    }
    odd = Guess("site", "x\x1b[2J\nfoo: bar", "sure", "y" * 300, ("a", "b", "c", "d"))
    text = fabric_yaml(sections, [odd])
    found = parse(text, "fabric.yml")
    assert (found.value, found.problems) == (sections, [])
    assert max(map(len, text.splitlines())) <= 100
    assert "#   and 1 more" in text


@pytest.mark.parametrize(
    ("text", "far"),
    [
        ("to spine1:Ethernet0", ("spine1", "Ethernet0")),
        ("leaf1 Ethernet1/1", ("leaf1", "Ethernet1/1")),
        ("P2P_dc1-spine1_Ethernet1", ("dc1-spine1", "Ethernet1")),
        ("SERVER_server01_Eth0", ("server01", "Eth0")),
        ("free", None),
        ("", None),
    ],
)
def test_descriptions_name_far_ends(text, far):
    port = next(port for port in lab_facts().ports if port.description)
    assert far_of(type(port)("swp1", None, (), text)) == far


def lab_facts() -> SwitchFacts:
    plan = plan_of("lab")
    return dialect("linux_frr").readback(render(plan, "leaf-p1-r0"))


def test_what_is_empty_is_no_fact_and_what_is_said_is_one_each():
    from switch_configs.readback.wanted import wanted

    found = facts_of(lab_facts())
    assert all(value not in (None, (), "", False) for value in found.values())
    assert ("asn", "", "") in found
    assert any(kind == "sessions" for kind, _, _ in found)
    assert found == facts_of(
        wanted(intent(plan_of("lab"), "leaf-p1-r0"), dialect("linux_frr").unsaid)
    )


def test_names_become_keys_and_sort_naturally():
    assert group_name(["store-01", "store-02", "x9"]) == "store"
    assert plain_key("VRF10 red") == "vrf10_red"
    assert plain_key("10", "servers") == "servers_10"
    assert sorted(["leaf10", "leaf2", "a"], key=natural) == ["a", "leaf2", "leaf10"]
