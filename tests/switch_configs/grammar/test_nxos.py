"""The grammar of Cisco NX-OS: takes what is published, refuses everything else.

The configurations are our own lines with our own names; each says which published one it follows
and which values it carries.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switch_configs.grammar import GrammarProblem, languages, problems
from switch_configs.grammar.tree import Seen, walk
from switch_configs.nxos.grammar.proof import grammar
from tests.switch_configs.grammar_mutants import commands_of, in_block, survivors, whys

# Follows Cisco's "Data Center Networking Blueprint for AI/ML Applications": RoCE DSCP 26 to group
# 3, CNP 48 to group 7 with strict priority, ECN 150 to 3000 kbytes at probability 7 and weight 0,
# remaining bandwidth 60 and 40, MTU 9216 and PFC on priority 3; watchdog on.
CISCO_AI_LEAF = """\
!Command: show running-config
version 10.5(3) Bios:version
hostname LEAF-R0-01
feature bgp
feature bfd
feature lldp
!
no ip domain-lookup
!
class-map type qos match-any CM-ROCE
  match dscp 26
class-map type qos match-any CM-CNP
  match dscp 48
policy-map type qos PM-CLASSIFY
  class CM-ROCE
    set qos-group 3
  class CM-CNP
    set qos-group 7
  class class-default
    set qos-group 0
policy-map type network-qos NQ-ROCE
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing PQ-EGRESS
  class type queuing c-out-8q-q7
    priority level 1
  class type queuing c-out-8q-q6
    bandwidth remaining percent 0
  class type queuing c-out-8q-q3
    bandwidth remaining percent 60
    random-detect minimum-threshold 150 kbytes maximum-threshold 3000 kbytes drop-probability 7 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 40
system qos
  service-policy type network-qos NQ-ROCE
  service-policy type queuing output PQ-EGRESS
priority-flow-control watch-dog-interval on
!
interface breakout module 1 port 1-32 map 400g-2x
!
ip prefix-list PL-LO seq 5 permit 10.255.0.0/16 ge 32
route-map RM-CONN permit 10
  match ip address prefix-list PL-LO
!
vrf context management
  ip route 0.0.0.0/0 192.0.2.1
!
interface Ethernet1/1/1
  description GPU-001:eth0
  no switchport
  mtu 9216
  fec rs-fec
  service-policy type qos input PM-CLASSIFY
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  ip address 10.16.0.0/31
  no shutdown
!
interface Ethernet1/33
  description SPINE1:Ethernet1/1
  no switchport
  speed 400000
  mtu 9216
  no ip redirects
  ip forward
  ipv6 address use-link-local-only
  bfd interval 300 min_rx 300 multiplier 3
  no shutdown
!
interface mgmt0
  vrf member management
  ip address 192.0.2.11/24
!
interface loopback0
  ip address 10.255.1.1/32
!
ip load-sharing address source-destination port source-destination universal-id 4242 rotate 32
ip route 10.16.0.0/24 Null0 name RAIL-0
!
router bgp 4200000101
  router-id 10.255.1.1
  bestpath as-path multipath-relax
  graceful-restart-helper
  log-neighbor-changes
  address-family ipv4 unicast
    network 10.16.0.0/24
    redistribute direct route-map RM-CONN
    maximum-paths 64
  template peer SPINE
    bfd
    timers 3 9
    address-family ipv4 unicast
      route-map RM-CONN in
      route-map RM-CONN out
      maximum-prefix 12000 80 warning-only
      send-community both
  neighbor 10.1.0.0
    inherit peer SPINE
    remote-as 65001
    description spine one
  neighbor Ethernet1/33
    inherit peer SPINE
    remote-as 65001
