"""Usual things of other people's fabrics: pairs, overlays, underscores, wide networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import process_time

from switch_configs.readback.facts import (
    BondFacts,
    Hazard,
    PairFacts,
    PortFacts,
    ServiceFacts,
    SessionFacts,
    VlanFacts,
    hazards_of,
)
from validation.audit.audit import audit, problems
from validation.audit.box import Box
from validation.audit.known import unseen_trunks
from validation.audit.lost import lost
from validation.audit.network import network
from validation.audit.rule import Problem

from .spoilt import LEAF, boxes


def made(name: str, **said: object) -> Box:
    """A switch of which only this is said."""
    nothing = "ports sessions vlans policies tables originates discards hazards bonds unread"
    bare: dict[str, object] = {"hostname": name, "pair": None, "asn": 65000, "router_id": None}
    facts = replace(boxes()[LEAF].facts, **dict.fromkeys(nothing.split(), ()) | bare | said)  # type: ignore[arg-type]
    return Box(name, "eos", facts, {f"{name}.cfg": f"hostname {name}\n"})


def told(*some: Box) -> list[Problem]:
    return list(problems(network(some)))


def by(rule: str, found: list[Problem]) -> list[str]:
    return [f"{one.subject}: {one.found}" for one in found if one.rule == rule]


def session(key: str, asn: object, **said: object) -> SessionFacts:
    said |= {"key": key, "peer_asn": asn, "policy_in": None, "policy_out": None}
    return replace(boxes()[LEAF].facts.sessions[0], **said)  # type: ignore[arg-type]


def ends(facts: Mapping[str, str]) -> list[str]:
    some = [
        made(name, ports=(PortFacts("Ethernet1", 1500, (), says),)) for name, says in facts.items()
    ]
    return [f"{one.a} {one.b}" for one in network(some).links]


def test_underscores_part_the_words_of_a_description():
    """As in the goldens of aristanetworks/avd; a name with an underscore is a whole word too."""
    said = {"leaf1": "P2P_spine1_Ethernet1", "spine1": "P2P_leaf1_Ethernet1"}
    assert ends(said) == ["leaf1:Ethernet1 spine1:Ethernet1"]
    assert ends({"leaf_1": "to spine_1 Ethernet1", "spine_1": ""}) == [
        "leaf_1:Ethernet1 spine_1:Ethernet1"
    ]
    assert ends({"leaf1": "SERVER_spine1-server_Ethernet1", "spine1": ""}) == []


def test_a_session_over_a_vlan_that_is_there_is_no_lost_line():
    over = session("Vlan4093", "internal")
    port = PortFacts("Ethernet1", 1500, (), "")
    has = made("leaf1", ports=(port,), sessions=(over,), vlans=(VlanFacts(4093, "peer"),))
    lacks = made("leaf2", ports=(port,), sessions=(over,))
    assert [one.source for one in lost(network([has, lacks]))] == ["leaf2.cfg"]


def test_a_wide_network_is_asked_in_no_time():
    wide = PortFacts("Ethernet2", 1500, ("10.0.0.1/8",), "leaf2 Ethernet9")
    spoken = made("leaf1", ports=(wide,), originates=("192.0.2.0/24",),
                  sessions=(session("10.9.9.9", 1),))  # fmt: skip
    other = made("leaf2", ports=(PortFacts("Ethernet1", 1500, (), ""),))
    began = process_time()
    assert by("hosts-unannounced", told(spoken, other)) == []
    assert list(lost(network([spoken, other])))
    alone = made("leaf1", ports=(wide,), originates=("192.0.2.0/24",))
    assert by("hosts-unannounced", told(alone)) == [
        "leaf1:Ethernet2: 10.0.0.0/8 is in nothing that the box originates"
    ]
    assert process_time() - began < 5


def test_what_a_lone_frr_conf_announces_may_be_an_address_of_another_file():
    """Linux has addresses in /etc/network/interfaces, or no file at all."""
    text = (
        "frr version 9.1\nfrr defaults datacenter\nhostname leaf1\n!\n"
        "router bgp 65000\n bgp router-id 192.0.2.9\n neighbor swp1 interface remote-as external\n"
        " address-family ipv4 unicast\n  network 192.0.2.9/32\n exit-address-family\nexit\n!\nend\n"
    )
    lone = audit({"leaf1": {"frr.conf": text}})
    assert by("announced-without-route", list(lone.problems)) == []
    assert lone.inconclusive == (
        "frr.conf: it says of no port: is it cut, or are the files of its ports not here?",
    )
    loopback = PortFacts("lo", None, ("192.0.2.8/32",), "")
    wrong = made("leaf1", ports=(loopback,), originates=("192.0.2.9/32",))
    assert by("announced-without-route", told(wrong)) != []


def hazards(sessions: tuple[SessionFacts, ...], *said: Hazard) -> list[str]:
    return by("hazard", told(made("leaf1", sessions=sessions, hazards=said, asn=65001)))


def test_a_session_without_policy_is_told_once_and_inside_an_as_only_where_others_have_one():
    words = "session 192.0.2.1 has no policy in: everything passes"
    said = Hazard(words, "no-policy-in", "192.0.2.1")
    assert hazards((session("192.0.2.1", 65002),), said) == []
    inside = session("192.0.2.1", 65001)
    assert hazards((inside,), said) == []
    odd = replace(session("192.0.2.3", "internal"), policy_in="IN")
    assert hazards((inside, odd), said) == [f"leaf1:192.0.2.1: {said}"]
    unset = Hazard("session 192.0.2.1 has no policy in: nothing passes (RFC 8212)")
    assert hazards((inside,), unset) == [f"leaf1:192.0.2.1: {unset}"]


def test_what_works_otherwise_is_told_of_what_it_names():
    port = PortFacts("Ethernet1", 1500, (), "")
    one = replace(
        made("leaf1", ports=(port,), hazards=hazards_of(
            ("the uplink Ethernet1 is not tracked", "Port-Channel5 stays up", "logins are accepted")
        )),
        texts={"leaf1.cfg": "hostname leaf1\ninterface Port-Channel5\ninterface Ethernet1\n"},
    )  # fmt: skip
    found = [problem for problem in told(one) if problem.rule == "hazard"]
    assert [(problem.subject, problem.place) for problem in found] == [
        ("leaf1", "leaf1.cfg:1"),
        ("leaf1:Ethernet1", "leaf1.cfg:3"),
        ("leaf1:Port-Channel5", "leaf1.cfg:2"),
    ]


def pair(first: int, vlans: tuple[int, int]) -> list[Box]:
    """Leaves N and N + 1 with a bond to hosts each."""
    found = []
    for at, other, vlan in ((first, first + 1, vlans[0]), (first + 1, first, vlans[1])):
        ports = (
            PortFacts("Ethernet1", 1500, (), f"leaf{other} Ethernet1"),
            PortFacts("Ethernet2", 1500, (), "hosts", vlans=(vlan,), bond=1),
            PortFacts("Ethernet3", 1500, (), f"spine Ethernet{at}"),
        )
        bonds, peers = (BondFacts(1, ("Ethernet2",), True),), PairFacts(1, ("Ethernet1",), None)
        found.append(made(f"leaf{at}", ports=ports, bonds=bonds, pair=peers))
    return found


def saying(boxes: list[Box], at: int, hazard: Hazard) -> list[Box]:
    """The boxes, where one says a hazard too."""
    facts = replace(boxes[at].facts, hazards=(*boxes[at].facts.hazards, hazard))
    return [*boxes[:at], replace(boxes[at], facts=facts), *boxes[at + 1 :]]


def test_a_number_is_meant_where_both_leaves_of_the_pair_say_it():
    """That a leaf of another pair says it too is no reason."""
    odd = Hazard("Vlan10: HSRP group 7: the other leaf may count otherwise", "of-pair")
    two = [*pair(1, (10, 10)), *pair(3, (10, 10))]
    across = saying(saying(two, 0, odd), 2, odd)
    assert by("hazard", told(*across)) == [f"leaf1: {odd}", f"leaf3: {odd}"]
    assert by("hazard", told(*saying(saying(two, 0, odd), 1, odd))) == []
    assert by("hazard", told(*saying([made("leaf9")], 0, odd))) == []


def test_a_pair_is_known_by_management_where_no_cable_says_it():
    odd = Hazard("Vlan10: HSRP group 7: the other leaf may count otherwise", "of-pair")
    leaves = [
        made(f"leaf{at}", hazards=(odd,), pair=PairFacts(1, (), f"192.0.2.{other}"),
             services=ServiceFacts(management_address=f"192.0.2.{at}/24"))
        for at, other in ((1, 2), (2, 1), (3, 4))
    ]  # fmt: skip
    assert by("hazard", told(*leaves)) == [f"leaf3: {odd}"]


def test_a_trunk_that_skips_spanning_tree_is_not_judged_where_nobody_says_what_it_leads_to():
    words = "port Ethernet1 is a trunk to a switch, and skips spanning tree"
    odd = Hazard(words, "trunk-to-switch", "Ethernet1")
    trunk = PortFacts("Ethernet1", None, (), "leaf2 Ethernet1", vlans=(10, 20), trunk=True)
    back = replace(trunk, description="leaf1 Ethernet1")
    one = made("leaf1", ports=(trunk,), hazards=(odd,))
    doubt = "no text says if trunks that skip spanning tree lead to hosts: Ethernet1"
    for far, is_told, is_doubt in (
        ([], False, True),
        ([made("leaf2", ports=(back,))], True, False),
        ([made("leaf2", ports=(replace(back, vlans=(), trunk=False),))], False, False),
    ):
        assert bool(by("hazard", told(one, *far))) == is_told, far
        seen = network((one, *far))
        assert [each.why for each in unseen_trunks(seen)] == [doubt] * is_doubt, far
        assert not [each.why for each in lost(seen) if "spanning" in each.why]


def test_bonds_are_those_of_one_pair():
    ports = tuple(PortFacts(f"Ethernet{at}", 1500, (), "") for at in range(1, 7))
    spine = made("spine", ports=ports)
    leaves = [*pair(1, (10, 10)), *pair(3, (10, 10)), *pair(5, (30, 30))]
    assert by("odd-switch", told(spine, *leaves)) == []
    odd = told(spine, *leaves[:4], *pair(5, (30, 20)))
    assert by("odd-switch", odd) == [
        "leaf6:Ethernet2: VLANs of bond 1 is not as on leaf5: 20, not 30"
    ]


def test_a_bond_has_its_untagged_vlan_on_both_leaves():
    one, other = pair(1, (10, 10))
    ports = tuple(replace(port, trunk=bool(port.vlans)) for port in other.facts.ports)
    odd = replace(other, facts=replace(other.facts, ports=ports))
    spine = made("spine", ports=tuple(PortFacts(f"Ethernet{at}", 1500, (), "") for at in (1, 2)))
    assert by("odd-switch", told(spine, one, odd)) == [
        "leaf2:Ethernet2: VLANs of bond 1 is not as on leaf1: 10, all tagged, not 10"
    ]


def test_an_address_of_two_switches_is_told_by_one_rule():
    def one(name: str, other: str) -> Box:
        port = PortFacts("Ethernet2", 1500, ("192.0.2.1/24",), "")
        return made(name, ports=(PortFacts("Ethernet1", 1500, (), f"{other} Ethernet1"), port))

    found = told(one("leaf1", "leaf2"), one("leaf2", "leaf1"))
    assert by("address-clash", found) == []
    assert by("address-twice", found) == ["leaf2:Ethernet2: 192.0.2.1 is on leaf1:Ethernet2 too"]


def test_sessions_without_policies_are_of_all_kinds_and_not_compared():
    def one(name: str, hold: int) -> Box:
        port = PortFacts("Ethernet1", 1500, (), "spine Ethernet1" if name == "leaf1" else "")
        return made(name, ports=(port,), sessions=(session("192.0.2.1", 1, hold_s=hold),))

    assert by("odd-switch", told(one("leaf1", 9), one("spine", 180))) == []


def test_leaves_of_a_pair_share_a_gateway_and_no_address():
    def one(name: str, other: str, address: str) -> Box:
        vlan = VlanFacts(7, "", gateway="192.0.2.1", address=f"{address}/24")
        port = PortFacts("Ethernet1", 1500, (), f"{other} Ethernet1")
        return made(name, ports=(port,), vlans=(vlan,))

    def clashes(first: str, second: str) -> list[str]:
        return by(
            "address-clash", told(one("leaf1", "leaf2", first), one("leaf2", "leaf1", second))
        )

    assert clashes("192.0.2.1", "192.0.2.1") == clashes("192.0.2.2", "192.0.2.3") == []
    assert clashes("192.0.2.2", "192.0.2.2") == ["leaf2: 192.0.2.2 in VLAN 7 is of leaf1 too"]
