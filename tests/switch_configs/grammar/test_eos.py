"""The grammar of Arista EOS: takes what is published, refuses everything else.

The configurations are our own lines with our own names; each says which published one it follows
and which values it carries.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switch_configs.eos.grammar.proof import grammar
from switch_configs.grammar import GrammarProblem, languages, problems
from switch_configs.grammar.tree import Seen, walk
from tests.switch_configs.grammar_mutants import commands_of, in_block, survivors, whys

# Follows aristanetworks/avd, molecule/eos_cli_config_gen/intended/configs/qos.cfg: profiles with
# uc, mc and plain queues, ECN in kbytes (320), segments and milliseconds (3 to 9) with probability
# 90 and weight 10, PFC with watchdog 0.05 / auto / 1.11 forced, shape in percent, access lists and
# class maps, DSCP and class maps, policy on a port; watchdog defaults 0.05 / 1.22.
AVD_QOS = """\
! device: LEAF-A
!
hostname LEAF-A
!
qos rewrite dscp
qos map cos 3 to traffic-class 3
qos map dscp 26 28 30 to traffic-class 4 drop-precedence 2
qos map dscp 46 to traffic-class 5
qos map traffic-class 1 to dscp 56
qos map traffic-class 6 to tx-queue 2
!
qos random-detect ecn allow non-ect chip-based
!
priority-flow-control pause watchdog default timeout 0.05
priority-flow-control pause watchdog default recovery-time 1.22
priority-flow-control pause watchdog default polling-interval 0.02
priority-flow-control pause watchdog action no-drop
!
qos profile P-PLAIN
   qos trust cos
   qos cos 2
   service-policy type qos input PM-EDGE
   shape rate 80 percent
   !
   tx-queue 3
      no priority
      bandwidth percent 30
   !
   tx-queue 4
      bandwidth guaranteed percent 10
      random-detect ecn minimum-threshold 320 segments maximum-threshold 320 segments weight 10
   !
   tx-queue 7
      bandwidth percent 30
      shape rate 40 percent
!
qos profile P-PFC
   no qos trust
   !
   uc-tx-queue 1
      no priority
      bandwidth percent 50
      random-detect ecn minimum-threshold 3 milliseconds maximum-threshold 9 milliseconds max-mark-probability 90
   !
   uc-tx-queue 2
      priority strict
      bandwidth percent 10
      random-detect ecn minimum-threshold 320 kbytes maximum-threshold 320 kbytes max-mark-probability 90
   !
   mc-tx-queue 4
      bandwidth guaranteed percent 10
   !
   priority-flow-control on
   priority-flow-control priority 0 no-drop
   priority-flow-control priority 1 drop
   priority-flow-control pause watchdog
   priority-flow-control pause watchdog port action drop
   priority-flow-control pause watchdog port timer timeout 0.05 polling-interval auto recovery-time 1.11 forced
!
interface Port-Channel3
   description MLAG peer, Po3
   switchport trunk allowed vlan 2-4094
   switchport mode trunk
   switchport trunk group TG-PEER
   switchport
   service-policy type qos input PM-EDGE
   service-profile P-PLAIN
   qos trust cos
   qos cos 2
!
interface Ethernet1
   description P2P_LINK
   mtu 1500
   no switchport
   ip address 172.31.255.1/31
   service-profile P-PFC
   qos trust dscp
   qos dscp 48
!
interface Ethernet3
   channel-group 3 mode active
!
interface Ethernet6
   switchport trunk allowed vlan 110-111,210-211
   switchport mode trunk
   switchport
   priority-flow-control on
   priority-flow-control priority 5 no-drop
   !
   uc-tx-queue 4
      random-detect ecn count
!
ip access-list ACL-TC0
   10 permit ip any 192.0.2.0/29
!
ip access-list ACL-TC5
   10 permit ip any any dscp ef
!
class-map type qos match-any CM-TC0
   match ip access-group ACL-TC0
!
class-map type qos match-any CM-TC5
   match ip access-group ACL-TC5
!
policy-map type quality-of-service PM-EDGE
   class CM-TC0
      set traffic-class 0
   !
   class CM-TC5
      set traffic-class 5
   !
   class class-default
      set traffic-class 1