"""  # noqa: E501

# Follows Azure Local's reference configuration of a Nexus ToR: cluster heartbeat on CoS 7, RDMA on
# CoS 3, PFC on priority 3, remaining bandwidth 50 and 48, 1 percent for the heartbeat, ECN at 300
# kbytes with probability 100, MTU 9216; trunks to servers as edge ports, HSRP, vPC.
AZURE_LOCAL_TOR = """\
hostname TOR-1A
feature interface-vlan
feature hsrp
feature lacp
feature vpc
feature lldp
!
system jumbomtu 9216
spanning-tree mode mst
spanning-tree port type edge bpduguard default
lldp tlv-select dcbxp
!
class-map type qos match-all CM-RDMA
  match cos 3
class-map type qos match-all CM-CLUSTER
  match cos 7
policy-map type qos PM-SERVERS
  class CM-RDMA
    set qos-group 3
  class CM-CLUSTER
    set qos-group 7
policy-map type network-qos NQ-STORAGE
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing PQ-PORT
  class type queuing c-out-8q-q3
    bandwidth remaining percent 50
    random-detect minimum-threshold 300 kbytes maximum-threshold 300 kbytes drop-probability 100 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 48
  class type queuing c-out-8q-q7
    bandwidth percent 1
system qos
  service-policy type queuing output PQ-PORT
  service-policy type network-qos NQ-STORAGE
!
vlan 7,711-712
vlan 7
  name MGMT-7
vlan 711
  name STORAGE-A
vrf context KEEPALIVE
vpc domain 1
  peer-switch
  role priority 1
  peer-keepalive destination 10.71.55.26 source 10.71.55.25 vrf KEEPALIVE
  delay restore 150
  peer-gateway
  auto-recovery reload-delay 360
  ip arp synchronize
!
interface Vlan7
  description infrastructure
  no shutdown
  mtu 9216
  no ip redirects
  ip address 100.69.176.2/24
  no ipv6 redirects
  hsrp version 2
  hsrp 7
    priority 150 forwarding-threshold lower 1 upper 150
    preempt delay minimum 30
    ip 100.69.176.1
!
interface port-channel50
  description vPC peer link
  switchport
  switchport mode trunk
  switchport trunk native vlan 99
  spanning-tree port type network
  vpc peer-link
!
interface port-channel101
  switchport
  switchport mode trunk
  switchport trunk allowed vlan 7,711
  spanning-tree guard root
  vpc 101
!
interface Ethernet1/1
  description Switchless-Compute-1
  no cdp enable
  switchport
  switchport mode trunk
  switchport trunk native vlan 7
  switchport trunk allowed vlan 7,711-712
  priority-flow-control mode on send-tlv
  spanning-tree port type edge trunk
  mtu 9216
  logging event port link-status
  service-policy type qos input PM-SERVERS no-stats
  no shutdown
!
interface Ethernet1/49
  channel-group 50 mode active
  lacp rate fast
!
line console
  exec-timeout 10
line vty
  exec-timeout 10
  session-limit 8
"""  # noqa: E501

# Follows the QoS guide 10.x, "Configuring Priority Flow Control", and the pause values of a public
# Nexus PFC configuration: input queuing with 101920 bytes of buffer, pause at 46800, resume at
# 34320 for long cables; watchdog with its interval and multipliers; classes of queuing by group.
CISCO_PFC = """\
feature lldp
feature bgp
!
ip access-list ACL-ROCE
  statistics per-entry
  10 remark RoCEv2
  20 permit udp 10.16.0.0/16 any eq 4791
  30 permit udp any range 49152 65535 host 10.16.0.1 eq 4791 dscp af31
  40 deny ip any any log
!
class-map type qos match-all CM-ROCE
  match access-group name ACL-ROCE
class-map type qos match-any CM-TWO
  match dscp 24-31,46
class-map type queuing match-any CQ-THREE
  match qos-group 3
policy-map type qos PM-IN
  class CM-ROCE
    set qos-group 3
  class CM-TWO
    set qos-group 4
    set dscp af41
policy-map type network-qos NQ-TWO
  class type network-qos c-8q-nq3
    mtu 9216
    pause pfc-cos 3
  class type network-qos c-8q-nq4
    pause pfc-cos 4 receive
