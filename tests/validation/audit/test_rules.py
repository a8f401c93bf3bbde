"""Each rule finds what it is for, and nothing in configurations that are right."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from inventory import open_site
from switch_configs import render
from switch_configs.readback.facts import EcnFacts, PortFacts, SwitchFacts
from validation.audit.audit import Audit, audit, problems
from validation.audit.box import Box, NotRead, box
from validation.audit.network import network
from validation.audit.rules import rules

SPINE, LEAF = "spine2", "leaf-p1-r0"


@cache
def texts(site: str) -> Mapping[str, Mapping[str, str]]:
    """What `render` writes, by switch and path."""
    plan = open_site(site)
    return {
        name: {file.path: file.text for file in render(plan, name).files} for name in plan.switch
    }


@cache
def boxes() -> Mapping[str, Box]:
    found = {name: box(name, files) for name, files in texts("pod-256").items()}
    assert not [one for one in found.values() if isinstance(one, NotRead)]
    return {name: one for name, one in found.items() if isinstance(one, Box)}


def told(changed: Mapping[str, Box]) -> dict[str, set[str]]:
    """Subjects by rule, of all boxes with these in place of their like."""
    every = {**boxes(), **changed}.values()
    found = problems(network(every))
    return {p.rule: {q.subject for q in found if q.rule == p.rule} for p in found}


@pytest.mark.parametrize("site", ["lab", "pod-256"])
def test_what_is_right_has_no_problem_and_all_is_known(site):
    found = audit(texts(site))
    assert (found.problems, found.inconclusive, found.exit_code) == ((), (), 0)
    assert len(found.network.boxes) == len(texts(site))
    assert len(found.network.links) >= len(texts(site))


def qos(port: PortFacts, **changes: object) -> PortFacts:
    assert port.qos is not None
    return replace(port, qos=replace(port.qos, **changes))  # type: ignore[arg-type]


def classes(port: PortFacts, change: Callable[..., object]) -> PortFacts:
    assert port.qos is not None
    made = tuple(change(one) if one.pfc_priority is not None else one for one in port.qos.classes)
    return qos(port, classes=made)


def first_port(facts: SwitchFacts, change: Callable[[PortFacts], PortFacts]) -> SwitchFacts:
    """The facts with the first port that pauses changed."""
    at = next(n for n, port in enumerate(facts.ports) if port.qos and port.qos.pfc_priorities)
    ports = [*facts.ports]
    ports[at] = change(ports[at])
    return replace(facts, ports=tuple(ports))


def sessions(facts: SwitchFacts, **changes: object) -> SwitchFacts:
    made = tuple(replace(one, **changes) for one in facts.sessions)  # type: ignore[arg-type]
    return replace(facts, sessions=made)


def marked_elsewhere(port: PortFacts) -> PortFacts:
    assert port.qos is not None
    made = [
        replace(one, ecn=None if one.pfc_priority is not None else EcnFacts(1, 2, 5))
        for one in port.qos.classes
    ]
    return qos(port, classes=tuple(made))


def heavy(port: PortFacts) -> PortFacts:
    assert port.qos is not None
    made = [replace(one, weight_percent=90) for one in port.qos.classes if not one.strict]
    return qos(port, classes=tuple(made))


def impatient(port: PortFacts) -> PortFacts:
    dog = port.qos.watchdog if port.qos else None
    assert dog is not None
    return qos(port, watchdog=replace(dog, restore_ms=10, poll_ms=100))


Change = Callable[[SwitchFacts], SwitchFacts]
# What each rule is for, on one switch.
SPOILT: dict[str, Change] = {
    "pfc-without-class": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, dscps=()))
    ),
    "best-effort-lossless": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, dscps=(0, *c.dscps)))
    ),
    "many-lossless": lambda f: first_port(f, lambda p: qos(p, pfc_priorities=(3, 4, 5))),
    "lossless-strict": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, strict=True, weight_percent=None))
    ),
    "weights": lambda f: first_port(f, heavy),
    "ports-differ": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, dscps=(24,)))
    ),
    "lossless-without-ecn": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, ecn=None))
    ),
    "ecn-order": lambda f: first_port(
        f, lambda p: classes(p, lambda c: replace(c, ecn=EcnFacts(9, 9, 5)))
    ),
    "ecn-beside": lambda f: first_port(f, marked_elsewhere),
    "no-watchdog": lambda f: first_port(f, lambda p: qos(p, watchdog=None)),
    "watchdog-times": lambda f: first_port(f, impatient),
    "broken-chain": lambda f: replace(f, hazards=("port x: no map of DSCPs",)),
    "hazard": lambda f: replace(f, hazards=("policy X is used and not defined",)),
    "bgp-without-policy": lambda f: replace(
        sessions(f, policy_in=None), ebgp_requires_policy=False
    ),
    "no-maximum-prefix": lambda f: sessions(f, maximum_prefix=None),
    "slow-failure": lambda f: sessions(f, bfd=False, hold_s=180),
    "narrow-ecmp": lambda f: replace(sessions(f, peer_asn=65001), ecmp_width=1),
    "mtu-ends": lambda f: first_port(f, lambda p: replace(p, ip_mtu_bytes=1500)),
    "rate-ends": lambda f: first_port(f, lambda p: replace(p, rate_gbps=100)),
    "fec-ends": lambda f: first_port(f, lambda p: replace(p, fec="none")),
    "pfc-ends": lambda f: first_port(f, lambda p: qos(p, pfc_priorities=())),
    "dscp-ends": lambda f: first_port(f, lambda p: classes(p, lambda c: replace(c, dscps=(24,)))),
    "asn-ends": lambda f: sessions(f, peer_asn=1),
    "bfd-ends": lambda f: sessions(f, bfd=False),
    "hash-seed": lambda f: replace(f, hash_seed=boxes()[LEAF].facts.hash_seed),
}


def test_every_rule_is_tried():
    assert {rule.id for rule in rules()} == set(SPOILT) | {"cable-sheet"}  # cabling/test_cables
    assert all(rule.__doc__ and rule.why for rule in rules())


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