!
end
"""  # noqa: E501

# Follows Arista's AI network guide, leaf (XGS): DSCP 26 to class 3 and 48 to class 6, queue 3
# with 95 percent and ECN 256/512 kbytes at probability 100, CNP strict, watchdog 0.2 / 0.4; and
# avd's rfc5549 scenarios: IPv4 over IPv6 next hops, `neighbor interface`.
ARISTA_AI_LEAF = """\
hostname LEAF-R0-01
!
service routing protocols model multi-agent
!
transceiver qsfp default-mode 4x10G
!
spanning-tree mode none
!
qos map dscp 0 1 2 3 4 5 6 7 to traffic-class 0
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
qos map traffic-class 3 to tx-queue 3
qos map traffic-class 6 to tx-queue 6
!
qos profile ROCE
   qos trust dscp
   !
   uc-tx-queue 0
      no priority
      bandwidth percent 5
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 95
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes max-mark-probability 100 weight 0
   !
   uc-tx-queue 6
      priority strict
      shape rate 10 percent
   !
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   priority-flow-control pause watchdog port action drop
   priority-flow-control pause watchdog port timer timeout 0.2 polling-interval 0.1 recovery-time 0.4 forced
!
hardware counter feature ecn out
!
vrf instance MGMT
!
interface Ethernet1/1
   description GPU-001:eth0
   mtu 9214
   speed 400g-4
   error-correction encoding reed-solomon
   no switchport
   ip address 10.16.0.0/31
   service-profile ROCE
   !
   uc-tx-queue 3
      random-detect ecn count
!
interface Ethernet1/5
   shutdown
!
interface Ethernet33/1
   description SPINE1:Ethernet1/1
   mtu 9214
   speed 800g-8
   no switchport
   ipv6 enable
   bfd interval 300 min-rx 300 multiplier 3
   service-profile ROCE
!
interface Loopback0
   ip address 10.255.1.1/32
!
interface Management1
   description OOB-1:swp7
   vrf MGMT
   ip address 192.0.2.11/24
!
ip load-sharing trident fields ip source-ip source-port destination-ip destination-port ingress-interface
!
ip routing
ip routing ipv6 interfaces
no ip routing vrf MGMT
ipv6 unicast-routing
!
ip prefix-list PL-LO seq 5 permit 10.255.0.0/16 ge 32
!
ip route 10.16.0.0/24 Null0 name RAIL-0
ip route vrf MGMT 0.0.0.0/0 192.0.2.1
!
route-map RM-IN permit 10
   match ip address prefix-list PL-LO
!
route-map RM-OUT permit 10
   match ip address prefix-list PL-LO
!
router bfd
   interval 300 min-rx 300 multiplier 3 default
!
router bgp 4200000101
   router-id 10.255.1.1
   no bgp default ipv4-unicast
   timers bgp 3 9
   maximum-paths 64 ecmp 64
   neighbor SPINES peer group
   neighbor SPINES bfd
   neighbor SPINES send-community
   neighbor SPINES maximum-routes 12000 warning-limit 80 percent warning-only
   neighbor interface Ethernet33/1 peer-group SPINES remote-as 65001
   !
   address-family ipv4
      neighbor SPINES activate
      neighbor SPINES route-map RM-IN in
      neighbor SPINES route-map RM-OUT out
      neighbor SPINES next-hop address-family ipv6 originate
      network 10.16.0.0/24
      redistribute connected route-map RM-OUT
!
end
"""  # noqa: E501

# Follows avd's router-bgp-base.cfg, router-bgp-vrf-lite.cfg, route-maps.cfg, prefix-lists.cfg and
# ip-community-lists.cfg: 32 ECMP paths, restart time 555, BFD 2000/2000/3, 12000 routes, peer
# groups, aggregate with attribute and match maps, listen range, VRF with its own neighbour.
AVD_BGP = """\
vrf instance BLUE
   rd 65001:7
!
interface Ethernet2
   no switchport
   ipv6 enable
!
interface Loopback101
   vrf BLUE
   ip address 10.255.7.1/32
!
ip routing
ip routing vrf BLUE
!
ip community-list CL-DRAIN permit GSHUT 65001:100
ip community-list regexp CL-RE permit ^65001:.*
!
ip prefix-list PL-ALL
   seq 10 permit 0.0.0.0/0 le 32
   seq 20 permit 192.168.254.0/24 eq 32
!
ip as-path access-list AP-OWN permit 65101 any
!
peer-filter PF-LEAVES
   10 match as-range 65101-65164 result accept
   20 match as-range 65000 result reject
