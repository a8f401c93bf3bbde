"""A configuration is proved by what it means, not only by its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import Plan, RawStanza
from switch_configs import dialects, intent, render, without_raw
from tests.switch_configs.intents import base
from tests.switch_configs.sites import small
from validation.proof.configuration import Proof, differences, proof, proof_and_facts

LEAF = "leaf-p1-r0"


def with_raw(name: str, section: str, *lines: str) -> Plan:
    plan = small(name)
    raw = (RawStanza(section, lines, "a test"),)
    return replace(
        plan,
        switches=tuple(replace(one, raw=raw) if one.name == LEAF else one for one in plan.switches),
    )


def of(plan: Plan) -> Proof:
    return proof(intent(plan, LEAF), render(plan, LEAF), without_raw(plan, LEAF))


@pytest.mark.parametrize("name", dialects())
def test_what_is_rendered_is_proved(name):
    assert of(small(name)) == Proof(LEAF, (), (), 0)


def test_a_raw_line_that_contradicts_the_plan_is_wrong_not_raw():
    found = of(with_raw("eos", "qos", "qos map dscp 27 to traffic-class 3"))
    assert found.raw_lines == 1
    assert any("qos" in one and "27" in one for one in found.wrong), found


def test_a_raw_line_that_nobody_reads_is_told_and_counted():
    found = of(with_raw("linux_frr", "sysctl", "net.ipv4.railbed_test = 1"))
    assert (found.wrong, found.raw_lines) == ((), 1)
    assert "unread: other: sysctl * ipv4 *" in found.unproved, "what it is about, not what it says"


@pytest.mark.parametrize("name", dialects())
def test_a_fact_that_differs_is_a_sentence(name):
    plan = small(name)
    asked = base(name, LEAF)
    other = replace(asked, switch=replace(asked.switch, asn=4_200_012_345))
    found = proof(other, render(plan, LEAF), None)
    assert found.wrong[0].startswith("asn: found 42"), found.wrong
    assert "4200012345" in found.wrong[0]


@pytest.mark.parametrize("name", dialects())
def test_each_vlan_is_compared_whether_it_has_a_name_or_not(name):
    plan = small(name)
    device = next(one.name for one in plan.switches if len(one.vlans) > 1)
    asked = base(name, device)
    for at, vlan in enumerate(asked.switch.vlans):
        others = (*asked.switch.vlans[:at], *asked.switch.vlans[at + 1 :])
        vlans = (replace(vlan, ip_mtu_bytes=1501), *others)
        other = replace(asked, switch=replace(asked.switch, vlans=vlans))
        found = proof(other, render(plan, device), None)
        assert any("1501" in one for one in found.wrong), (vlan.id, found.wrong)


def test_a_fact_that_is_there_twice_is_told():
    said = proof_and_facts(intent(small("eos"), LEAF), render(small("eos"), LEAF), None)[1]
    twice = replace(said, ports=(*said.ports, said.ports[0]))
    assert list(differences(twice, said))
