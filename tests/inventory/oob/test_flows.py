"""Who reaches whom: the closure, the policy, and an oracle of both written by another way."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.oob.flow_site import FlowSite, Wrong
from inventory.oob.flows import (
    GUARDS,
    HOSTS,
    PLANES,
    SERVICES,
    WORDS,
    ZONES,
    default_flows,
    neighbours,
    ways,
)
from inventory.plan import Flow
from inventory.rules.access.flows import SITE_RULES
from inventory.rules.access.reach import MAY_REACH, REACH_RULES
from inventory.schema import BoundaryFile
from tests.inventory.oob.test_boundary import SECTION
from tests.plugins.tiers import examples

GROUPS = {"login": "business", "vault": "storage"}
EVERYTHING = frozenset({*PLANES, *ZONES})


def reaches(some: Iterable[Flow], source: str, guards: frozenset[str] = GUARDS) -> frozenset[str]:
    return frozenset(ways(some, source, guards))


def flow(text: str) -> Flow:
    """`a > b ssh` as a flow; a service that nobody knows gets a port of its own."""
    source, _, target, service = text.split()
    protocol, port = SERVICES.get(service, (("tcp", 7777),))[0]
    return Flow(source, target, protocol, port, service, "for the test")


def flows(*texts: str) -> list[Flow]:
    return [flow(one) for one in texts]


def entry(one: Flow) -> dict[str, object]:
    """A flow as fabric.yml says it."""
    out: dict[str, object] = {"from": one.source, "to": one.target, "why": one.why}
    own = {} if one.service in SERVICES else {"protocol": one.protocol, "port": one.port}
    return {**out, "service": one.service, **own}


def site(*some: Flow, **changes: object) -> FlowSite:
    section = {**SECTION, **changes, "flows": [entry(one) for one in some]}
    boundary = BoundaryFile.model_validate(section)
    route = boundary.firewall.inside.virtual
    return FlowSite(boundary=boundary, present=EVERYTHING, groups=GROUPS, default_route=route)


def said(of: FlowSite) -> list[Wrong]:
    return [one for rule in SITE_RULES for one in rule(of)]


def found(*texts: str) -> list[str]:
    """What the rules of reach find wrong with these flows: the chains."""
    return [one.found for rule in REACH_RULES for one in rule(site(*flows(*texts)))]


def test_a_login_goes_on_and_a_page_does_not():
    assert reaches(flows("a > b ssh", "b > c https", "c > d ssh"), "a") == {"b", "c"}
    assert reaches(flows("a > b any", "b > c wireguard", "c > d dns"), "a") == {"b", "c", "d"}
    assert reaches(flows("a > b dns", "b > c ssh"), "a") == {"b"}


def test_an_unknown_service_is_taken_for_a_login():
    assert reaches(flows("a > b own", "b > c dns"), "a") == {"b", "c"}


def test_flows_have_a_direction_and_rings_end():
    assert reaches(flows("a > b ssh"), "b") == frozenset()
    assert reaches(flows("a > b ssh", "b > c ssh", "c > a ssh"), "b") == {"a", "c"}


def test_a_guard_is_reached_and_not_passed():
    some = flows("outside > jump_host ssh", "jump_host > hostmgmt ssh")
    assert reaches(some, "outside") == {"jump_host"}
    assert reaches(some, "jump_host") == {"hostmgmt"}
    assert reaches(some, "outside", guards=frozenset()) == {"jump_host", "hostmgmt"}


def test_a_page_first_and_a_login_later_still_goes_on():
    """The first flow found must not hide the one that goes on."""
    assert reaches(flows("a > b https", "a > c ssh", "c > b ssh", "b > d dns"), "a") == {
        "b",
        "c",
        "d",
    }


def test_ways_are_the_shortest():
    some = flows("a > b ssh", "b > c ssh", "c > d dns", "b > d dns")
    assert [one.target for one in ways(some, "a")["d"]] == ["b", "d"]


def test_hosts_of_one_network_need_no_flow():
    assert reaches(neighbours(GROUPS), "dmz") == {"jump_host"}
    assert reaches([*neighbours(GROUPS), flow("login > dmz https")], "business") == {"login", "dmz"}


def test_what_every_site_has_is_allowed():
    assert not said(site())
    assert not said(site(nat={"planes": ["business"], "addresses": ["203.0.113.9"]}))


def test_what_every_site_has_needs_both_ends():
    lab = default_flows({"hostmgmt", "netmgmt", "oob_server"}, 8080)
    assert {one.source for one in lab} == {"hostmgmt", "netmgmt", "oob_server"}
    assert Flow("hostmgmt", "oob_server", "tcp", 8080, "packages", lab[0].why) not in lab
    packages = [one for one in lab if one.service == "packages"]
    assert [(one.source, one.target, one.port) for one in packages] == [
        ("hostmgmt", "oob_server", 8080)
    ]
    assert not default_flows({"bmc", "hostmgmt"}, 8080)
    assert all(one.why for one in lab)


def test_business_leaves_by_nat_alone():
    assert not [one for one in default_flows(WORDS, 8080) if one.target == "outside"]
    out = [one for one in default_flows(WORDS, 8080, nat=True) if one.target == "outside"]
    assert [(one.source, one.service) for one in out] == [("business", "https")]


def test_no_operating_system_of_a_node_reaches_a_bmc():
    some = default_flows(WORDS, 8080, nat=True)
    for source in ("hostmgmt", "compute", "storage", "business", "outside", "dmz"):
        assert "bmc" not in reaches([*some, *neighbours({})], source)


@pytest.mark.parametrize(
    ("texts", "chain"),
    [
        (["compute > outside https"], "compute -> outside (https tcp/443)"),
        (["storage > business dns"], "storage -> business (dns tcp/53)"),
        (["bmc > power snmp"], "bmc -> power (snmp udp/161)"),
        (["hostmgmt > bmc https"], "hostmgmt -> bmc (https tcp/443)"),
        (["jump_host > controller ssh"], "jump_host -> controller (ssh tcp/22)"),
        (["outside > hostmgmt ssh"], "outside -> hostmgmt (ssh tcp/22)"),
        (["vault > outside https"], "storage -> vault (any) -> outside (https tcp/443)"),
        (
            ["outside > login ssh", "business > storage nfs"],
            "outside -> login (ssh tcp/22) -> business (any) -> storage (nfs tcp/2049)",
        ),
        (
            ["hostmgmt > collectors own"],
            "hostmgmt -> collectors (own tcp/7777) -> bmc (https tcp/443)",
        ),
        (
            ["dmz > business proxy", "login > vault nfs"],
            "dmz -> business (proxy tcp/3128) -> login (any) -> vault (nfs tcp/2049)",
        ),
    ],
)
def test_a_forbidden_way_is_shown_from_end_to_end(texts, chain):
    assert chain in [one.partition(", ")[0] for one in found(*texts)]


@pytest.mark.parametrize(
    "texts",
    [
        ["outside > jump_host ssh", "outside > jump_host wireguard", "jump_host > outside https"],
        ["outside > login ssh", "login > outside https", "dmz > business https"],
        ["hostmgmt > collectors otlp", "netmgmt > collectors syslog"],
        ["business > storage nfs", "compute > storage own", "outside > dmz https"],
        ["controller > bmc https", "controller > vault ssh"],
    ],
)
def test_what_a_site_may_ask_for(texts):
    assert not found(*texts)


def test_every_wrong_is_told_at_its_entry():
    wrong = said(site(*flows("login > outside dns", "dmz > bmc ssh", "outside > compute dns")))
    assert {one.path for one in wrong} == {("boundary", "flows", 1), ("boundary", "flows", 2)}


@pytest.mark.parametrize("word", ["a\nb", "\u202e", "x" * 200, "", "compute ", "Outside"])
def test_strange_words_are_told_in_one_line(word):
    made = site()
    one = {"from": word, "to": word, "service": "any", "why": "a word"}
    try:
        section = BoundaryFile.model_validate({**SECTION, "flows": [one]})
    except ValueError:
        return
    wrong = said(replace(made, boundary=section))
    assert {one.path[:3] for one in wrong} == {("boundary", "flows", 0)}
    assert all(len(one.found.splitlines()) == 1 and len(one.found) < 80 for one in wrong)


def repeated(*some: Flow) -> set[object]:
    return {one.path[-1] for one in said(site(*some)) if "nothing else" in one.expected}


def test_a_flow_is_repeated_when_all_of_it_is():
    half = Flow("dmz", "outside", "tcp", 53, "zone-transfer", "half of dns")
    other = Flow("dmz", "outside", "udp", 53, "resolve", "the other half")
    names = flow("dmz > outside dns")
    assert not repeated(half, other)
    assert repeated(half, names) == {0}
    assert repeated(names, half) == {1}
    assert repeated(half, other, names) == {2}
    assert repeated(names, names, names) == {1, 2}


def test_the_policy_knows_every_word():
    assert set(MAY_REACH) == set(WORDS) == {*PLANES, *ZONES, *HOSTS}
    assert all(targets <= set(WORDS) for targets in MAY_REACH.values())


# The oracle: the same promise, written again without a line of what is tested.
ENDS = {
    "bgp", "dcgm-exporter", "dhcp", "dns", "gnmi", "http", "https", "ipmi", "ldaps", "nfs",
    "node-exporter", "ntp", "otlp", "packages", "snmp", "syslog", "syslog-tls", "tftp",
}  # fmt: skip
OOB_ZONES = {"bmc", "collectors", "hostmgmt", "netmgmt", "power"}
FORBIDDEN = {
    *product(("compute", "storage"), OOB_ZONES | {"business", "dmz", "outside", "jump_host"}),
    *product(("compute", "storage"), ("controller", "oob_server")),
    *product(OOB_ZONES | {"oob_server"}, ("compute", "storage", "business")),
    *product(OOB_ZONES | {"oob_server"}, ("dmz", "outside", "jump_host", "controller")),
    *product(("hostmgmt", "netmgmt"), OOB_ZONES - {"collectors"}),
    *product(("bmc", "power"), OOB_ZONES),
    *product(("outside", "dmz", "business"), OOB_ZONES | {"oob_server", "controller", "compute"}),
    *product(("outside", "dmz"), ("storage",)),
    ("jump_host", "controller"),
}


def oracle_forbids(some: list[Flow]) -> bool:
    """Walk every chain without repeats, from every place: is a forbidden pair on one?"""
    edges = [(one.source, one.target, one.service not in ENDS) for one in some]
    for inside, outside in (("jump_host", "dmz"), ("login", "business"), ("vault", "storage")):
        edges += [(inside, outside, True), (outside, inside, True)]
    for service in default_flows({*EVERYTHING, *HOSTS}, 8080):
        edges.append((service.source, service.target, service.service not in ENDS))
    after: dict[str, set[tuple[str, bool]]] = {}
    for source, target, more in edges:
        after.setdefault(source, set()).add((target, more))

    def walk(start: str, here: str, been: frozenset[str]) -> bool:
        for target, more in after.get(here, ()):
            if target == start:
                continue
            if (GROUPS.get(start, start), GROUPS.get(target, target)) in FORBIDDEN:
                return True
            going = more and target != "jump_host" and target not in been
            if going and walk(start, target, been | {target}):
                return True
        return False

    return any(walk(one, one, frozenset({one})) for one in (*EVERYTHING, *HOSTS, *GROUPS))


def accepted(some: list[Flow]) -> bool:
    return not [one for rule in REACH_RULES for one in rule(site(*some))]


PLACES = sorted({*EVERYTHING, *HOSTS, *GROUPS})
# The services that go on are few, so they are drawn more often.
NAMES = [*sorted(SERVICES), *["any", "ssh", "proxy", "own", "own-too"] * 4]
# Pairs that no rule minds alone: what is wrong with them is wrong together.
FINE = [
    (one, other)
    for one, other in product(PLACES, PLACES)
    if (GROUPS.get(one, one), GROUPS.get(other, other)) not in FORBIDDEN
]
ENDPOINTS = st.tuples(st.sampled_from(PLACES), st.sampled_from(PLACES))
RANDOM_FLOWS = st.lists(
    st.builds(
        lambda ends, service: flow(f"{ends[0]} > {ends[1]} {service}"),
        st.one_of(*[st.sampled_from(FINE)] * 4, ENDPOINTS),
        st.sampled_from(NAMES),
    ),
    max_size=6,
)


@settings(max_examples=examples(100, full=500), deadline=None)
@given(RANDOM_FLOWS)
def test_the_rules_agree_with_the_oracle(some):
    assert accepted(some) == (not oracle_forbids(some))


def test_both_answers_happen_and_chains_matter():
    """Random flows that are always refused, or for one flow alone, would show nothing."""
    chance, answers, chained = random.Random(4), set(), 0
    for _ in range(400):
        drawn = [(chance.choice(FINE), chance.choice(NAMES)) for _ in range(4)]
        some = [flow(f"{one} > {other} {name}") for (one, other), name in drawn]
        answers.add(accepted(some))
        alone = any(oracle_forbids([one]) for one in some)
        chained += not alone and oracle_forbids(some)
    assert answers == {True, False}
    assert chained >= 5