!
route-map RM-AGG permit 10
   description aggregates
   match ip address prefix-list PL-ALL
   set local-preference 50
!
route-map RM-DRAIN deny 10
   match community CL-DRAIN
!
route-map RM-DRAIN permit 20
   match as-path AP-OWN
   set community GSHUT additive
   set as-path prepend 65101 65101
   set metric 20
   continue 30
!
route-map RM-DRAIN permit 30
   set ip next-hop 10.2.3.4
   sub-route-map RM-AGG
!
router bgp 65101
   router-id 192.168.255.3
   update wait-for-convergence
   update wait-install
   no bgp default ipv4-unicast
   distance bgp 20 200 200
   graceful-restart restart-time 555
   graceful-restart stalepath-time 666
   graceful-restart
   maximum-paths 32 ecmp 32
   bgp listen range 10.10.10.0/24 peer-group PG-LEAVES peer-filter PF-LEAVES
   bgp missing-policy direction in action deny
   neighbor PG-LEAVES peer group
   neighbor PG-LEAVES maximum-routes 0
   neighbor PG-SPINES peer group
   neighbor PG-SPINES password 7 MY+KbyJy4kSu+X/blnVwsg==
   neighbor PG-SPINES graceful-restart-helper
   neighbor 192.0.3.1 remote-as 65432
   neighbor 192.0.3.1 bfd
   neighbor 192.0.3.1 bfd interval 2000 min-rx 2000 multiplier 3
   neighbor 192.0.3.1 send-community
   neighbor 192.0.3.1 maximum-routes 10000
   neighbor 192.0.3.8 peer group PG-SPINES
   neighbor 192.0.3.8 remote-as 65438
   neighbor 192.0.3.8 description spine eight
   neighbor 192.0.3.8 ebgp-multihop 2
   neighbor 192.0.3.8 password <<secret:bgp-spine_8>>
   aggregate-address 10.16.0.0/16 summary-only attribute-map RM-AGG match-map RM-AGG advertise-only
   neighbor interface Ethernet2 peer-group PG-SPINES remote-as 65102
   !
   address-family ipv4
      neighbor PG-SPINES activate
      neighbor PG-SPINES prefix-list PL-ALL in
      neighbor 192.0.3.1 activate
      neighbor 192.0.3.1 route-map RM-DRAIN out
      network 10.0.0.0/8
      network 192.168.0.0/16 route-map RM-AGG
      redistribute static
   !
   vrf BLUE
      rd 1.0.1.1:101
      router-id 10.255.7.1
      neighbor 10.1.1.0 remote-as 65000
      neighbor 10.1.1.0 update-source Loopback101
      redistribute connected
      !
      address-family ipv4
         neighbor 10.1.1.0 activate
"""

# Follows avd's mlag-configuration.cfg (heartbeat 5000, dual primary 5 s, reload delays 400 and
# 450), vlans.cfg (private VLANs), vlan-interfaces.cfg (virtual addresses), port-channel- and
# ethernet-interfaces.cfg (subinterface 101), ip-access-lists.cfg.
AVD_MLAG = """\
vlan 110
   name PR01-DMZ
!
vlan 111
   name PVLAN-COMMUNITY
   private-vlan community primary vlan 110
!
vlan 112
   private-vlan isolated primary vlan 110
!
vlan 4094
   name MLAG-PEER
   trunk group TG-PEER
!
no spanning-tree vlan-id 4094
spanning-tree mode mstp
!
vrf instance TENANT-A
!
interface Port-Channel5
   description L2LEAF1:Po1
   switchport trunk native vlan 110
   switchport trunk allowed vlan 110,201
   switchport mode trunk
   switchport
   mlag 5
   storm-control broadcast level 1
   port-channel lacp fallback individual
   port-channel lacp fallback timeout 30
!
interface Port-Channel8
   no switchport
!
interface Port-Channel8.101
   description to Dev02
   encapsulation dot1q vlan 101
   vrf TENANT-A
   ip address 10.1.2.3/31
!
interface Port-Channel12
   switchport mode trunk
   switchport trunk group TG-PEER
   switchport
!
interface Ethernet60/1
   speed auto 400g-4
   no switchport
!
interface Ethernet8
   speed forced 100gfull
   no switchport
   no lldp transmit
!
interface Ethernet11
   switchport access vlan 112
   switchport mode access
   switchport
   spanning-tree portfast
   spanning-tree bpduguard enable