policy-map type queuing PQ-IN
  class type queuing c-in-q3
    pause buffer-size 101920 pause-threshold 46800 resume-threshold 34320
policy-map type queuing PQ-OUT
  class type queuing CQ-THREE
    bandwidth percent 50
    queue-limit dynamic 9
  class type queuing c-out-8q-q2
    priority level 2
    shape min 10 gbps max 10 gbps
  class type queuing c-out-8q-q-default
    bandwidth percent 50
    random-detect threshold burst-optimized ecn
system qos
  service-policy type network-qos NQ-TWO
priority-flow-control watch-dog-interval on
priority-flow-control watch-dog interval 100
priority-flow-control watch-dog shutdown-multiplier 1
priority-flow-control auto-restore multiplier 10
!
hardware profile dlb
  mode flowlet
  dlb-interface Ethernet1/33 , Ethernet1/34
  mac-address 00:cc:cc:cc:cc:cc
  flowlet-aging 1024
!
interface Ethernet1/1
  service-policy type queuing input PQ-IN
  service-policy type queuing output PQ-OUT
  service-policy type qos input PM-IN
  priority-flow-control mode auto
!
interface Ethernet1/2
  no switchport
!
interface Ethernet1/2.101
  encapsulation dot1q 101
  ip address 10.1.2.3/31
end
"""

# Follows the guides 10.x "Unicast Routing" (BGP with templates, VRF, graceful shutdown), "Security"
# (TACACS+), "System Management" (SNMPv3, NTP, syslog), "Programmability" (gNMI), "Layer 2
# Switching" (private VLANs) and "Interfaces" (isolated ports).
CISCO_MANAGEMENT = """\
hostname SPINE-01
feature bgp
feature bfd
feature grpc
feature lacp
feature nxapi
feature private-vlan
feature tacacs+
feature interface-vlan
no feature telnet
no system default switchport
!
vlan 10
  name PRIMARY
  private-vlan primary
  private-vlan association 20
vlan 20
  private-vlan isolated
vrf context BLUE
  rd 65001:7
  ip route 10.9.0.0/16 Null0
!
tacacs-server key 7 "fewhg123"
tacacs-server timeout 10
tacacs-server host 192.0.2.8 key <<secret:tacacs>>
tacacs-server host 192.0.2.9 key 7 "<<secret:tacacs-2>>" timeout 5
ip tacacs source-interface mgmt0
aaa group server tacacs+ TAC
  server 192.0.2.8
  server 192.0.2.9
  use-vrf management
  source-interface mgmt0
aaa authentication login default group TAC local
aaa authentication login console local
aaa accounting default group TAC
!
snmp-server contact The operators
snmp-server user U-READ network-operator auth sha <<secret:snmp>> priv aes-128 <<secret:snmp-priv>>
snmp-server user U-LOC network-operator auth md5 0x8da526cd35b9ea9b42d819036f7fad05 priv aes-128 0x8da526cd35b9ea9b42d819036f7fad05 localizedkey
snmp-server host 192.0.2.7 traps version 3 priv U-READ
snmp-server host 192.0.2.7 use-vrf management
snmp-server globalEnforcePriv
no snmp-server enable traps
ntp server 192.0.2.5 prefer use-vrf management key 1
ntp server 2001:db8::5 use-vrf management
ntp source-interface mgmt0
ntp authentication-key 1 md5 <<secret:ntp>>
ntp trusted-key 1
ntp authenticate
logging server 192.0.2.6 6 port 514 use-vrf management facility local7
logging source-interface mgmt0
logging timestamp milliseconds
grpc use-vrf management
grpc gnmi max-concurrent-calls 16
nxapi use-vrf management
no nxapi http
ssh login-attempts 3
!
ip community-list standard CL-DRAIN seq 10 permit graceful-shutdown 65001:100
ip as-path access-list AP-OWN seq 10 permit "^$"
route-map RM-DRAIN permit 10
  description drained
  match community CL-DRAIN
  set community graceful-shutdown additive
  set local-preference 0
