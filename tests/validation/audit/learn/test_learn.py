"""A site is proposed that says what was read, and what it does not say is listed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from inventory.starter import Wish
from switch_configs.readback.facts import PortFacts
from validation.audit.box import Box, NotRead, box
from validation.audit.learn.learn import Learned, learn
from validation.audit.learn.measure import Measured
from validation.audit.links import Cable
from validation.audit.network import network

from .networks import boxes, learned, opened, other_names, plan_of, plan_of_wish, shelf

NO_PLAN = {"hostname"}  # a site names its switches itself
WAY_OUT = {"policies"}  # a default route is said by the boundary, which no switch knows


@cache
def pod() -> tuple[Box, ...]:
    return boxes(plan_of("pod-256"))


def measured(found: Learned) -> Measured:
    assert found.measured is not None, found.problems
    return found.measured


def kinds(found: Learned) -> set[str]:
    return {kind for _, kind in measured(found).missed}


def test_the_lab_is_learned_whole():
    found = learned(boxes(plan_of("lab")))
    got = measured(found)
    assert (got.reproduced, got.missed, got.beyond, got.absent) == (got.facts, {}, {}, ())
    assert found.unsaid == ()
    assert found.files["asbuilt.csv"] == "device,port,mac,serial\n"


def test_five_systems_are_learned_but_for_the_way_out():
    found = learned(pod())
    got = measured(found)
    assert got.percent >= 99.9
    assert kinds(found) == WAY_OUT
    assert any("0.0.0.0/0" in one for one in found.unsaid)
    assert got.strangers == ()
    # The one box that has no text that is read here, but stands in the plan.
    assert set(got.absent) <= {"oob-aggregation1"}
    cables = plan_of("pod-256").cables
    rows = found.files["cables.csv"].splitlines()[1:]
    assert set(rows) == {
        f"{one.a.device},{one.a.port},{one.b.device},{one.b.port},{one.plane}"
        for one in cables
        if one.plane != "oob"
    }


WISHES = {
    "two planes of NICs, SONiC": Wish(
        "one", 4, "hgx-b300-dual-plane", "sn5600-sonic", storage="roce", business="own", growth=2.0
    ),
    "three tiers, NX-OS": Wish(
        "one", 16, "hgx-b200", "nexus-9364e-sg2-nxos", kind="rail-optimized-three-tier", growth=2.0
    ),
    "users on storage's switches, Cumulus": Wish(
        "one", 12, "dgx-a100", "sn4700-cumulus", storage="roce", business="storage", growth=3.0
    ),
    "no racks, FRR": Wish(
        "one", 6, "hgx-h100", "whitebox-64x800-frr", storage="tcp", business="own",
        oob_switches=False,
    ),
    "no rails, EOS": Wish("one", 16, "hgx-h200", "arista-7060x6-64pe-eos", kind="two-tier"),
}  # fmt: skip


@pytest.mark.parametrize("wish", WISHES.values(), ids=WISHES)
def test_new_sites_are_learned(wish):
    got = measured(learned(boxes(plan_of_wish(wish))))
    assert got.percent >= 95
    assert got.percent == 100, got.sentences


@cache
def scrambled() -> tuple[Box, ...]:
    plan = plan_of("pod-256")
    return boxes(plan, other_names(plan, 6))


def test_names_are_a_hint_only():
    found = learned(scrambled())
    assert kinds(found) == NO_PLAN | WAY_OUT
    assert measured(found).strangers == ()


def test_of_half_a_fabric_every_switch_keeps_its_place():
    rng = random.Random(6)
    some = tuple(one for one in scrambled() if rng.random() < 0.6)
    found = learned(some)
    assert kinds(found) == NO_PLAN | WAY_OUT
    assert measured(found).strangers == ()
    plan = plan_of("pod-256")
    assert len(measured(found).absent) == len(plan.switch) + len(plan.oob_switch) - len(some)


def changed(name: str, **facts: object) -> tuple[Box, ...]:
    return tuple(
        replace(one, facts=replace(one.facts, **facts)) if one.name == name else one  # type: ignore[arg-type]
        for one in pod()
    )


def test_a_switch_that_differs_gets_values_of_its_own():
    found = learned(changed("leaf-p1-r3", asn=4200000999, router_id="10.255.12.9"))
    text = found.files["fabric.yml"]
    assert "leaf-p1-r3: {asn: 4200000999, loopback: 10.255.12.9}" in text
    assert ("leaf-p1-r3", "asn") not in measured(found).missed
    assert ("leaf-p1-r3", "router_id") not in measured(found).missed


def test_another_release_is_a_profile_of_the_site_s_own():
    older = {
        one.name: replace(one, facts=replace(one.facts, release="5.10.1"))
        for one in pod()
        if one.name.startswith("leaf-")
    }
    found = learned(tuple(older.get(one.name, one) for one in pod()))
    assert "leaf_profile: sn5600-cumulus-5-10-1" in found.files["fabric.yml"]
    assert "release: 5.10.1" in found.files["profiles/switches.yml"].replace('"', "")
    assert kinds(found) == WAY_OUT


def test_a_value_that_no_site_may_have_is_listed():
    found = learned(changed("leaf-p1-r3", asn=65001))
    assert ("leaf-p1-r3", "asn") in measured(found).missed
    assert any("leaf-p1-r3" in one and "65001" in one for one in found.unsaid)


def ports(name: str, port: str, **facts: object) -> tuple[PortFacts, ...]:
    one = next(one for one in pod() if one.name == name)
    return tuple(
        replace(each, **facts) if each.name == port else each  # type: ignore[arg-type]
        for each in one.facts.ports
    )


def test_what_contradicts_a_guess_stands_beside_it():
    found = learned(changed("leaf-p1-r0", ports=ports("leaf-p1-r0", "swp1s0", ip_mtu_bytes=1500)))
    guess = next(one for one in found.guesses if one.path == "lossless.ip_mtu_bytes.switches")
    assert (guess.value, guess.sure, guess.against) == (
        "9216",
        "likely",
        ("leaf-p1-r0:swp1s0 has 1500",),
    )
    assert measured(found).missed[("leaf-p1-r0", "ports")] == 1
    assert any("swp1s0 ip_mtu_bytes" in one for one in measured(found).sentences["leaf-p1-r0"])
    assert "but leaf-p1-r0:swp1s0 has 1500" in found.files["fabric.yml"]


def test_guesses_say_what_they_rest_on():
    by = {one.path: one for one in learned(pod()).guesses}
    assert "by addresses" in by["storage: cables"].by
    assert "by description" in by["compute: cables"].by
    assert by["compute: maxima"].sure == "sure"
    assert by["oob.zones.hostmgmt"].sure == "guess"
    assert by["lossless.cnp.priority"].sure == "guess"


def test_without_routing_nothing_is_proposed():
    found = learned(())
    assert (found.files, found.measured) == ({}, None)
    assert found.unsaid


def test_what_was_not_read_is_listed():
    lost = NotRead("leaf9.cfg", "no text in UTF-8")
    found = learn(network(boxes(plan_of("lab"))), "learned", shelf(), opened, [lost])
    assert found.unsaid == ("leaf9.cfg: no text in UTF-8",)


FOREIGN = {
    "dc1-spine1": """\