!
interface Ethernet12
   channel-group 12 mode active
   lacp timer fast
!
interface Vlan110
   description business
   vrf TENANT-A
   mtu 9000
   pvlan mapping 111-112
   ip address 10.0.101.2/24
   ip virtual-router address 10.0.101.1
   ip access-group ACL-BUSINESS in
!
interface Vlan201
   vrf TENANT-A
   ip address virtual 10.10.83.1/24
   ip address virtual 10.11.83.1/24 secondary
!
interface Vlan4094
   no autostate
   ip address 172.16.0.0/31
!
ip virtual-router mac-address 00:1c:73:00:dc:01
!
ip access-list ACL-BUSINESS
   counters per-entry
   10 remark from the business net
   20 permit tcp 10.0.0.0/8 any eq 22 443 established
   30 permit udp host 10.0.0.1 range 1000 1100 any eq ntp
   40 permit icmp any any echo
   4294967295 deny ip any any log
!
mlag configuration
   domain-id MLAG-1
   heartbeat-interval 5000
   local-interface Vlan4094
   peer-address 172.16.0.1
   peer-address heartbeat 192.0.2.12 vrf TENANT-A
   peer-link Port-Channel12
   dual-primary detection delay 5 action errdisable all-interfaces
   dual-primary recovery delay mlag 90 non-mlag 30
   reload-delay mlag 400
   reload-delay non-mlag 450
"""

# Follows avd's management configurations: aaa.cfg (TACACS+ key of type 7 and 8a, groups), ntp.cfg,
# logging.cfg, snmp.cfg (v3 users, localized), management-gnmi.cfg, management-api-http.cfg,
# management-ssh.cfg, management-security.cfg, lldp.cfg.
AVD_MANAGEMENT = """\
no aaa root
!
vrf instance MGMT
!
interface Loopback0
   ip address 10.255.1.1/32
!
interface Management1
   vrf MGMT
   ip address 10.73.255.122/24
   ipv6 address 2001:db8::11/64
!
ip access-list standard ACL-ADMIN
   10 remark jump host
   20 permit host 10.10.10.10
   30 permit 10.0.0.0/8
!
ip name-server vrf MGMT 192.0.2.53
ip name-server vrf MGMT 2001:db8::53
clock timezone Europe/Berlin
!
logging buffered 1000000 warnings
no logging console
logging vrf MGMT host 192.0.2.6 514 protocol tcp
logging vrf MGMT host 2001:db8::6
logging format timestamp traditional year timezone
logging vrf MGMT source-interface Management1
!
ntp local-interface vrf MGMT Management1
ntp server vrf MGMT 192.0.2.5 prefer iburst key 2
ntp server vrf MGMT ie.pool.ntp.org iburst
ntp authentication-key 2 md5 7 044F0E151B
ntp trusted-key 1-3
ntp authenticate
!
lldp timer 30
lldp hold-time 90
no lldp tlv transmit system-capabilities
lldp management-address vrf MGMT
lldp run
!
snmp-server engineID local 424242424242424242
snmp-server contact The operators
snmp-server vrf MGMT local-interface Management1
snmp-server view V-READ iso included
snmp-server group G-READ v3 priv read V-READ
snmp-server user U-READ G-READ v3 auth sha <<secret:snmp-auth>> priv aes <<secret:snmp-priv>>
snmp-server user U-LOC G-READ v3 localized 424242424242424242 auth sha 8da526cd35b9ea9b42d819036f7fad058576ea0a priv aes 8da526cd35b9ea9b42d819036f7fad05
snmp-server host 10.6.75.100 vrf MGMT version 3 priv U-READ
snmp-server vrf MGMT
!
tacacs-server timeout 10
tacacs-server host 10.10.10.157 single-connection vrf MGMT key 7 071B245F5A
tacacs-server host 10.10.10.249 vrf MGMT timeout 23 key <<secret:tacacs>>
tacacs-server host 10.10.10.159 vrf MGMT key 8a $kUVyoj7FVQ//yw9D2lbqjA==$kxxohBiofI46IX3pw18KYQ==
!
aaa group server tacacs+ TAC
   server 10.10.10.157 vrf MGMT
   server 10.10.10.249 vrf MGMT
!
aaa authentication login default group TAC local
aaa authentication enable default group TAC local
aaa authorization exec default group TAC local
aaa authorization commands all default group TAC local
aaa accounting commands all default start-stop group TAC logging
!
management api gnmi
   transport grpc MGMT
      ssl profile TLS
      port 6030
      vrf MGMT
      ip access-group ACL-ADMIN
   provider eos-native
