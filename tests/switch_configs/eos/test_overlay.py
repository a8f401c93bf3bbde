"""What others build with EOS beside our own kind of fabric: VXLAN, MLAG, segments, dumps.

Written for these tests with the words of the EOS User Manual (VXLAN, EVPN, Traffic Management).
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from switch_configs import dialect
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import PermitFacts, SwitchFacts

LEAF = """\
leaf1#show running-config
! Command: show running-config
! device: leaf1 (DCS-7050SX3-48YC8, EOS-4.34.2F)
!
no aaa root
!
service routing protocols model multi-agent
!
hostname leaf1
!
class-map type qos match-any ROCE
   10 match dscp 24-26
   20 match dscp cs6 af31
!
policy-map type quality-of-service BY-DSCP
   class ROCE
      set traffic-class 3
   !
   class class-default
      set traffic-class 0
!
vlan 10
   name RED
!
vlan 4094
   trunk group MLAG
!
vrf instance TENANT
!
interface Port-Channel3
   switchport mode trunk
   switchport trunk allowed vlan 10
   !
   evpn ethernet-segment
      identifier 0000:0000:0001:0001:0001
      route-target import 00:01:00:01:00:01
   lacp system-id 0001.0001.0001
!
interface Ethernet1/1
   speed 100g-2
   mtu 9214
   no switchport
   ip address 192.0.2.0/31
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   service-policy type qos input BY-DSCP
!
interface Ethernet1/3
   speed 100g-2
   mtu 9214
   no switchport
   ip address 192.0.2.2/31
!
interface Ethernet2/1
   channel-group 3 mode active
!
interface Loopback0
   ip address 198.51.100.1/32
!
interface Vlan10
   vrf TENANT
   ip address virtual 203.0.113.1/24
!
interface Vxlan1
   vxlan source-interface Loopback0
   vxlan vlan 10 vni 10010
   vxlan vrf TENANT vni 50001
!
banner motd
interface Ethernet9/1
   no switchport
EOF
!
ip virtual-router mac-address 00:1c:73:00:dc:01
!
ip routing
ip routing vrf TENANT
!
ip prefix-list ALL
   seq 10 permit 0.0.0.0/0 le 32
!
route-map ANY permit 10
   match ip address prefix-list ALL
!
router bgp 65101
   router-id 198.51.100.1
   no bgp default ipv4-unicast
   neighbor OVERLAY peer group
   neighbor OVERLAY remote-as 65001
   neighbor OVERLAY update-source Loopback0
   neighbor OVERLAY ebgp-multihop 3
   neighbor OVERLAY password 7 MADE+UP==
   neighbor OVERLAY send-community extended
   neighbor 198.51.100.9 peer group OVERLAY
   !
   vlan 10
      rd 198.51.100.1:10010
      route-target both 10010:10010
      redistribute learned
   !
   address-family evpn
      neighbor OVERLAY activate
   !
   vrf TENANT
      rd 198.51.100.1:50001
      route-target import evpn 50001:50001
      redistribute connected
!
end
leaf1#
"""


def read(text: str) -> SwitchFacts:
    file = ConfigFile("/mnt/flash/startup-config", text, "root", "eosadmin", "0660", "runtime")
    return dialect("eos").readback(Rendered("leaf1", "eos", (file,)))


def test_all_of_it_is_read_or_known_by_form_and_told():
    found = read(LEAF).unread
    assert [one for one in found if not one.by_form] == []
    assert {one.topic for one in found} >= {"EVPN", "BGP", "users", "management"}
    assert "MADE" not in repr(found)


def test_vlans_with_a_vni_keep_their_gateway():
    found = read(LEAF)
    one = next(one for one in found.vlans if one.id == 10)
    assert (one.vrf, one.gateway, one.name) == ("TENANT", "203.0.113.1", "RED")
    assert not [one for one in found.hazards if "Vlan10" in one or "virtual" in one]


def test_an_address_of_another_maker_is_a_hazard_where_no_vxlan_is():
    found = read(LEAF.replace("   vxlan vlan 10 vni 10010\n", ""))
    assert any(one.startswith("the virtual MAC is 00:1c:73:00:dc:01") for one in found.hazards)


def test_the_lanes_of_a_split_cage_are_ports():
    ports = {one.name: one for one in read(LEAF).ports}
    assert [ports[f"Ethernet1/{one}"].rate_gbps for one in (1, 3)] == [100, 100]
    assert "Ethernet9/1" not in ports, "a banner is no configuration"


def test_a_bond_of_an_ethernet_segment_is_shared():
    assert [one.shared for one in read(LEAF).bonds] == [True]
    alone = LEAF.replace("   evpn ethernet-segment\n", "   description x\n")
    assert [one.shared for one in read(alone).bonds] == [False]


def test_a_session_for_the_overlay_alone_lacks_nothing():
    assert not [one for one in read(LEAF).hazards if one.startswith("session")]
    closed = read(LEAF.replace("      neighbor OVERLAY activate\n", ""))
    assert "session 198.51.100.9 carries no IPv4: it is not activated" in closed.hazards


def test_a_list_of_all_is_every_prefix():
    assert read(LEAF).policies[0].permits == (PermitFacts("0.0.0.0/0", 0, 32),)


def test_a_policy_that_sets_classes_by_dscp_is_followed():
    qos = next(one.qos for one in read(LEAF).ports if one.name == "Ethernet1/1")
    assert qos
    (paused,) = (one.dscps for one in qos.classes if one.pfc_priority == 3)
    assert paused == (24, 25, 26, 48)
    assert not [one for one in read(LEAF).hazards if "BY-DSCP" in one]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("10 match dscp 24-26", "10 match ip access-group X"),
        ("set traffic-class 0", "set dscp 0"),
        ("input BY-DSCP", "input OTHER"),
        ("20 match dscp cs6 af31", "20 match dscp cs9"),
        ("match-any ROCE", "match-all ROCE"),
    ],
)
def test_a_policy_that_does_anything_else_is_a_hazard(old, new):
    assert old in LEAF
    hazards = read(LEAF.replace(old, new)).hazards
    assert any("Ethernet1/1 trusts DSCPs that policy" in one for one in hazards)


def test_a_banner_without_its_end_hides_no_line():
    found = read(LEAF.replace("EOF\n", ""))
    assert found.asn is None
    assert any(one.kind == "banner login|motd / <text>" for one in found.unread)


# What `show running-config all` adds: each default in its place.
DEFAULTS = """\
   no description
   no storm-control broadcast
   default load-interval
   no priority-flow-control pause watchdog
   no priority-flow-control priority 4
   uc-tx-queue 3
      no bandwidth percent
      no shape rate
      no random-detect ecn
"""


def test_defaults_that_are_said_are_defaults():
    text = LEAF.replace("   priority-flow-control on\n", f"{DEFAULTS}   priority-flow-control on\n")
    assert replace(read(text), unread=()) == replace(read(LEAF), unread=())
    assert [one for one in read(text).unread if not one.by_form] == []
    off = read(LEAF.replace("   priority-flow-control on\n", "   no priority-flow-control\n"))
    assert "port Ethernet1/1 has priorities without drops, and PFC is off" in off.hazards