service routing protocols model multi-agent
hostname dc1-spine1
interface Ethernet1
   description P2P_dc1-leaf1_Ethernet1
   mtu 9214
   no switchport
   ip address 10.255.255.0/31
interface Loopback0
   ip address 10.255.0.1/32
ip routing
router bgp 65100
   router-id 10.255.0.1
   neighbor 10.255.255.1 remote-as 65101
""",
    "dc1-leaf1": """\
service routing protocols model multi-agent
hostname dc1-leaf1
vlan 11
   name VRF10_VLAN11
interface Ethernet1
   description P2P_dc1-spine1_Ethernet1
   mtu 9214
   no switchport
   ip address 10.255.255.1/31
interface Ethernet5
   description SERVER_server01_Eth0
   switchport access vlan 11
interface Loopback0
   ip address 10.255.0.3/32
ip routing
ntp server 0.pool.ntp.org
router bgp 65101
   router-id 10.255.0.3
   neighbor 10.255.255.0 remote-as 65100
""",
}


def test_of_a_foreign_fabric_it_says_what_it_can_and_lists_the_rest():
    found_boxes = [box(name, {name: text}) for name, text in FOREIGN.items()]
    found = learned(tuple(one for one in found_boxes if isinstance(one, Box)))
    assert measured(found).reproduced > 0
    assert any("65100" in one for one in found.unsaid)
    assert kinds(found) >= {"asn", "hostname"}
    assert "dc1-leaf1" in measured(found).planned


def test_a_list_of_cables_names_hosts_that_no_description_does():
    bare = {
        one.name: tuple(replace(port, description="") for port in one.facts.ports) for one in pod()
    }
    plain = tuple(replace(one, facts=replace(one.facts, ports=bare[one.name])) for one in pod())
    listed = [
        Cable((one.a.device, one.a.port), (one.b.device, one.b.port), "cables.csv")
        for one in plan_of("pod-256").cables
    ]
    found = learned(network(plain, cables=listed))
    by: Mapping[str, str] = {one.path: one.by for one in found.guesses}
    assert "a list of cables" in by["compute: cables"]
    assert measured(found).percent >= 99


@pytest.mark.parametrize("seed", range(8))
def test_any_mix_of_boxes_is_answered(seed):
    rng = random.Random(seed)
    some = rng.sample(pod(), rng.choice([1, 2, 3, 7, 20]))
    found = learned(tuple(some))
    assert found.measured is not None or found.problems
