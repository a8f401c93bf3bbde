"""What others build with NX-OS beside our own kind of fabric: VXLAN, vPC, scripts, dumps.

Written for these tests with the words of Cisco's Nexus 9000 guides (VXLAN, QoS, Interfaces).
"""

from __future__ import annotations

import pytest

from switch_configs import dialect
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import PermitFacts, SwitchFacts

LEAF = """\
leaf1# show running-config

!Command: show running-config
version 10.5(2) Bios:version 01.05
hostname leaf1
vdc leaf1 id 1
  limit-resource vlan minimum 16 maximum 4094
nv overlay evpn
feature bgp
feature interface-vlan
feature vn-segment-vlan-based
feature lacp
feature vpc
feature nv overlay
username admin password 5 MADE+UP  role network-admin
banner motd #
interface Ethernet1/9
  no switchport
#
copp profile strict
fabric forwarding anycast-gateway-mac 0000.1111.2222
vlan 1,10,20,99
vlan 10
  name RED
  vn-segment 10010
vlan 99
  vn-segment 50001
ip prefix-list ALL seq 5 permit 0.0.0.0/0 le 32
route-map ANY permit 10
  match ip address prefix-list ALL
vrf context TENANT
  vni 50001
  rd auto
  address-family ipv4 unicast
    route-target both auto evpn
vrf context management
class-map type qos match-any ROCE
  match dscp 26
policy-map type qos BY-DSCP
  class ROCE
    set qos-group 3
policy-map type network-qos NETWORK
  class type network-qos c-8q-nq3
    pause pfc-cos 3
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing EGRESS
  class type queuing c-out-8q-q3
    bandwidth percent 60
  class type queuing c-out-8q-q-default
    bandwidth percent 40
  class type queuing c-out-8q-q1
    bandwidth percent 0
system qos
  service-policy type network-qos NETWORK
  service-policy type queuing output EGRESS
vpc domain 1
  peer-switch
  peer-keepalive destination 192.0.2.2 source 192.0.2.1
  ip arp synchronize
interface breakout module 1 port 1 map 100g-4x
interface vlan 10
  no shutdown
  vrf member TENANT
  no ip redirects
  ip address 203.0.113.1/24
  fabric forwarding mode anycast-gateway
interface Vlan20
  no shutdown
  vrf member TENANT
  ip address 203.0.114.1/24
  fabric forwarding mode anycast-gateway
interface port-channel3
  switchport
  switchport mode trunk
  switchport trunk allowed vlan 10
  vpc 3
interface port-channel4
  switchport
  switchport mode trunk
  switchport trunk allowed vlan 10
  ethernet-segment 4
    system-mac 0000.0000.0001 4
interface nve1
  no shutdown
  host-reachability protocol bgp
  source-interface loopback1
  member vni 10010
    ingress-replication protocol bgp
  member vni 50001 associate-vrf
interface Ethernet1/1/1-2
  no switchport
  mtu 9216
  priority-flow-control mode on send-tlv
  service-policy type qos input BY-DSCP
  no shutdown
interface ethernet 1/3
  switchport
  switchport mode trunk
  switchport trunk allowed vlan 10
  channel-group 3 mode active
  no shutdown
interface Ethernet1/4
  switchport
  switchport mode trunk
  switchport trunk allowed vlan 10
  channel-group 4 mode active
  no shutdown
interface loopback1
  ip address 198.51.100.1/32
line console
router bgp 65101
  router-id 198.51.100.1
  template peer SPINES
    remote-as 65001
    update-source loopback1
    address-family l2vpn evpn
      send-community extended
  neighbor 198.51.100.9
    inherit peer SPINES
    ebgp-multihop 3
    password 3 0123abcd
  vrf TENANT
    address-family ipv4 unicast
      advertise l2vpn evpn
evpn
  vni 10010 l2
    rd auto
    route-target import auto
leaf1# show vlan
1    default    active    Eth1/7
leaf1#
"""


def read(text: str) -> SwitchFacts:
    file = ConfigFile("/running-config", text, "a", "a", "0600", "none")
    return dialect("nxos").readback(Rendered("leaf1", "nxos", (file,)))


def test_all_of_it_is_read_or_known_by_form_and_told():
    found = read(LEAF).unread
    assert [one for one in found if not one.by_form] == []
    assert {one.topic for one in found} >= {"EVPN", "BGP", "MLAG", "users", "management"}
    assert "MADE" not in repr(found)
    assert "0123abcd" not in repr(found)


def test_vlans_with_a_vni_keep_their_gateway():
    found = read(LEAF)
    by_id = {one.id: one for one in found.vlans}
    assert (by_id[10].vrf, by_id[10].gateway, by_id[10].name) == ("TENANT", "203.0.113.1", "RED")
    assert (by_id[20].vrf, by_id[20].gateway) == ("TENANT", "203.0.114.1"), "it has no lines"
    assert not [one for one in found.hazards if "Vlan10" in one or "VLAN 10" in one]


def test_the_lanes_of_a_split_cage_are_ports_and_judged():
    ports = {one.name: one for one in read(LEAF).ports}
    for name in ("Ethernet1/1/1", "Ethernet1/1/2"):
        qos = ports[name].qos
        assert qos
        assert (ports[name].rate_gbps, qos.pfc_priorities) == (100, (3,))
    assert not {"Ethernet1/1", "Ethernet1/9"} & set(ports), "a banner is no configuration"


def test_bonds_of_a_pair_and_of_an_ethernet_segment_are_shared():
    assert [(one.number, one.shared) for one in read(LEAF).bonds] == [(3, True), (4, True)]
    alone = LEAF.replace("  ethernet-segment 4\n    system-mac 0000.0000.0001 4\n", "")
    assert [one.shared for one in read(alone).bonds] == [True, False]


def test_a_session_for_the_overlay_alone_lacks_nothing():
    assert not [one for one in read(LEAF).hazards if one.startswith("session")]
    closed = read(
        LEAF.replace("address-family l2vpn evpn\n      send", "address-family x\n      send")
    )
    assert "session 198.51.100.9 carries no IPv4: no address family" in closed.hazards


def test_a_list_of_all_is_every_prefix():
    assert read(LEAF).policies[0].permits == (PermitFacts("0.0.0.0/0", 0, 32),)


def test_shares_of_the_link_are_read():
    qos = next(one.qos for one in read(LEAF).ports if one.name == "Ethernet1/1/1")
    assert qos
    assert {one.weight_percent for one in qos.classes} == {60, 40}
    said = "shares of the link stand beside shares of the rest"
    assert not [one for one in read(LEAF).hazards if said in one]


@pytest.mark.parametrize("other", ["bandwidth remaining percent 40", "priority level 1"])
def test_shares_of_the_link_beside_others_are_a_hazard(other):
    found = read(LEAF.replace("bandwidth percent 40", other))
    assert any("shares of the link stand beside shares of the rest" in one for one in found.hazards)


def test_what_other_commands_said_is_no_configuration():
    assert read(LEAF) == read(LEAF.partition("leaf1# show vlan")[0])


@pytest.mark.parametrize("name", ["Ethernet1/4-2", "Ethernet1/1-9999", "Ethernet", "Tunnel1"])
def test_what_is_no_port_is_unread(name):
    found = read(f"interface {name}\n  no switchport\n")
    assert len([one for one in found.unread if not one.by_form]) == 2
    assert not found.ports
