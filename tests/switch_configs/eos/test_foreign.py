"""Configurations that others run are read as they mean.

Written for these tests with the words of public ones: a leaf as in aristanetworks/avd,
eos_cli_config_gen (golden qos.cfg, router-bgp-base.cfg, prefix-lists.cfg, static-routes.cfg,
mlag-configuration.cfg, port-channel-interfaces.cfg), its QoS numbers those of Arista's example of
a RoCE leaf: 256 and 512 kbytes, 95 and 5 percent.
"""

from __future__ import annotations

import pytest

from switch_configs import dialect
from switch_configs.eos.readback.forms import FORMS
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import (
    ClassFacts,
    EcnFacts,
    PermitFacts,
    SwitchFacts,
    WatchdogFacts,
)

LEAF = """\
! Command: show running-config
! device: tor7 (DCS-7060X6-64PE, EOS-4.34.2F)
!
! boot system flash:/EOS.swi
!
no aaa root
!
username admin role network-admin secret sha512 $6$made$up
!
transceiver qsfp default-mode 4x10G
!
service routing protocols model multi-agent
!
hostname tor7
!
qos profile ROCE-LEAF
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 1
      no priority
      bandwidth percent 5
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 95
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes \
max-mark-probability 100 weight 0
   !
   uc-tx-queue 6
      priority strict
!
vlan 110
   name PR01-DMZ
!
vrf instance MGMT
!
interface Port-Channel5
   switchport trunk allowed vlan 110
   switchport mode trunk
   mlag 5
!
interface Ethernet1/1
   description gpu-001:eth0
   mtu 9214
   no switchport
   ip address 10.16.0.0/31
   service-profile ROCE-LEAF
!
interface Ethernet2/1
   channel-group 5 mode active
!
interface Ethernet3/1
   no switchport
   ip address 172.31.255.1/31
!
interface Ethernet4/1
!
interface Loopback0
   ip address 192.168.255.3/32
!
interface Management1
   vrf MGMT
   ip address 192.0.2.9/24
!
ip access-list SHUT
   10 deny ip any any
!
ip routing
!
ip prefix-list PL-LOOPBACKS
   seq 10 permit 192.168.255.0/24 eq 32
   seq 20 permit 192.168.254.0/24 le 31
!
ip route 10.3.5.0/24 Null0
ip route vrf MGMT 0.0.0.0/0 192.0.2.1
!
qos map dscp 56 57 58 59 60 61 62 63 to traffic-class 1
!
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.40
priority-flow-control pause watchdog default polling-interval 0.10
priority-flow-control pause watchdog action drop
!
route-map RM-OUT permit 10
   match ip address prefix-list PL-LOOPBACKS
!
router bgp 65101
   router-id 192.168.255.3
   maximum-paths 32 ecmp 32
   neighbor SPINES peer group
   neighbor SPINES remote-as 65001
   neighbor SPINES bfd
   neighbor SPINES send-community
   neighbor SPINES maximum-routes 12000
   neighbor SPINES route-map RM-OUT out
   neighbor 172.31.255.0 peer group SPINES
   neighbor 172.31.255.0 timers 5 15
   redistribute connected
   !
   address-family evpn
      neighbor SPINES activate
!
management ssh
   ip access-group SHUT in
   !
   vrf MGMT
      no shutdown
!
end
"""


def read(text: str) -> SwitchFacts:
    file = ConfigFile("/mnt/flash/startup-config", text, "root", "eosadmin", "0660", "runtime")
    return dialect("eos").readback(Rendered("tor7", "eos", (file,)))


def test_a_foreign_leaf_is_read():
    found = read(LEAF)
    assert (found.hostname, found.release, found.asn) == ("tor7", "4.34.2F", 65101)
    assert (found.router_id, found.ecmp_width) == ("192.168.255.3", 32)
    assert not found.ebgp_requires_policy, "EOS lets all through unless told otherwise"
    assert found.discards == ("10.3.5.0/24",)
    assert [one.name for one in found.ports] == ["Ethernet1/1", "Ethernet2/1", "Ethernet3/1", "lo"]
    (policy,) = found.policies
    assert policy.permits == (
        PermitFacts("192.168.254.0/24", 24, 31),
        PermitFacts("192.168.255.0/24", 32, 32),
    )


def test_its_session_has_what_its_group_and_the_defaults_say():
    (one,) = read(LEAF).sessions
    assert (one.key, one.peer_asn, one.bfd) == ("172.31.255.0", 65001, True)
    assert (one.keepalive_s, one.hold_s) == (5, 15)
    assert (one.bfd_interval_ms, one.bfd_multiplier) == (300, 3)
    assert (one.maximum_prefix, one.over_maximum) == (12000, "reset")
    assert (one.policy_in, one.policy_out) == (None, "RM-OUT")