route-map RM-DRAIN permit 20
  match as-path AP-OWN
  set as-path prepend 65001 65001
  set community 65001:7 no-export
!
ip access-list ACL-EDGE
  10 permit tcp any any established
!
interface Ethernet1/3
  switchport
  switchport mode private-vlan host
  switchport private-vlan host-association 10 20
!
interface Ethernet1/4
  switchport
  switchport access vlan 20
  switchport isolated
  storm-control broadcast level 1.50
  ip port access-group ACL-EDGE in
!
interface Vlan10
  vrf member BLUE
  ip address 10.0.10.2/24
  ip access-group ACL-EDGE in
  private-vlan mapping 20
  no autostate
!
interface loopback0
  ip address 10.255.2.1/32
!
bfd interval 300 min_rx 300 multiplier 3
no bfd echo
!
router bgp 65001
  router-id 10.255.2.1
  timers bgp 3 9
  graceful-shutdown activate route-map RM-DRAIN
  reconnect-interval 10
  address-family ipv4 unicast
    aggregate-address 10.16.0.0/12 summary-only
    maximum-paths 32
  template peer LEAF
    password 3 9125d59c18a9b015
    ebgp-multihop 2
    update-source loopback0
    address-family ipv4 unicast
      prefix-list PL-IN in
      soft-reconfiguration inbound always
      allowas-in 3
  neighbor 2001:db8::2 remote-as 65102
    inherit peer LEAF
    graceful-shutdown activate
  vrf BLUE
    router-id 10.255.2.2
    address-family ipv4 unicast
      redistribute direct route-map RM-DRAIN
    neighbor 10.0.10.9
      remote-as 65200
      password <<secret:bgp-blue>>
      shutdown
      address-family ipv4 unicast
        next-hop-self
        default-originate
ip prefix-list PL-IN seq 5 permit 10.16.0.0/12 ge 24 le 24
"""  # noqa: E501

# The other commands of the guides, so that each has its mutants.
CISCO_REST = """\
vdc LEAF-A id 1
  limit-resource vlan minimum 16 maximum 4094
feature bgp
feature bfd
feature fabric forwarding
feature grpc
feature hsrp
feature interface-vlan
feature lacp
feature lldp
feature nxapi
feature private-vlan
feature tacacs+
feature vpc
ip domain-name example.net
ip name-server 192.0.2.53 use-vrf management
clock timezone UTC 0 0
system default switchport shutdown
copp profile strict
no spanning-tree vlan 7
spanning-tree vlan 1-100 priority 4096
spanning-tree port type network default
ip route 10.1.0.0/16 Null0 250 tag 7
ipv6 route 2001:db8:7::/48 Null0
ip load-sharing address destination port destination rotate 7
hardware profile ecmp resilient
hardware access-list tcam region ing-sup 768
fabric forwarding anycast-gateway-mac 0000.1111.2222
port-channel load-balance src-dst ip-l4port
lacp system-priority 100
bfd slow-timer 2000
bfd startup-timer 5
bfd echo-interface loopback0
tacacs-server deadtime 10
no tacacs-server directed-request
aaa authentication login error-enable
aaa group server tacacs+ TAC
  deadtime 5
aaa authorization commands default group TAC local
ssh key rsa 2048
ip prefix-list PL-A description loopbacks
ip prefix-list PL-A permit 10.0.0.0/8
ip community-list expanded CL-A seq 10 permit "65001:.*"
class-map type network-qos match-any NC-A
  match qos-group 3
  description lossless
