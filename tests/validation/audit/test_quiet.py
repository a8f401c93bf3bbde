"""What other makers' designs say on purpose is not told."""

from __future__ import annotations

import pytest

from switch_configs import render
from tests.switch_configs.sites import small
from validation.audit.audit import Audit, audit

LEAF = """! device: leaf (DCS-7060X5-64S, EOS-4.34.1F)
hostname leaf
interface Loopback0
   ip address 10.0.0.1/32
interface Ethernet1
   no switchport
   ip address 10.1.0.1/31
router bgp 65001
   router-id 10.0.0.1
   no bgp default ipv4-unicast
   neighbor EVPN peer group
   neighbor EVPN update-source Loopback0
   neighbor EVPN maximum-routes 0
   neighbor 10.0.0.9 peer group EVPN
   neighbor 10.0.0.9 remote-as 65009
   address-family evpn
      neighbor EVPN activate
"""
TRUNK = "  switchport\n  switchport mode trunk\n"
TOR = """!Command: show running-config
version 10.3(4)
hostname tor
class-map type qos match-all RDMA
  {what}
policy-map type qos SORT
  class RDMA
    set qos-group 3
policy-map type network-qos PAUSE
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
system qos
  service-policy type network-qos PAUSE
interface Ethernet1/1
{port}  priority-flow-control mode on
  service-policy type qos input SORT
  no shutdown
"""


def of(name: str, text: str) -> Audit:
    return audit({name: {name: text}})


def rules(found: Audit) -> set[str]:
    return {one.rule for one in found.problems}


def test_sessions_of_an_overlay_are_asked_for_no_policy_of_ipv4():
    asked = {"bgp-without-policy", "no-maximum-prefix", "slow-failure"}
    quiet = of("leaf.cfg", LEAF)
    assert [one.carries_ipv4 for one in quiet.network.boxes[0].facts.sessions] == [False]
    assert not asked & rules(quiet)
    both = LEAF + "   address-family ipv4\n      neighbor EVPN activate\n"
    assert asked <= rules(of("leaf.cfg", both))


def tor(what: str, port: str = TRUNK) -> set[str]:
    return rules(of("tor.cfg", TOR.format(what=what, port=port)))


def test_a_class_by_the_tag_needs_no_dscp():
    assert "pfc-without-class" not in tor("match cos 3") | tor("match dscp 3")
    assert "pfc-without-class" in tor("match packet length 1-9")


ROUTED = "  no switchport\n"
SUBINTERFACE = "interface Ethernet1/1.10\n  encapsulation dot1q 10\n  no shutdown\n"


@pytest.mark.parametrize(
    ("port", "is_told"),
    [
        (TRUNK, False),
        ("  switchport\n", True),
        ("  switchport\n  switchport mode private-vlan trunk secondary\n", False),
        (ROUTED, True),
        ("  switchport\n  untagged cos 3\n", False),
        ("  switchport\n  untagged cos 4\n", True),
        (f"{ROUTED}{SUBINTERFACE}interface Ethernet1/1\n", False),
    ],
)
def test_a_class_by_the_tag_is_of_ports_with_tags(port, is_told):
    assert ("pfc-without-class" in tor("match cos 3", port)) == is_told


def test_notifications_are_looked_for_by_their_tag():
    assert "cnp-behind" in tor("match cos 3")
    assert "cnp-lossless" not in tor("match cos 3")
    assert {"cnp-behind", "cnp-lossless"} & tor("match cos 3,6") == {"cnp-lossless"}


BESIDE = """class-map type qos match-any MARKED
  match dscp 26
policy-map type qos BELIEVE
  class MARKED
    set qos-group 3
interface Ethernet1/2
  no switchport
  service-policy type qos input BELIEVE
interface Ethernet1/3
  no switchport
"""


@pytest.mark.parametrize(
    ("beside", "port", "stays"),
    [
        (BESIDE, TRUNK, "3"),
        (BESIDE, ROUTED, "13"),
        (BESIDE.replace("BELIEVE\ni", "SORT\ni"), TRUNK, ""),
    ],
)
def test_ports_that_believe_tags_are_no_reason_to_ask_nothing_of_others(beside, port, stays):
    text = TOR.format(what="match cos 3", port=port) + beside
    hazards = of("tor.cfg", text).network.boxes[0].facts.hazards
    told = {f"the DSCPs of port Ethernet1/{at} stay" for at in stays}
    assert {one.partition(",")[0] for one in hazards if " stay," in one} == told


def test_a_name_does_not_make_a_finding_one_of_the_lossless_path():
    """What a hazard is of its reader says, and no word of its sentence."""
    lines = LEAF.replace("evpn\n      neighbor EVPN activate", "ipv4\n      neighbor EVPN activate")
    named = of(
        "leaf.cfg",
        lines.replace(
            "neighbor EVPN maximum",
            "neighbor EVPN route-map QOS-PAUSE in\n   neighbor EVPN maximum",
        ),
    )
    (box,) = named.network.boxes
    (said,) = [one for one in box.facts.hazards if one.kind == "undefined-policy"]
    assert (said, said.about) == ("policy QOS-PAUSE is used and not defined", "QOS-PAUSE")
    assert "broken-chain" not in rules(named)
    broken = of(
        "tor.cfg", TOR.format(what="match dscp 3", port=TRUNK).replace("input SORT", "input SORTED")
    )
    (box,) = broken.network.boxes
    assert [one.kind for one in box.facts.hazards if "SORTED" in one] == ["lossless"]
    assert "broken-chain" in rules(broken)


def test_a_port_of_cumulus_without_a_line_on_its_mtu_has_that_of_its_system():
    """So the loss is told where the others have another, and by no other rule than theirs."""
    plan = small("cumulus")
    (spine,) = (file.text for file in render(plan, "spine-p1-1").files if "startup" in file.path)
    line = " " * 10 + "mtu: 9216\n"
    assert spine.count(line) > 3
    same = of("startup.yaml", spine.replace(line, "", 1))
    assert {port.ip_mtu_bytes for port in same.network.boxes[0].facts.ports[1:]} == {9216}
    assert rules(same) == rules(of("startup.yaml", spine))
    other = line.replace("9216", "9000")
    whole = spine.replace(line, other)
    lost = of("startup.yaml", whole.replace(other, "", 1))
    assert "odd-port" in rules(lost) - rules(of("startup.yaml", whole))


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("10.0.0.1.cfg", "10.0.0.2.cfg"), ["10.0.0.1", "10.0.0.2"]),
        (("10.0.0.1", "10.0.0.2"), ["10.0.0.1", "10.0.0.2"]),
        (("leaf1.dc.cfg", "leaf2.dc.cfg"), ["leaf1", "leaf2"]),
        (("leaf.cfg", "leaf.txt"), ["leaf"]),
        (("leaf.cfg", "leaf.cfg.bak"), ["leaf"]),
        (("leaf1.2026-01-01.cfg", "leaf1.cfg"), ["leaf1"]),
        (("dc1/leaf.cfg", "dc2/leaf.cfg"), ["leaf"]),
    ],
)
def test_texts_without_a_hostname_are_as_many_switches_as_their_files_names(files, names):
    text = TOR.format(what="match cos 3", port=TRUNK).replace("hostname tor\n", "")
    found = audit({file: {file: text} for file in files})
    assert [box.name for box in found.network.boxes] == names
    assert [one.source for one in found.not_read if "same hostname" in one.why] == [
        *files[len(names) :]
    ]