def test_its_classes_follow_the_default_maps():
    port = next(one for one in read(LEAF).ports if one.name == "Ethernet1/1")
    assert port.ip_mtu_bytes == 9214
    assert port.qos is not None
    by_dscp = {one.dscps[0]: one for one in port.qos.classes}
    assert by_dscp[24] == ClassFacts(
        tuple(range(24, 32)), 3, False, 95, None, EcnFacts(256000, 512000, 100)
    )
    assert by_dscp[0].dscps == (*range(8), *range(56, 64)), "moved off the switch's own class"
    assert by_dscp[48].strict
    assert port.qos.pfc_priorities == (3,)
    assert port.qos.watchdog == WatchdogFacts(200, 400, 100, "drop")


def test_a_bond_and_a_routed_port_without_a_profile():
    by_name = {one.name: one for one in read(LEAF).ports}
    bonded = by_name["Ethernet2/1"]
    assert (bonded.bond, bonded.vlans, bonded.trunk) == (5, (110,), True)
    assert bonded.qos is None, "a switched port trusts CoS, not DSCP"
    routed = by_name["Ethernet3/1"].qos
    assert routed is not None, "a routed port trusts DSCP"
    assert not routed.pfc_priorities
    (bond,) = read(LEAF).bonds
    assert (bond.number, bond.ports, bond.shared) == (5, ("Ethernet2/1",), True)


def test_what_is_not_understood_is_listed_line_by_line():
    lines = (
        "no aaa root",
        "username admin role network-admin secret sha512 $6$made$up",
        "transceiver qsfp default-mode 4x10G",
        "router bgp 65101 / redistribute connected",
        "router bgp 65101 / address-family evpn",
        "router bgp 65101 / address-family evpn / neighbor SPINES activate",
    )
    assert read(LEAF).unread == tuple(map(FORMS.read, lines))


@pytest.mark.parametrize(
    ("old", "new", "hazard"),
    [
        ("", "", "session 172.31.255.0 has no policy in: everything passes"),
        ("", "", "port Port-Channel5 trusts CoS, so anybody enters a lossless class"),
        ("priority-flow-control on\n", "", "has priorities without drops, and PFC is off"),
        ("service-profile ROCE-LEAF", "service-profile ROCE", "ROCE, which is not defined"),
        ("   uc-tx-queue 3\n      no priority\n", "   uc-tx-queue 3\n", "is served strictly"),
        (
            "to traffic-class 1\n",
            "to traffic-class 1\nqos map traffic-class 6 to tx-queue 3\n",
            "queue 3 holds priority 3 and others",
        ),
        ("priority 3 no-drop", "priority 1 no-drop", "priority 1 is that of untrusted packets"),
        (
            "to traffic-class 1\n",
            "to traffic-class 1\nqos map dscp 24 25 26 27 28 29 30 31 to traffic-class 2\n",
            "pauses priority 3, which no DSCP has",
        ),
        ("vlan 110\n   name PR01-DMZ\n", "", "carries VLAN 110, not defined"),
        ("vrf instance MGMT\n", "", "routing table MGMT, which is not defined"),
        ("ip prefix-list PL-LOOPBACKS", "ip prefix-list PL", "PL-LOOPBACKS, not defined"),
        ("route-map RM-OUT permit", "route-map RM permit", "RM-OUT is used and not defined"),
        ("   ip access-group SHUT in\n", "", "logins are accepted on data ports"),
        ("   no switchport\n   ip address 172", "   ip address 172", "what it says of IP"),
        ("neighbor SPINES send-community\n", "", "sends no communities"),
        ("protocols model multi-agent", "protocols model ribd", "is not multi-agent"),
        ("mlag 5", "mlag 6", "two numbers for one bond"),
        ("mode active", "mode on", "in a bond without LACP"),
        ("mode active", "mode passive", "waits for the other end's LACP"),
        ("ip route 10.3", "ip route 10.0.0.0/8 10.16.0.1\nip route 10.3", "10.0.0.0/8 leads to"),
        (
            "ip route 10.3",
            "ip route vrf users 0.0.0.0/0 10.16.0.1\nip route 10.3",
            "0.0.0.0/0 of table users leads to 10.16.0.1",
        ),
        (
            "ip route 10.3",
            "ip route vrf MGMT 0.0.0.0/0 192.0.2.2\nip route 10.3",
            "several ways out: 192.0.2.1, 192.0.2.2",
        ),
    ],
)  # fmt: skip
def test_what_will_not_work_as_it_reads_is_said(old, new, hazard):
    text = LEAF.replace(old, new) if old else LEAF
    assert text != LEAF or not old
    found = read(text)
    assert any(hazard in one for one in found.hazards), found.hazards


@pytest.mark.parametrize(
    "text", ["", "!\n", "interface\n", "router bgp x\n", "   \n x\n  y\n", "\x00"]
)
def test_a_readback_never_raises(text):
    assert isinstance(read(text), SwitchFacts)


@pytest.mark.parametrize("cut", range(0, len(LEAF), 97))
def test_nor_when_a_configuration_is_cut(cut):
    assert isinstance(read(LEAF[:cut]), SwitchFacts)