priority-flow-control fixed-restore multiplier 10
lldp timer 30
lldp holdtime 90
lldp reinit 2
ntp server 192.0.2.5 key 1 maxpoll 6 minpoll 4 prefer use-vrf management
logging console 3
no logging monitor
logging logfile LOG-A 6 size 4194304
logging level bgp 5
logging event link-status default
snmp-server user U-A network-admin auth sha <<secret:snmp>>
snmp-server host 192.0.2.7 source-interface mgmt0
snmp-server source-interface traps mgmt0
no snmp-server protocol enable
grpc port 50051
grpc certificate TP-A
nxapi https port 443
!
vlan 7
  state active
  no shutdown
vrf context BLUE
  description the blue one
  rd auto
  ip route 10.9.0.0/16 10.0.0.1 name B tag 7 20
  ip route 10.8.0.0/16 Null0 250
  ipv6 route 2001:db8:9::/48 2001:db8::1
  ip name-server 192.0.2.53
  ip domain-name blue.example
ip access-list ACL-A
  10 permit icmp any any echo-reply
  20 permit tcp any eq www host 10.0.0.1 gt 1023
interface Ethernet1/1
  no switchport
  vrf member BLUE
  ip unnumbered loopback0
  medium p2p
  no ip unreachables
  no ip proxy-arp
  ip arp timeout 1200
  ipv6 link-local fe80::1
  ipv6 link-local use-bia
  ipv6 address 2001:db8::1/64
  ip access-group ACL-A in
  no bfd echo
  duplex full
  negotiate auto
  lacp port-priority 100
  no lldp transmit
  link debounce time 100
  load-interval counter 1 5
  flowcontrol receive off
interface Ethernet1/2
  channel-group 7
interface Ethernet1/3
  channel-group 7 mode on
interface Ethernet1/4
  switchport block unicast
  switchport mode private-vlan promiscuous
  switchport private-vlan mapping 10 20
  switchport mode private-vlan trunk promiscuous
  switchport private-vlan trunk allowed vlan 10
  switchport private-vlan mapping trunk 10 20
  spanning-tree bpduguard enable
interface port-channel7
  speed 100000
  no lacp suspend-individual
  lacp min-links 2
  no negotiate auto
  load-interval counter 2 60
  no switchport
  vrf member BLUE
interface loopback0
  vrf member BLUE
  ipv6 address 2001:db8:1::1/128
interface Vlan7
  fabric forwarding mode anycast-gateway
  ip local-proxy-arp
  hsrp delay minimum 30 reload 60
  hsrp 7 ipv4
    name GW
    preempt
    timers 1 3
    authentication md5 key-string <<secret:hsrp>>
    mac-address 0000.0c07.ac07
interface mgmt0
  ipv6 address 2001:db8:2::1/64
  ip access-group ACL-A in
  no lldp receive
  no cdp enable
vpc domain 7
  peer-keepalive destination 192.0.2.1
  system-priority 100
  layer3 peer-router
  graceful consistency-check
hardware profile dlb
  dlb-interface all
route-map RM-A permit 10
  match interface Ethernet1/1
  match tag 7
  match metric 20
  match route-type internal
  match source-protocol direct
  match ip address ACL-A
  set community none
  set metric 20
  set origin igp
  set ip next-hop peer-address
  set tag 7
  set weight 100
  continue 20
route-map RM-A permit 20
  set comm-list CL-A delete
class-map type qos match-any CM-A
  match precedence 3
  description voice
policy-map type qos PM-A
  description marks
  class CM-A
    set cos 3
policy-map type network-qos NQ-A
  class type network-qos NC-A
    no pause
system qos
  service-policy type qos input PM-A
ipv6 access-list ACL-B
  10 deny ipv6 any any
line vty
  access-class ACL-A in
  ipv6 access-class ACL-B in