!
management api http-commands
   no protocol http
   protocol https ssl profile TLS
   no shutdown
   !
   vrf MGMT
      no shutdown
      ip access-group ACL-ADMIN
!
management security
   ssl profile TLS
      tls versions 1.2
      certificate eAPI.crt key eAPI.key
!
management ssh
   ip access-group ACL-ADMIN vrf MGMT in
   idle-timeout 15
   connection per-host 10
   client-alive interval 666
   !
   vrf MGMT
      no shutdown
!
ip tacacs vrf MGMT source-interface Management1
"""  # noqa: E501

# The other commands of the same golden configurations, so that each has its mutants: among them
# platform.cfg, hardware.cfg, queue-monitor-*.cfg, interface-defaults.cfg, policy-maps.cfg,
# spanning-tree*.cfg, vlan-internal-order.cfg, logging.cfg, aaa.cfg, management-ssh.cfg,
# link-tracking-groups.cfg.
AVD_REST = """\
no enable password
no ip domain lookup
dns domain example.net
hardware access-list mechanism tcam
hardware speed-group 3/1 serdes 25g
hardware port-group 1 select Et32/1-4
load-interval default 30
queue-monitor length
queue-monitor length log 100
spanning-tree mst 0 priority 4096
spanning-tree priority 8192
vlan internal order ascending range 1006 1199
no ip icmp redirect
no ipv6 icmp redirect
ipv6 route 2001:db8:7::/48 Null0
priority-flow-control all off
ip load-sharing trident fields ipv6 source-ip destination-ip source-port destination-port flow-label
logging console errors
logging trap informational
logging format rfc5424
logging format hostname fqdn
logging facility local7
logging repeat-messages
logging level BGP notifications
no logging event link-status global
tacacs-server key 7 071B245F5A
aaa authentication policy on-failure log
aaa authorization serial-console
aaa authorization policy local default-role network-admin
aaa accounting exec default start-stop logging
snmp-server ipv4 access-list ACL-A
snmp-server enable traps
!
link tracking group EVPN_MH_ES1
   links minimum 30
   recovery delay 500
!
queue-monitor streaming
   max-connections 5
   vrf BLUE
   no shutdown
!
interface defaults
   mtu 9214
   ethernet
      shutdown
!
ip access-list ACL-A
   10 deny ip any any
!
vrf instance BLUE
   description the blue one
!
vlan 7
   state suspend
!
interface Ethernet1
   speed 100g
   no error-correction encoding
   l2 mtu 9214
   no switchport
   ipv6 address 2001:db8::1/64
   ipv6 address fe80::1/64 link-local
   ipv6 nd ra disabled
   ip proxy-arp
   arp aging timeout 1200
   shape rate 200000 kbps
   no priority-flow-control
   priority-flow-control pause watchdog
   priority-flow-control pause watchdog port action drop
   priority-flow-control pause watchdog port timer timeout 1 polling-interval auto recovery-time 2
   lacp port-priority 100
   no logging event link-status
   flowcontrol receive off
   load-interval 5
   link tracking group EVPN_MH_ES1 upstream
   tx-queue 3
   mc-tx-queue 1
!
interface Ethernet2
   switchport trunk private-vlan secondary
   switchport pvlan mapping 20-30
   switchport vlan translation out 111-112 110
   switchport port-security
   spanning-tree guard root
!
interface Port-Channel1
   l2 mtu 8000
   port-channel min-links 2
   link tracking group EVPN_MH_ES1 downstream
!
interface Port-Channel1.7
   encapsulation dot1q vlan 7
   service-policy type qos input PM-A
!
interface Loopback0
   ipv6 address 2001:db8:1::1/128
!
interface Vlan7
   ip local-proxy-arp
!
interface Management1
   mtu 1500
   ipv6 enable
   ip access-group ACL-A in
   no lldp transmit
   speed 1g
!
qos profile P-A
   qos dscp 46
   shape rate 1000000
   priority-flow-control pause watchdog port action notify-only
   tx-queue 1
      bandwidth guaranteed 100
      shape rate 1000000 kbps
      random-detect drop drop-precedence 2 minimum-threshold 2 kbytes maximum-threshold 200 kbytes drop-probability 50 weight 10
