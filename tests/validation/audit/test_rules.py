"""Each rule finds what it is for, and nothing in configurations that are right."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from switch_configs import render
from switch_configs.readback.facts import SwitchFacts
from tests.switch_configs.sites import small
from tests.validation.audit.cabling.test_cables import OF_CABLES
from tests.validation.audit.hosts.test_rules import OF_HOSTS
from tests.validation.audit.spoilt import (
    BUSINESS,
    LEAF,
    SPINE,
    SPOILT,
    SPOILT_SWITCHES,
    boxes,
    sessions,
    texts,
)
from tests.validation.audit.test_path_rules import OF_PATHS
from validation.audit.audit import Audit, audit, problems
from validation.audit.box import Box
from validation.audit.network import network
from validation.audit.rules import rules

# No system of the other site says it.
OF_LAB = {"lldp-hold"}


def told(changed: Mapping[str, Box]) -> dict[str, set[str]]:
    """Subjects by rule, of all boxes with these in place of their like; each at true lines."""
    every = {**boxes(), **changed}.values()
    found = problems(network(every))
    lines = {path: text.count("\n") + 1 for box in every for path, text in box.texts.items()}
    for one in found:
        spots = [spot.rpartition(":") for spot in one.lines]
        assert one.place == one.lines[0]
        assert all(0 < int(number) <= lines[file] for file, _, number in spots)
    return {p.rule: {q.subject for q in found if q.rule == p.rule} for p in found}


@pytest.mark.parametrize("site", ["lab", "pod-256"])
def test_what_is_right_has_no_problem_and_all_is_known(site):
    found = audit(texts(site))
    assert (found.problems, found.inconclusive, found.exit_code) == ((), (), 0)
    assert len(found.network.boxes) == len(texts(site))
    assert len(found.network.links) >= len(texts(site))


def test_every_rule_is_tried():
    """Each is spoilt and told in a test: here, of paths, of servers, or of lists of cables."""
    tried = (SPOILT, SPOILT_SWITCHES, OF_LAB, OF_PATHS, OF_HOSTS, OF_CABLES)
    assert len(rules()) >= 40
    assert sorted(one for some in tried for one in some) == [rule.id for rule in rules()]
    assert all(rule.__doc__ and rule.why for rule in rules())


@pytest.mark.parametrize("rule", SPOILT_SWITCHES)
def test_a_rule_finds_a_switch_that_is_spoilt(rule):
    spoilt = SPOILT_SWITCHES[rule]()
    found = told(spoilt)
    assert rule in found
    names = {*spoilt, LEAF, "business-leaf-b1-1", "business-leaf-b1-2", "spine1"}
    assert any(name in subject for name in names for subject in found[rule])


def test_a_long_hold_time_of_lldp_is_found():
    name = "leaf-p1-r0"
    files = {
        path: text.replace("tx-hold 4", "tx-hold 400") for path, text in texts("lab")[name].items()
    }
    assert files != texts("lab")[name]
    found = audit({**texts("lab"), name: files})
    assert [one.rule for one in found.problems if one.rule in OF_LAB] == [*OF_LAB]


@pytest.mark.parametrize("rule", SPOILT)
def test_a_rule_finds_what_it_is_for(rule):
    good = boxes()[SPINE]
    found = told({SPINE: replace(good, facts=SPOILT[rule](good.facts))})
    assert rule in found
    assert any(SPINE in one or "leaf" in one for one in found[rule])


TYPED = {
    "eos": ("storage-leaf-b1-1", "mtu 9214", "mtu 1500", "mtu-ends"),
    "sonic": ("spine2", '"26": "3"', '"26": "0"', "pfc-without-class"),
}


@pytest.mark.parametrize("system", TYPED)
def test_a_word_in_a_text_is_found_with_its_place(system):
    name, old, new, rule = TYPED[system]
    spoilt = {path: text.replace(old, new) for path, text in texts("pod-256")[name].items()}
    assert spoilt != texts("pod-256")[name]
    found = audit({**texts("pod-256"), name: spoilt})
    mine = [one for one in found.problems if one.rule == rule]
    assert mine
    assert found.exit_code == 1
    assert all(one.place.partition(":")[0] for one in mine)


def test_two_texts_of_one_switch_are_no_pass():
    one = texts("pod-256")[LEAF]
    found = audit({"monday": one, "tuesday": one})
    assert (len(found.network.boxes), found.exit_code) == (1, 3)
    assert "same hostname" in found.inconclusive[0]


def test_each_port_is_in_one_link():
    ends = [str(end) for link in network(boxes().values()).links for end in (link.a, link.b)]
    assert len(ends) == len(set(ends))


def test_a_cut_text_is_no_traceback_and_a_foreign_one_no_pass():
    """What a text cut off in its last lines lacks, no reader can know."""
    draw = random.Random(1)
    whole = texts("pod-256")
    for name in (SPINE, LEAF, "storage-leaf-b1-1", "business-leaf-b1-1"):
        for path, text in whole[name].items():
            for _ in range(12):
                at = draw.randrange(len(text))
                found = audit({name: {**whole[name], path: text[:at]}})
                assert isinstance(found, Audit)
    for text in ("", "hello\n" * 100, "{", "[]", '{"PORT": 3}', "\u202e" * 9, "-" * 10_000):
        assert audit({"x": {"x": text}}).exit_code == 3
    assert audit({}).exit_code == 3


def test_lines_on_the_lossless_class_that_nobody_reads_are_no_pass():
    name = "storage-leaf-b1-1"
    ((path, text),) = texts("pod-256")[name].items()
    found = audit({name: {path: text.replace("\nend", "\nqos unheard-of words\nend", 1)}})
    assert found.exit_code == 3
    assert any("QoS" in why for why in found.inconclusive)


def test_an_as_that_a_box_shows_to_one_neighbour_alone_is_not_judged():
    """As `neighbor ... local-as` in the twodc-5stage-clos goldens of aristanetworks/avd."""
    good = boxes()[SPINE]
    spoilt = replace(boxes()[LEAF], facts=sessions(boxes()[LEAF].facts, peer_asn=1))
    assert f"{LEAF}:swp19" in told({LEAF: spoilt})["asn-ends"]
    shows = replace(good, texts={"x": "neighbor 192.0.2.1 local-as 65120 no-prepend replace-as"})
    assert f"{LEAF}:swp19" not in told({LEAF: spoilt, SPINE: shows})["asn-ends"]


def test_a_leaf_that_asks_for_the_other_where_it_is_not_is_told():
    good = boxes()["business-leaf-b1-1"]
    pair = good.facts.pair
    assert pair
    elsewhere = replace(pair, peer_management="192.0.2.9")
    spoilt = replace(good, facts=replace(good.facts, pair=elsewhere))
    assert told({good.name: spoilt})["pair-domain"] == {good.name}
    none = replace(good, facts=replace(good.facts, pair=replace(pair, domain=None)))
    assert "pair-domain" in told({good.name: none})


def test_one_of_two_bonds_with_another_mtu_is_told():
    good = boxes()["business-leaf-b1-1"]
    number = good.facts.bonds[0].number
    ports = tuple(
        replace(port, ip_mtu_bytes=1400) if port.bond == number else port
        for port in good.facts.ports
    )
    spoilt = replace(good, facts=replace(good.facts, ports=ports))
    assert any(good.name in one for one in told({good.name: spoilt})["odd-switch"])
    bonds = (replace(good.facts.bonds[0], ports=("nowhere",)), *good.facts.bonds[1:])
    told({good.name: replace(good, facts=replace(good.facts, bonds=bonds))})


def exchanged(facts):
    """A leaf whose first two bonds have one port of each other."""
    one, other, *rest = facts.bonds
    a, b = one.ports[0], other.ports[0]
    names = {port.name: port.description for port in facts.ports}
    ports = (
        replace(port, description={a: names[b], b: names[a]}.get(port.name, port.description))
        for port in facts.ports
    )
    more = replace(one, ports=(*one.ports, b)), replace(other, ports=(*other.ports, a))
    return replace(facts, ports=tuple(ports), bonds=(*more, *rest))


def ungated(facts):
    """A leaf that answers for no gateway of its first routed VLAN."""
    first = next(one for one in facts.vlans if one.gateway)
    return replace(
        facts, vlans=tuple(replace(one, gateway=None) if one == first else one
                           for one in facts.vlans)
    )  # fmt: skip


@pytest.mark.parametrize("change", [exchanged, ungated])
def test_of_a_pair_of_leaves(change):
    rule = {exchanged: "bond-split", ungated: "odd-switch"}[change]
    good = boxes()[BUSINESS]
    assert BUSINESS in "".join(told({BUSINESS: replace(good, facts=change(good.facts))})[rule])


def test_a_session_to_one_tier_by_the_policy_of_another_is_found():
    plan = small("nxos")
    made = {
        name: {file.path: file.text for file in render(plan, name).files}
        for name in plan.switch if plan.switch[name].plane == "compute"
    }  # fmt: skip
    made["spine-p1-1"] = {
        path: text.replace("inherit peer up", "inherit peer down", 1)
        for path, text in made["spine-p1-1"].items()
    }
    found = [one for one in audit(made).problems if one.rule == "odd-session"]
    assert {one.found for one in found} >= {"policy in is down-in, of the other sessions up-in"}


def test_a_session_that_alone_lacks_ipv4_is_odd_and_one_of_an_overlay_is_not():
    good = boxes()[SPINE].facts
    one, *others = good.sessions
    lost = replace(good, sessions=(replace(one, carries_ipv4=False), *others))
    far = replace(one, key="10.255.9.9", carries_ipv4=False)
    both = replace(good, sessions=(*good.sessions, far, replace(far, key="10.255.9.10")))
    none = sessions(good, carries_ipv4=False)

    def said(facts: SwitchFacts) -> set[str]:
        every = {**boxes(), SPINE: replace(boxes()[SPINE], facts=facts)}.values()
        asked = ("odd-session", "odd-switch")
        return {p.found for p in problems(network(every)) if p.rule in asked and "ipv4" in p.found}

    assert "carries ipv4 is False, of the other sessions True" in said(lost)
    assert said(both) == set()
    assert any("carries ipv4 of sessions by" in one for one in said(none))
