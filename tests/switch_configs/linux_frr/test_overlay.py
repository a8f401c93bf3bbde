"""What others build with FRR and ifupdown2 beside our own kind of fabric: EVPN, CLAG, bridges.

Written for these tests with the words of the FRR manual and ifupdown-addons-interfaces(5).
"""

from __future__ import annotations

import pytest

from switch_configs import dialect
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import PermitFacts, SwitchFacts

FRR = """\
frr version 9.1
frr defaults datacenter
hostname leaf01
log syslog informational
service integrated-vtysh-config
password MADE-UP
!
vrf TENANT
 vni 4001
exit-vrf
!
interface swp51
 description spine01
 ip address 192.0.2.1/31
 ipv6 nd ra-interval 6
 no ipv6 nd suppress-ra
!
ip route 198.51.100.0/24 blackhole
!
router bgp 65101
 bgp router-id 198.51.100.1
 bgp bestpath as-path multipath-relax
 no bgp default ipv4-unicast
 neighbor OVERLAY peer-group
 neighbor OVERLAY remote-as external
 neighbor OVERLAY ebgp-multihop 3
 neighbor OVERLAY update-source lo
 neighbor OVERLAY password MADE-UP
 neighbor 198.51.100.9 peer-group OVERLAY
 !
 address-family ipv4 unicast
  redistribute connected route-map ANY
 exit-address-family
 !
 address-family l2vpn evpn
  neighbor OVERLAY activate
  neighbor OVERLAY allowas-in 1
  advertise-all-vni
 exit-address-family
!
router ospf
 ospf router-id 198.51.100.1
 network 192.0.2.0/24 area 0
 neighbor 192.0.2.9 priority 1
!
ip prefix-list ALL permit any
!
route-map ANY permit 10
 match ip address prefix-list ALL
!
line vty
!
"""
INTERFACES = """\
auto swp1
iface swp1
    bridge-access 10
auto swp2
iface swp2
auto bridge
iface bridge
    bridge-ports swp1 swp2 vni10
    bridge-vids 10-11 20
    bridge-vlan-aware yes
    bridge-stp no
auto vni10
iface vni10
    vxlan-id 10010
    vxlan-local-tunnelip 198.51.100.1
    bridge-access 10
    bridge-learning off
auto vlan10
iface vlan10
    address 203.0.113.2/24
    address 203.0.113.1/24
    vlan-id 10
    vlan-raw-device bridge
    vrf TENANT
auto TENANT
iface TENANT
    vrf-table 1001
iface eth0 inet dhcp
    hwaddress 02:00:00:00:00:01
"""


def read(frr: str = FRR, interfaces: str = "") -> SwitchFacts:
    texts = {"/etc/frr/frr.conf": frr, "/etc/network/interfaces": interfaces}
    files = (
        ConfigFile(path, text, "root", "root", "0644", "none")
        for path, text in texts.items()
        if text
    )
    return dialect("linux_frr").readback(Rendered("leaf01", "linux_frr", tuple(files)))


def test_all_of_an_frr_conf_is_read_or_known_by_form_and_told():
    found = read().unread
    assert [str(one) for one in found if not one.by_form] == [
        "QoS: * router ospf neighbor * priority"
    ]
    assert {one.topic for one in found} >= {"EVPN", "BGP", "routing", "users"}
    assert "MADE-UP" not in repr(found)


def test_another_daemons_lines_are_not_taken_for_bgps():
    found = read()
    assert {one.key for one in found.sessions} == {"198.51.100.9"}
    assert found.discards == ("198.51.100.0/24",), "it stands behind an interface without an exit"


def test_a_session_for_the_overlay_alone_lacks_nothing():
    assert not [one for one in read().hazards if one.startswith("session")]
    closed = read(FRR.replace("  neighbor OVERLAY activate\n", ""))
    assert "session 198.51.100.9 carries no IPv4: it is not activated" in closed.hazards


@pytest.mark.parametrize(
    ("said", "permit"),
    [
        ("permit any", PermitFacts("0.0.0.0/0", 0, 32)),
        ("seq 5 permit any", PermitFacts("0.0.0.0/0", 0, 32)),
        ("permit 192.0.2.0/24 le 32", PermitFacts("192.0.2.0/24", 24, 32)),
    ],
)
def test_a_list_of_all_is_every_prefix_and_a_place_may_be_left_out(said, permit):
    found = read(FRR.replace("ALL permit any", f"ALL {said}"))
    assert [one.permits for one in found.policies] == [(permit,)]


def test_vlans_with_a_vni_keep_their_gateway():
    found = read(interfaces=INTERFACES)
    one = next(one for one in found.vlans if one.id == 10)
    assert (one.vrf, one.gateway, one.address) == ("TENANT", "203.0.113.1", "203.0.113.2/24")


def test_vlans_of_the_bridge_alone_are_vlans_and_no_hazard():
    found = read(interfaces=INTERFACES)
    assert [one.id for one in found.vlans] == [10, 11, 20]
    by_name = {one.name: one.vlans for one in found.ports}
    assert (by_name["swp1"], by_name["swp2"]) == ((10,), (1, 10, 11, 20))
    assert not [one for one in found.hazards if "bridge is" in one or "no VLAN" in one]
    lost = read(interfaces=INTERFACES.replace("bridge-vids 10-11 20", "bridge-vids 11 20"))
    assert "bridge is not itself in VLAN 10, and has a port there" in lost.hazards


def test_lines_of_ifupdown2_are_known_by_form():
    found = read(interfaces=INTERFACES).unread
    own = [one for one in found if one.topic in ("EVPN", "interfaces")]
    assert own
    assert [one for one in found if not one.by_form and one.topic != "QoS"] == []