!
class-map type qos match-any CM-A
   match vlan 200-400
   match cos 3
   match dscp cs3 26
!
policy-map type quality-of-service PM-A
   class CM-A
      set dscp af11
      set cos 4
      set drop-precedence 1
      police rate 10000 kbps burst-size 260 kbytes
!
ip community-list CL-A permit no-export
!
route-map RM-A permit 10
   match tag 7
   match metric 20
   match interface Ethernet1
   match source-protocol connected
   match ip address access-list ACL-A
   set community none
   set origin igp
   set tag 7
!
route-map RM-A permit 20
   set community community-list CL-A delete
!
mlag configuration
   shutdown
!
management api http-commands
   default-services
!
management ssh
   authentication protocol keyboard-interactive public-key
   authentication mode public-key
   authentication empty-passwords deny
   connection limit 50
   client-alive count-max 42
   log-level debug
   hostkey client strict-checking
   no shutdown
!
management security
   ssl profile TLS-A
      trust certificate ca.crt
!
management api gnmi
   transport grpc A
      no shutdown
!
router bfd
   multihop interval 300 min-rx 300 multiplier 3
!
peer-filter PF-A
   10 match as-range 65000 result accept
!
router bgp 65101
   shutdown
   no graceful-restart-helper
   bgp log-neighbor-changes
   bgp bestpath as-path multipath-relax
   bgp missing-policy address-family all direction out action permit
   neighbor PG-A peer group
   neighbor PG-A remote-as 65001
   neighbor PG-A allowas-in 1
   neighbor PG-A local-as 65102 no-prepend replace-as
   neighbor PG-A timers 3 9
   neighbor PG-A prefix-list PL-A in
   neighbor PG-A route-map RM-A in
   neighbor PG-A update-source Loopback0
   neighbor PG-A missing-policy address-family all include prefix-list direction in action deny
   neighbor interface Ethernet1 peer-group PG-A peer-filter PF-A
   network 10.0.0.0/8
   address-family ipv4
      no neighbor PG-A activate
      neighbor PG-A default-originate route-map RM-A always
   address-family ipv6
      neighbor PG-A activate