ip as-path access-list AP-A seq 10 permit "_65001_"
router bgp 65001
  bestpath always-compare-med
  no graceful-restart
  graceful-restart restart-time 120
  timers bestpath-limit 300 always
  no enforce-first-as
  no fast-external-fallover
  suppress-fib-pending
  graceful-shutdown aware
  no shutdown
  isolate
  address-family ipv6 unicast
    network 2001:db8:1::/48 route-map RM-A
    distance 20 200 200
    table-map RM-A filter
    nexthop trigger-delay critical 250 non-critical 10000
    suppress-inactive
    wait-igp-convergence
  template peer-session TS-A
    disable-connected-check
    local-as 65002 no-prepend replace-as
    remove-private-as all
    capability suppress 4-byte-as
    transport connection-mode passive
    log-neighbor-changes disable
  template peer-policy TP-A
    filter-list AP-A in
    next-hop-third-party
    disable-peer-as-check
    as-override
    suppress-inactive
    weight 100
  neighbor 10.0.0.1
    inherit peer-session TS-A
    bfd singlehop
    address-family ipv6 unicast
      inherit peer-policy TP-A 10
  vrf BLUE
    local-as 65003
"""

ACCEPTED = {
    "ai-leaf": CISCO_AI_LEAF,
    "azure-local": AZURE_LOCAL_TOR,
    "pfc": CISCO_PFC,
    "management": CISCO_MANAGEMENT,
    "rest": CISCO_REST,
}

NETWORK = ("policy-map type network-qos NQ", "class type network-qos c-8q-nq3")

# Seen in public repositories, and no NX-OS of a Nexus 9300: each line where its author put it.
WRONG = [
    (*NETWORK, "congestion-control ecn"),
    (*NETWORK, "pause no-drop"),
    ("hardware qos pfc-watchdog on",),
    ("hardware qos dcbx default",),
    ("policy-map type network-qos NQ", "class type network-qos c-out-8q-q3"),
    ("policy-map type network-qos NQ", "class NO-DROP"),
    ("feature qos",),
    ("feature priority-flow-control",),
    ("interface Ethernet1/1", "congestion-control ecn mark"),
    ("interface Ethernet1/1", "priority-flow-control watch-dog-interval 200"),
    ("interface Ethernet1/1", "random-detect ecn"),
    ("policy-map type queuing PQ", "class type queuing c-out-8q-q3", "random-detect ecn"),
    ("policy-map type queuing PQ", "class type queuing c-out-8q-q3", "pause buffer-size 300"),
    ("policy-map type queuing PQ", "class type queuing c-out-8q-q3", "priority percent 5"),
    ("ip load-sharing source-dest-port",),
    ("hardware ecmp hash-seed 12345",),
    ("router bgp 65001", "neighbor SPINES peer group"),
    ("qos map dscp 26 to traffic-class 3",),
]

PORTS = (
    "<NX-OS Ethernet port> or <NX-OS subinterface> or <Vlan1-4094> or <loopback0-1023> or"
    " <port-channel1-4096> or breakout or ..."
)
LONG = "d" * 255

# One line in its block; what stands out of range, and what is wanted there.
OUT_OF_RANGE = [
    (("interface Ethernet1/1", "mtu 9217"), "'9217': expected <576-9216>"),
    ((*NETWORK, "mtu 9217"), "'9217': expected <576-9216>"),
    ((*NETWORK, "pause pfc-cos 8"), "'8': expected <priorities of 0-7>"),
    (
        ("class-map type qos match-any CM", "match dscp 64"),
        "'64': expected <DSCP name or 0-63> or <DSCPs of 0-63>",
    ),
    (("policy-map type qos PM", "class class-default", "set qos-group 8"), "'8': expected <0-7>"),
    (
        ("policy-map type queuing PQ", "class type queuing c-out-8q-q3", "bandwidth percent 101"),
        "'101': expected <0-100>",
    ),
    (
        ("policy-map type queuing PQ", "class type queuing c-out-8q-q3", "priority level 8"),
        "'8': expected <1-7>",
    ),
    (("router bgp 4294967296",), "'4294967296': expected <1-4294967295>"),
    (("vlan 4095",), "'4095': expected <VLANs of 1-4094>"),
    (("interface port-channel4097",), f"'port-channel4097': expected {PORTS}"),
    (("interface Ethernet1/1", "channel-group 4097 mode on"), "'4097': expected <1-4096>"),
    (("bfd interval 1000 min_rx 300 multiplier 3",), "'1000': expected <50-999>"),
    (
        ("interface Ethernet1/1", "speed 123"),
        "'123': expected 100 or 1000 or 10000 or 100000 or 200000 or 25000 or ...",
    ),
    (("priority-flow-control watch-dog interval 99",), "'99': expected <100-1000>"),
    (("ip route 10.0.0.1/24 Null0",), "'10.0.0.1/24': expected <IPv4 prefix without host bits>"),
    (("hostname " + "a" * 64,), f"{'a' * 64!r}: expected <host name>"),
    (
        ("class-map type qos match-any " + "C" * 41,),
        f"{'C' * 41!r}: expected <name of at most 40 characters>",
    ),
    (
        ("interface Ethernet1/1", f"description {LONG}"),
        f"{LONG!r}: expected <printable ASCII text of at most 254 characters>",
    ),
]

REVERSED = (
    "random-detect minimum-threshold 4 mbytes maximum-threshold 3000 kbytes drop-probability 7"
    " weight 0 ecn"
)

CLEAR_TEXT = [
    "tacacs-server host 192.0.2.8 key letmein",
    "tacacs-server host 192.0.2.8 key 0 letmein",
    "tacacs-server key 7 letmein",
    "ntp authentication-key 1 md5 letmein",
    "snmp-server user U-READ network-operator auth sha letmein priv aes-128 letmein",
    "snmp-server community public group network-operator",
    "hostname <<secret:name>>",
    "snmp-server contact <<secret:name>>",
    "tacacs-server host 192.0.2.8 key <<secret:bad/name>>",
]


@pytest.mark.parametrize("name", ACCEPTED)
def test_published_configurations_are_accepted(name):
    assert problems("nxos", ACCEPTED[name]) == ()


def test_every_command_of_the_grammar_stands_in_an_accepted_configuration():
    taken = {
        one.pattern
        for text in ACCEPTED.values()
        for one in walk(grammar(), text)
        if isinstance(one, Seen)
    }
    assert commands_of("nxos") - taken == set()


def test_nxos_is_among_the_languages():
    assert "nxos" in languages()


@pytest.mark.parametrize("lines", WRONG, ids=lambda lines: lines[-1])
def test_wrong_syntax_seen_in_public_is_refused(lines):
    text = "feature bgp\n" + in_block(*lines, indent=2)
    assert lines[-1] in {one.text for one in problems("nxos", text)}
    assert problems("nxos", f"{lines[-1]}\n"), "refused in no block either"


@pytest.mark.parametrize(("lines", "why"), OUT_OF_RANGE, ids=lambda one: str(one)[-40:])
def test_values_out_of_range_are_refused(lines, why):
    found = problems("nxos", in_block(*lines, indent=2))
    assert (len(lines), why) in whys(found)


@pytest.mark.parametrize("line", CLEAR_TEXT)
def test_secrets_in_clear_text_are_refused(line):
    text = f"feature tacacs+\n{line}\n"
    assert line in {one.text for one in problems("nxos", text)}


@pytest.mark.parametrize("name", ACCEPTED)
def test_mutants_are_refused(name):
    found = survivors("nxos", ACCEPTED[name])
    for kind in ("keyword changed", "number changed", "address changed"):
        assert found.get(kind, (0, []))[1] == [], kind
    count = sum(total for total, _ in found.values())
    taken = [one for _, some in found.values() for one in some]
    assert len(taken) <= 0.12 * count, taken


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["router bgp 65001"], "needs `feature bgp` above it"),
        (["router bgp 65001", "feature bgp"], "needs `feature bgp` above it"),
        (["interface Vlan7"], "needs `feature interface-vlan` above it"),
        (["vpc domain 1"], "needs `feature vpc` above it"),
        (["interface Ethernet1/1", "  channel-group 5 mode active"],
         "needs `feature lacp` above it"),
        (["interface Ethernet1/1", "  hsrp 7"], "needs `feature hsrp` above it"),
        (["feature bgp", "router bgp 1", "  neighbor 10.0.0.1", "    bfd"],
         "needs `feature bfd` above it"),
        (["tacacs-server timeout 5"], "needs `feature tacacs+` above it"),
        (["lldp timer 30"], "needs `feature lldp` above it"),
        (["grpc port 50051"], "needs `feature grpc` above it"),
        (["feature bgp", "router bgp 1", "  neighbor 10.0.0.1", "    inherit peer LEAF"],
         "no template-peer is named 'LEAF'"),
        (["policy-map type qos PM", "  class CM"], "no class-map is named 'CM'"),
        (["system qos", "  service-policy type network-qos NQ"], "no network-qos is named 'NQ'"),
        (["system qos", "  service-policy type queuing output PQ"], "no queuing is named 'PQ'"),
        (["interface Ethernet1/1", "  service-policy type qos input PM"],
         "no policy-map is named 'PM'"),
        (["policy-map type network-qos NQ", "  class type network-qos c-out-8q-q3"],
         "no network-qos-class is named 'c-out-8q-q3'"),
        (["interface Ethernet1/1", "  vrf member BLUE"], "no vrf is named 'BLUE'"),
        (["route-map RM permit 10", "  match ip address prefix-list PL"],
         "no prefix-list is named 'PL'"),
        (["interface Ethernet1/1", "interface Ethernet1/1"], "this block is already in line 1"),
        (["policy-map type queuing PQ", "  class type queuing c-out-8q-q1",
          "    bandwidth remaining percent 60", "  class type queuing c-out-8q-q2",
          "    bandwidth remaining percent 41"],
         "`bandwidth remaining percent` sums to 101 in its policy"),
        (["policy-map type queuing PQ", "  class type queuing c-out-8q-q1",
          f"    {REVERSED}"], "minimum-threshold is above maximum-threshold"),
        (["interface Ethernet1/1", "   mtu 9216"], "indented by 3, not by a multiple of 2"),
        (["interface ethernet1/1", "  mtu 9216"], "stands in a block that was refused"),
        (["interface Ethernet1/1", "  ip address 10.0.0.0/31"], "needs `no switchport` above it"),
        (["interface port-channel7", "  ip forward"], "needs `no switchport` above it"),
        (
            ["interface Ethernet1/1", "  no switchport", "  ip address 10.0.0.0/31",
             "  vrf member management"],
            "removes the addresses above it",
        ),
        (
            ["interface loopback0", "  ip address 10.0.0.1/32", "interface loopback1",
             "  ip address 10.0.0.1/32"],
            "overlaps with the address of line 2",
        ),
        (["interface mgmt0", "  mtu 9216"], "no command here begins with 'mtu'"),
    ],
)  # fmt: skip
def test_what_the_device_refuses_across_lines(lines, why):
    found = problems("nxos", "\n".join(lines))
    assert why in {one.why for one in found}


def test_a_problem_says_where_and_what():
    assert problems("nxos", "interface Ethernet1/1\n  mtu 9300\n") == (
        GrammarProblem(2, "mtu 9300", "'9300': expected <576-9216>"),
    )


WORDS = sorted({word for text in ACCEPTED.values() for word in text.split()})
LINES = st.lists(
    st.tuples(st.sampled_from(["", "  ", "    ", "   "]), st.lists(st.sampled_from(WORDS)))
)


@given(text=st.text())
def test_arbitrary_text_never_raises(text):
    assert isinstance(problems("nxos", text), tuple)


@given(lines=LINES)
def test_arbitrary_lines_of_its_own_words_never_raise(lines):
    text = "\n".join(indent + " ".join(words) for indent, words in lines)
    found = problems("nxos", text)
    assert all(0 < one.line <= len(lines) for one in found)
