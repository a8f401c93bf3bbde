"""Configurations that others run are read too, and what is not understood is listed."""

from __future__ import annotations

import pytest

from switch_configs import dialect
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.nxos.readback.forms import FORMS
from switch_configs.readback.facts import EcnFacts, SwitchFacts
from switch_configs.shown.unread import unread

# Written for this test after Microsoft's reference for Azure Local on Nexus switches (Azure Local,
# "reference pattern, ToR": RDMA in priority 3) and Cisco's blueprint for AI/ML (CNP in qos-group
# 7, 150 and 3000 kbytes, drop probability 7).
QOS = """\
version 10.3(4a) Bios:version 05.46
hostname tor-1
feature bgp
feature interface-vlan
feature lacp
feature vpc
feature lldp
system default switchport shutdown
class-map type qos match-all RDMA
  match dscp 26
class-map type qos match-any CNP
  match dscp 48
policy-map type qos CLASSIFY
  class RDMA
    set qos-group 3
  class CNP
    set qos-group 7
policy-map type network-qos NETWORK
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq7
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing EGRESS
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect MARKING
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q1
    bandwidth remaining percent 0
  class type queuing c-out-8q-q2
    bandwidth remaining percent 0
  class type queuing c-out-8q-q4
    bandwidth remaining percent 0
  class type queuing c-out-8q-q5
    bandwidth remaining percent 0
  class type queuing c-out-8q-q6
    bandwidth remaining percent 0
system qos
  service-policy type queuing output EGRESS
  service-policy type network-qos NETWORK
vlan 1,711
vlan 711
  name SMB1
spanning-tree mode mst
interface Ethernet1/1
  description to a node
  switchport
  switchport mode trunk
  switchport trunk native vlan 99
  switchport trunk allowed vlan 711
  priority-flow-control mode on
  spanning-tree port type edge trunk
  mtu 9216
  service-policy type qos input CLASSIFY
  no shutdown
interface Ethernet1/2
  no switchport
  mtu 9216
  ip address 192.0.2.1/30
  no shutdown
router bgp 65001
  router-id 192.0.2.100
  log-neighbor-changes
  address-family ipv4 unicast
    maximum-paths 8
    redistribute direct route-map ALL
  neighbor 192.0.2.2
    remote-as 65002
    bfd
    address-family ipv4 unicast
      maximum-prefix 500
"""
MARKING = (
    "minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn"
)


def read(text: str) -> SwitchFacts:
    text = text.replace("MARKING", MARKING)
    file = ConfigFile("/running-config", text, "a", "a", "0600", "none")
    return dialect("nxos").readback(Rendered("tor-1", "nxos", (file,)))


def test_the_chain_of_a_published_configuration_is_followed():
    found = read(QOS)
    assert (found.hostname, found.release, found.asn) == ("tor-1", "10.3(4a)", 65001)
    port = next(one for one in found.ports if one.name == "Ethernet1/1")
    assert port.qos
    assert port.qos.pfc_priorities == (3,)
    roce = next(one for one in port.qos.classes if one.dscps == (26,))
    assert (roce.pfc_priority, roce.strict, roce.weight_percent) == (3, False, 60)
    assert roce.ecn == EcnFacts(150_000, 3_000_000, 7)
    cnp = next(one for one in port.qos.classes if one.dscps == (48,))
    assert (cnp.pfc_priority, cnp.strict, cnp.rate_cap_percent) == (None, True, None)
    rest = next(one for one in port.qos.classes if 0 in one.dscps)
    assert (len(rest.dscps), rest.weight_percent) == (62, 40)
    assert port.qos.watchdog is None


def test_what_is_not_understood_is_listed_line_by_line():
    assert list(read(QOS).unread) == [
        FORMS.read("spanning-tree mode mst"),
        FORMS.read(
            "router bgp 65001 / address-family ipv4 unicast / redistribute direct route-map ALL"
        ),
    ]


@pytest.mark.parametrize(
    "hazard",
    [
        "session 192.0.2.2 has no policy in: everything passes",
        "session 192.0.2.2 sends no communities: what they mark is lost",
        "feature bfd is off, and the configuration needs it",
        "port Ethernet1/1: its native VLAN 99 is not allowed",
        "table default: paths over different ASNs are not shared: no multipath-relax",
    ],
)
def test_what_will_not_work_as_it_reads_is_said(hazard):
    assert hazard in read(QOS).hazards


def test_defaults_of_the_system_are_in_force():
    (session,) = read(QOS).sessions
    assert (session.keepalive_s, session.hold_s, session.connect_s) == (60, 180, 60)
    assert (session.bfd_interval_ms, session.bfd_multiplier) == (50, 3)
    assert (session.maximum_prefix, session.over_maximum) == (500, "reset")


@pytest.mark.parametrize(
    ("old", "new", "hazard"),
    [
        ("set qos-group 3", "set qos-group 4", "pauses qos-group 3, which no DSCP has"),
        ("pause pfc-cos 3", "", "has PFC and no class pauses"),
        ("class type network-qos c-8q-nq3", "class type network-qos c-out-8q-q3", "no packet is"),
        ("mode on", "mode auto", "trusts DSCP and has no PFC"),
        ("service-policy type qos input CLASSIFY", "", "pauses and trusts no DSCP"),
        (
            "class-map type qos match-all RDMA\n",
            "class-map type qos match-all RDMA\n  match dscp 24\n",
            "wants all of several DSCPs at once",
        ),
        ("class RDMA", "class RMDA", "asks class RMDA, which is not defined"),
        ("output EGRESS", "output EGRES", "no queuing policy that is defined"),
        ("remaining percent 60", "remaining percent 70", "shares are 110 percent"),
        ("class type queuing c-out-8q-q7", "class type queuing c-out-8q-q2", "not the highest"),
        ("c-8q-nq3\n    mtu 9216", "c-8q-nq3\n    mtu 1500", "has an MTU of 1500, not 9216"),
    ],
)
def test_each_broken_link_of_the_chain_is_a_hazard(old, new, hazard):
    assert old in QOS
    assert any(hazard in one for one in read(QOS.replace(old, new, 1)).hazards)


# Seen in public and not of this system (or not of these switches).
WRONG = (
    "hardware qos pfc-watchdog on",
    "hardware qos dcbx default",
    "feature qos",
    "priority-flow-control watchdog action errdisable",
)


@pytest.mark.parametrize("line", WRONG)
def test_lines_of_no_nexus_are_unread(line):
    assert unread(line) in read(f"{QOS}{line}\n").unread


def test_nothing_raises():
    for text in (
        "",
        "interface",
        "vlan a-",
        "route-map x permit 10\n  match\n",
        "router bgp 1\n x",
    ):
        read(text)
    lines = QOS.splitlines()
    for at in range(len(lines)):
        read("\n".join([*lines[:at], " " * 40 + lines[at], *lines[at:]]))


def test_a_line_below_one_that_opens_no_block_is_unread():
    assert unread("lldp timer 5 / vlan 7") in read("lldp timer 5\n  vlan 7\n").unread


@pytest.mark.parametrize(
    ("timer_s", "hold_s", "is_told"),
    [(5, 20, False), (5, 15, False), (5, 10, True), (5, 21, True), (10, 20, True)],
)
def test_a_neighbour_must_outlive_a_lost_frame_and_not_much_more(timer_s, hold_s, is_told):
    """IEEE 802.1AB: each frame says for how long it is believed."""
    found = read(f"lldp timer {timer_s}\nlldp holdtime {hold_s}\n").hazards
    assert any(one.startswith(f"LLDP speaks every {timer_s} s") for one in found) is is_told