!
ip prefix-list PL-A seq 10 permit 10.0.0.0/8 le 24
"""  # noqa: E501

ACCEPTED = {
    "qos": AVD_QOS,
    "ai-leaf": ARISTA_AI_LEAF,
    "bgp": AVD_BGP,
    "mlag": AVD_MLAG,
    "management": AVD_MANAGEMENT,
    "rest": AVD_REST,
}

PROFILE = "qos profile ROCE"
QUEUE = "uc-tx-queue 3"

# Seen in public repositories, and no EOS: each line by itself, where its author put it.
WRONG = [
    ("priority-flow-control watchdog action errdisable",),
    ("priority-flow-control pause watchdog action errdisable",),
    (PROFILE, "priority-flow-control watchdog action errdisable"),
    (PROFILE, QUEUE, "random-detect ecn minimum-threshold 512 maximum-threshold 1536 units kbytes"),
    ("policy-map type qos PM", "class tx-queue 3"),
    ("policy-map type qos PM", "class tx-queue 3 random-detect"),
    ("policy-map type qos PM", "class class-default", "random-detect"),
    ("interface Ethernet1", "priority-flow-control mode on"),
    ("interface Ethernet1", "congestion-control ecn mark"),
    ("ip load-sharing source-ip destination-ip ip-protocol",),
    ("ip load-sharing udp source-port destination-port",),
    ("ip load-sharing trident fields ip dst-ip src-ip ip-proto l4-dst-port l4-src-port",),
    ("router bgp 65001", "neighbor 10.0.0.1 maximum-prefix 12000"),
    ("router bgp 65001", "neighbor Ethernet1 interface remote-as external"),
    ("feature bgp",),
]

# One line in its block; what stands out of range, and what is wanted there.
OUT_OF_RANGE = [
    (("interface Ethernet1", "mtu 9216"), "'9216': expected <68-9214>"),
    (("interface Ethernet1", "mtu 67"), "'67': expected <68-9214>"),
    (("qos map dscp 64 to traffic-class 3",), "'64': expected <0-63>"),
    (("qos map dscp 26 to traffic-class 8",), "'8': expected <0-7>"),
    ((PROFILE, "priority-flow-control priority 8 no-drop"), "'8': expected <0-7>"),
    ((PROFILE, QUEUE, "bandwidth percent 101"), "'101': expected <1-100>"),
    ((PROFILE, "uc-tx-queue 8"), "'8': expected <0-7>"),
    (("router bgp 0",), "'0': expected <1-4294967295>"),
    (("router bgp 4294967296",), "'4294967296': expected <1-4294967295>"),
    (("router bgp 65001.1",), "'65001.1': expected <1-4294967295>"),
    (("vlan 4095",), "'4095': expected <VLANs of 1-4094> or internal"),
    (("vlan 20-10",), "'20-10': expected <VLANs of 1-4094> or internal"),
    (("interface Ethernet1", "channel-group 2001 mode active"), "'2001': expected <1-2000>"),
    (
        ("interface Ethernet1", "bfd interval 40 min-rx 300 multiplier 3"),
        "'40': expected <50-60000>",
    ),
    (
        ("interface Loopback0", "ip address 10.0.0.256/32"),
        "'10.0.0.256/32': expected <IPv4 address/length>",
    ),
    (
        ("ip route 10.0.0.1/24 Null0",),
        "'10.0.0.1/24': expected <IPv4 prefix without host bits> or vrf",
    ),
    (("priority-flow-control pause watchdog default timeout 61",), "'61': expected <0.01-60>"),
    (
        ("priority-flow-control pause watchdog default timeout 0.205",),
        "'0.205': expected <0.01-60>",
    ),
    (("router bgp 65001", "maximum-paths 601"), "'601': expected <1-600>"),
    (("lldp timer 4",), "'4': expected <5-32768>"),
]

SLOW = (
    "priority-flow-control pause watchdog port timer timeout 0.2 polling-interval 0.11"
    " recovery-time 0.4"
)

CLEAR_TEXT = [
    "tacacs-server host 192.0.2.8 key letmein",
    "tacacs-server host 192.0.2.8 key 0 letmein",
    "tacacs-server host 192.0.2.8 key 7 letmein",
    "ntp authentication-key 1 md5 letmein",
    "snmp-server user U-READ G-READ v3 auth sha letmein priv aes letmein",
    "snmp-server community public ro",
    "hostname <<secret:name>>",
    "snmp-server contact <<secret:name>>",
    "tacacs-server host 192.0.2.8 key <<secret:bad name>>",
    "tacacs-server host 192.0.2.8 key <<secret:>>",
]


@pytest.mark.parametrize("name", ACCEPTED)
def test_published_configurations_are_accepted(name):
    assert problems("eos", ACCEPTED[name]) == ()


def test_every_command_of_the_grammar_stands_in_an_accepted_configuration():
    taken = {
        one.pattern
        for text in ACCEPTED.values()
        for one in walk(grammar(), text)
        if isinstance(one, Seen)
    }
    assert commands_of("eos") - taken == set()


def test_eos_is_among_the_languages():
    assert "eos" in languages()
    with pytest.raises(KeyError):
        problems("ios", "")


@pytest.mark.parametrize("lines", WRONG, ids=lambda lines: lines[-1])
def test_wrong_syntax_seen_in_public_is_refused(lines):
    refused = {one.text for one in problems("eos", in_block(*lines, indent=3))}
    assert lines[-1] in refused
    assert problems("eos", f"{lines[-1]}\n"), "refused in no block either"


@pytest.mark.parametrize(("lines", "why"), OUT_OF_RANGE, ids=lambda one: str(one)[-40:])
def test_values_out_of_range_are_refused(lines, why):
    found = problems("eos", in_block(*lines, indent=3))
    assert (len(lines), why) in whys(found)


@pytest.mark.parametrize("line", CLEAR_TEXT)
def test_secrets_in_clear_text_are_refused(line):
    assert line in {one.text for one in problems("eos", f"{line}\n")}


@pytest.mark.parametrize("name", ACCEPTED)
def test_mutants_are_refused(name):
    found = survivors("eos", ACCEPTED[name])
    for kind in ("keyword changed", "number changed", "address changed"):
        assert found.get(kind, (0, []))[1] == [], kind
    count = sum(total for total, _ in found.values())
    taken = [one for _, some in found.values() for one in some]
    assert len(taken) <= 0.12 * count, taken


def test_a_changed_name_that_something_refers_to_is_refused():
    text = ARISTA_AI_LEAF.replace("service-profile ROCE", "service-profile ROCEE", 1)
    assert whys(problems("eos", text))[0][1] == "no qos-profile is named 'ROCEE'"


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["router bgp 65001", "   vrf BLUE"], "no vrf is named 'BLUE'"),
        (["router bgp 65001", "   neighbor PG bfd"], "no peer-group is named 'PG'"),
        (["router bgp 65001", "   neighbor 10.0.0.1 bfd"], "no neighbor is named '10.0.0.1'"),
        (["interface Ethernet1", "   ip access-group ACL in"], "no acl is named 'ACL'"),
        (["route-map RM permit 10", "   match ip address prefix-list PL"],
         "no prefix-list is named 'PL'"),
        (["policy-map type qos PM", "   class CM"], "no class-map is named 'CM'"),
        (["interface Ethernet1", "   service-policy type qos input PM"],
         "no policy-map is named 'PM'"),
        (["interface Ethernet1", "interface Ethernet1"], "this block is already in line 1"),
        (["qos profile P", "   tx-queue 1", "      bandwidth percent 60", "   tx-queue 2",
          "      bandwidth percent 41"], "`bandwidth percent` sums to 101 in its policy"),
        (["qos profile P", "   tx-queue 1",
          "      random-detect ecn minimum-threshold 513 kbytes maximum-threshold 512 kbytes"],
         "minimum-threshold is above maximum-threshold"),
        (["qos profile P", f"   {SLOW}"],
         "polling-interval is above half of timeout or recovery-time"),
        (["priority-flow-control pause watchdog default timeout 0.2",
          "priority-flow-control pause watchdog default polling-interval 0.2"],
         "polling-interval is above half of timeout or recovery-time"),
        (["ip prefix-list PL seq 5 permit 10.0.0.0/16 ge 24 le 20"],
         "lengths must rise: prefix, ge or eq, le"),
        (["interface Ethernet1", "  mtu 9214"], "indented by 2, not by a multiple of 3"),
        (["hostname A", "   mtu 9214"], "indented, but the line above opens no block"),
        (["hostname A", "end", "ip routing"], "stands behind the `end` of line 2"),
        (["ip routing", "ip routing"], "this line is already in line 1"),
        (
            ["vrf instance V", "interface Vlan7", "   ip address 10.0.0.1/24", "   vrf V"],
            "removes the addresses above it",
        ),
        (
            ["interface Vlan7", "   ip address 10.0.0.1/24", "interface Vlan8",
             "   ip address virtual 10.0.0.129/25"],
            "overlaps with the address of line 2",
        ),
        (["mtu 9214"], "no command here begins with 'mtu'"),
        (["interface Ethernet1", "   mtu"], "incomplete: expected <68-9214>"),
        (["interface Ethernet1", "   mtu 9214 "], "white space that no running configuration has"),
        (["interface Et1", "   mtu 9214"], "stands in a block that was refused"),
        (["interface Ethernet1", "   description caf\N{LATIN SMALL LETTER E WITH ACUTE}"],
         "'caf\N{LATIN SMALL LETTER E WITH ACUTE}': expected <printable ASCII text>"),
    ],
)  # fmt: skip
def test_what_the_device_refuses_across_lines(lines, why):
    found = problems("eos", "\n".join(lines))
    assert why in {one.why for one in found}


def test_the_same_address_may_stand_in_two_vrfs_and_twice_on_a_port():
    text = """\
vrf instance V
interface Vlan7
   vrf V
   ip address 10.0.0.1/24
   ip address 10.0.0.2/24 secondary
interface Vlan8
   ip address 10.0.0.1/24
"""
    assert problems("eos", text) == ()


def test_a_problem_says_where_and_what():
    assert problems("eos", "!\ninterface Ethernet1\n   mtu 9300\n") == (
        GrammarProblem(3, "mtu 9300", "'9300': expected <68-9214>"),
    )


WORDS = sorted({word for text in ACCEPTED.values() for word in text.split()})
LINES = st.lists(
    st.tuples(st.sampled_from(["", "   ", "      ", "  "]), st.lists(st.sampled_from(WORDS)))
)


@given(text=st.text())
def test_arbitrary_text_never_raises(text):
    assert isinstance(problems("eos", text), tuple)


@given(lines=LINES)
def test_arbitrary_lines_of_its_own_words_never_raise(lines):
    text = "\n".join(indent + " ".join(words) for indent, words in lines)
    found = problems("eos", text)
    assert all(0 < one.line <= len(lines) for one in found)
