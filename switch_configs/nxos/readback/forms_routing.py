"""Forms of overlays, pairs, routing, multicast (Cisco Nexus 9000 NX-OS guides): see `forms.py`."""

from __future__ import annotations

from collections.abc import Mapping

# What BGP says in every table, and of every neighbour; `%s` is where it stands.
_TABLE = """
%s / timers bgp <number> <number>
%s / timers prefix-peer-timeout <number>
%s / bestpath always-compare-med|compare-routerid|med [missing-as-worst|confed]
%s / cluster-id <ip>
%s / graceful-restart [restart-time|stalepath-time] [<number>]
%s / enforce-first-as
%s / event-history <name> size <name>
%s / dynamic-med-interval <number>
%s / rd <rd>|auto
%s / local-as <number>
%s / router-id <name>
%s / address-family ipv6 unicast
%s / address-family ipv6 unicast / maximum-paths <number>
%s / address-family ipv4|ipv6 unicast / redistribute direct|static|ospf|ospfv3|isis|hmm|eigrp [<name>] route-map <name>
%s / address-family ipv4|ipv6 unicast / aggregate-address <ip> [as-set] [summary-only] [advertise-map <name>]
%s / address-family ipv4|ipv6 unicast / maximum-paths [ibgp|eibgp|mixed] <number>
%s / address-family ipv4|ipv6 unicast / advertise l2vpn evpn
%s / address-family ipv4|ipv6 unicast / default-information originate
%s / address-family ipv4|ipv6 unicast / [no] client-to-client reflection
%s / address-family ipv4|ipv6 unicast / nexthop trigger-delay critical|non-critical <number> [non-critical] [<number>]
%s / address-family ipv4|ipv6 unicast / nexthop route-map <name>
%s / address-family ipv4|ipv6 unicast / network <ip>
%s / address-family ipv4|ipv6 unicast / [no] dampening
%s / address-family ipv4|ipv6 unicast / table-map <name> [filter]
%s / address-family ipv4|ipv6 unicast / export-gateway-ip
%s / address-family l2vpn evpn
%s / address-family l2vpn evpn / advertise-pip
%s / address-family l2vpn evpn / maximum-paths [ibgp] <number>
%s / address-family l2vpn evpn / nexthop route-map <name>
%s / address-family l2vpn evpn / retain route-target all
%s / address-family l2vpn evpn / additional-paths send|receive|selection [route-map] [<name>]
"""  # noqa: E501  a form is one line
_PEER = """
%s / update-source <name>
%s / ebgp-multihop <number>
%s / local-as <number> [no-prepend] [replace-as] [dual-as]
%s / peer-type fabric-external|fabric-border-leaf
%s / disable-connected-check
%s / disable-peer-as-check
%s / dont-capability-negotiate
%s / password [0|3|6|7] <secret>
%s / shutdown
%s / low-memory exempt
%s / log-neighbor-changes [disable]
%s / remove-private-as [all] [replace-as]
%s / transport connection-mode passive
%s / graceful-shutdown activate [route-map <name>]
%s / maximum-peers <number>
%s / inherit peer-session|peer-policy <name> [<number>]
%s / address-family ipv6 unicast|labeled-unicast
%s / address-family l2vpn evpn
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / send-community [both|extended|standard]
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / route-reflector-client
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / next-hop-self [all]
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / next-hop-third-party
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / allowas-in [<number>]
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / as-override
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / disable-peer-as-check
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / prefix-list <name> in|out
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / filter-list <name> in|out
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / route-map <name> in|out
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / soft-reconfiguration inbound [always]
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / default-originate [route-map <name>]
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / capability additional-paths send|receive
%s / address-family ipv4|ipv6|l2vpn unicast|evpn / advertisement-interval <number>
%s / address-family l2vpn evpn / import vpn unicast reoriginate
"""
_TABLES = ("router bgp <name>", "router bgp <name> / vrf <name>")
_PEERS = (
    "router bgp <name> / neighbor <ip>|<name> [remote-as <name>]",
    "router bgp <name> / vrf <name> / neighbor <ip>|<name> [remote-as <name>]",
    "router bgp <name> / template peer|peer-session|peer-policy <name>",
)

WRITTEN: Mapping[str, str] = {
    "EVPN": """
nv overlay evpn
nv overlay multisite
fabric forwarding anycast-gateway-mac <mac>
fabric forwarding dup-host-ip-addr-detection <number> <number>
l2vpn evpn
evpn
evpn / vni <number> l2
evpn / vni <number> l2 / rd <rd>|auto
evpn / vni <number> l2 / route-target import|export|both <rd>|auto
evpn esi multihoming
evpn multihoming
evpn multihoming core-tracking
evpn multisite border-gateway <number>
evpn multisite border-gateway <number> / delay-restore time <number>
evpn multisite border-gateway <number> / dci-advertise-pip
evpn storm-control broadcast|multicast|unicast level <name>
vlan <name> / vn-segment <number>
vlan <name> / mode fabricpath
vrf context <name> / vni <number> [l3]
vrf context <name> / rd <rd>|auto
vrf context <name> / description <text>
vrf context <name> / address-family ipv4|ipv6 unicast
vrf context <name> / address-family ipv4|ipv6 unicast / route-target import|export|both <rd>|auto [evpn|mvpn]
vrf context <name> / address-family ipv4|ipv6 unicast / import|export map <name> [evpn]
vrf context <name> / address-family ipv4|ipv6 unicast / import|export vrf default [<number>] map <name> [advertise-vpn]
interface <name> / evpn multisite dci-tracking|fabric-tracking
interface <name> / ethernet-segment <number>
interface <name> / ethernet-segment <number> / system-mac <mac> <number>
interface <name> / evpn ethernet-segment <number>
interface <name> / ethernet-segment vpc
interface <name> / ethernet-segment <name> / esi <name> [tag <number>]
interface <name> / fabric forwarding mode anycast-gateway
interface <name> / host-reachability protocol bgp
interface <name> / source-interface <name> [anycast] [<name>]
interface <name> / source-interface hold-down-time <number>
interface <name> / advertise virtual-rmac
interface <name> / multisite virtual-rmac <mac>
interface <name> / multisite border-gateway interface <name>
interface <name> / global suppress-arp|ingress-replication [protocol bgp]
interface <name> / global mcast-group <ip> [L2|L3]
interface <name> / member vni <name> [associate-vrf]
interface <name> / member vni <name> [associate-vrf] / mcast-group <ip> [<ip>]
interface <name> / member vni <name> [associate-vrf] / suppress-arp [disable]
interface <name> / member vni <name> [associate-vrf] / ingress-replication protocol bgp|static
interface <name> / member vni <name> [associate-vrf] / ingress-replication protocol static / peer-ip <ip>
interface <name> / member vni <name> [associate-vrf] / multisite ingress-replication [optimized]
interface nve1
interface nve1 / no shutdown
interface nve1 / shutdown
interface nve1 / description <text>
""",  # noqa: E501  a form is one line
    "MLAG": """
cfs eth distribute
vpc domain <number> / peer-switch
vpc domain <number> / delay restore [interface-vlan|orphan-port] <number>
vpc domain <number> / auto-recovery [reload-delay <number>]
vpc domain <number> / ip|ipv6 arp|nd synchronize
vpc domain <number> / layer3 peer-router [syslog]
vpc domain <number> / system-priority <number>
vpc domain <number> / system-mac <mac>
vpc domain <number> / [no] graceful consistency-check
vpc domain <number> / fast-convergence
vpc domain <number> / dual-active exclude interface-vlan <name>
vpc domain <number> / mac-address bpdu source version <number>
vpc domain <number> / virtual peer-link destination <ip> source <ip>
vpc domain <number> / peer-keepalive destination <ip> source <ip> vrf <name>
vpc domain <number> / peer-keepalive destination <ip> source <ip> interval <number> timeout <number>
vpc orphan-port suspend
interface <name> / vpc orphan-port suspend
interface <name> / port-type fabric
""",
    "BGP": "".join(
        text.replace("%s", place)
        for text, places in ((_TABLE, _TABLES), (_PEER, _PEERS))
        for place in places
    )
    + """
router bgp <name> / neighbor <ip>|<name>
router bgp <name> / neighbor <ip>|<name> remote-as <name>
router bgp <name> / neighbor <ip>|<name> remote-as route-map <name>
router bgp <name> / template peer-session|peer-policy <name>
ip as-path access-list <name> [seq <number>] permit|deny <text>
ip community-list standard|expanded <name> [seq <number>] permit|deny <text>
ip extcommunity-list standard|expanded <name> [seq <number>] permit|deny <text>
route-map <name> permit|deny <number> / match tag <number>
route-map <name> permit|deny <number> / match as-number <name>
route-map <name> permit|deny <number> / match as-path <name>
route-map <name> permit|deny <number> / match interface <name>
route-map <name> permit|deny <number> / match route-type <name> [<name>]
route-map <name> permit|deny <number> / match extcommunity <name>
route-map <name> permit|deny <number> / match evpn route-type <name> [all]
route-map <name> permit|deny <number> / match source-protocol <name> [<name>]
route-map <name> permit|deny <number> / set ip|ipv6 next-hop unchanged|peer-address|self|redist-unchanged
route-map <name> permit|deny <number> / set ip next-hop <ip>
route-map <name> permit|deny <number> / set metric <number>
route-map <name> permit|deny <number> / set tag <number>
route-map <name> permit|deny <number> / set origin igp|egp|incomplete
route-map <name> permit|deny <number> / set as-path prepend <text>
route-map <name> permit|deny <number> / set extcommunity <text>
route-map <name> permit|deny <number> / set path-selection all advertise
route-map <name> permit|deny <number> / continue <number>
route-map <name> permit|deny <number> / description <text>
""",  # noqa: E501  a form is one line
    "routing": """
ip route <ip> <ip>|<name> [<ip>] [name <name>] [<number>]
ipv6 route <ip> <ip>|<name> [name <name>] [<number>]
ipv6 switch-packets lla
vrf context <name> / ip route <ip> <name>|<ip> [<ip>] [name <name>] [tag <number>] [<number>]
vrf context <name> / ipv6 route <ip> <name>|<ip> [name <name>] [<number>]
vrf context <name> / ip name-server <ip> [<ip>]
vrf context <name> / ip domain-name <name>
vrf context <name> / ip pim rp-address <ip> group-list <ip> [bidir]
vrf context <name> / ip pim ssm range <ip>
router ospf <name>
router ospf <name> / router-id <ip>
router ospf <name> / bfd
router ospf <name> / default-information originate [always]
router ospf <name> / log-adjacency-changes [detail]
router ospf <name> / auto-cost reference-bandwidth <number> Gbps|Mbps
router ospf <name> / [no] passive-interface default
router ospf <name> / maximum-paths <number>
router ospf <name> / redistribute direct|static|bgp [<name>] route-map <name>
router ospf <name> / vrf <name>
router ospf <name> / vrf <name> / router-id <ip>
router ospf <name> / area <number>|<ip> stub|nssa [no-summary]
router ospf <name> / area <number>|<ip> authentication message-digest
router ospf <name> / timers throttle spf|lsa <number> <number> <number>
router ospf <name> / max-metric router-lsa on-startup <number>
router isis <name>
router isis <name> / net <name>
router isis <name> / is-type level-1|level-2|level-1-2
router isis <name> / log-adjacency-changes
router isis <name> / set-overload-bit on-startup <number>
router isis <name> / address-family ipv4|ipv6 unicast
router isis <name> / address-family ipv4|ipv6 unicast / bfd
router isis <name> / address-family ipv4|ipv6 unicast / router-id <name>
interface <name> / ip router ospf <name> area <number>|<ip>
interface <name> / ip router isis <name>
interface <name> / isis metric <number> level-1|level-2
interface <name> / isis circuit-type level-1|level-2|level-1-2
interface <name> / [no] isis passive-interface level-1|level-2|level-1-2
interface <name> / isis network point-to-point
interface <name> / ip ospf network point-to-point|broadcast
interface <name> / ip ospf cost <number>
interface <name> / ip ospf bfd
interface <name> / [no] ip ospf passive-interface
interface <name> / ip ospf dead-interval|hello-interval <number>
interface <name> / ip ospf authentication [message-digest]
interface <name> / ip ospf message-digest-key <number> md5 [0|3|6|7] <secret>
interface <name> / ip address <ip> secondary [tag <number>]
interface <name> / ip address <ip> tag <number>
interface <name> / ip address dhcp
interface <name> / ip unnumbered <name>
interface <name> / medium p2p|broadcast
interface <name> / ipv6 address <ip> [tag <number>]
interface <name> / ipv6 link-local <ip>
interface <name> / ipv6 forward
interface <name> / ipv6 nd <name> [<name>]
interface <name> / [no] ip proxy-arp|arp|unreachables|local-proxy-arp|directed-broadcast
interface <name> / ip arp timeout <number>
interface <name> / ip arp gratuitous hsrp duplicate
interface <name> / ip dhcp relay address <ip> [use-vrf <name>]
interface <name> / ip dhcp relay source-interface <name>
interface <name> / ip dhcp relay subnet-broadcast
interface <name> / ip verify unicast source reachable-via any|rx
interface <name> / bfd echo
interface <name> / bfd per-link
interface <name> / bfd authentication keyed-sha1 keyid <number> key <secret>
interface <name> / hsrp <number> / priority <number> [forwarding-threshold lower <number> upper <number>]
interface <name> / hsrp <number> / preempt [delay] [minimum <number>] [reload <number>] [sync <number>]
interface <name> / hsrp <number> / timers [msec] <number> [msec] <number>
interface <name> / hsrp <number> / authentication <text>
interface <name> / hsrp <number> / name <name>
interface <name> / hsrp <number> / track <number> [decrement <number>]
interface <name> / hsrp delay minimum <number> [reload <number>]
interface <name> / hsrp <number> ipv6
interface <name> / vrrp <number>
interface <name> / vrrp <number> / priority <number>
interface <name> / vrrp <number> / address <ip>
interface <name> / vrrp <number> / no shutdown
ip source-route
no ip source-route
ip redirects
no ip redirects
ip icmp-errors source-interface <name>
ip arp timeout <number>
ip dhcp relay
ipv6 dhcp relay
ip dhcp relay information option [vpn]
ip dhcp relay sub-option type cisco
ip dhcp snooping
service dhcp
no service dhcp
track <number> interface <name> line-protocol|ip|ipv6 [routing]
track <number> ip route <ip> reachability
bfd echo-interface <name>
bfd slow-timer <number>
bfd startup-timer <number>
bfd ipv4|ipv6 interval <number> min_rx <number> multiplier <number>
bfd multihop interval <number> min_rx <number> multiplier <number>
""",  # noqa: E501  a form is one line
    "multicast": """
ip pim rp-address <ip> [group-list <ip>] [bidir]
ip pim ssm range <ip>|none
ip pim anycast-rp <ip> <ip>
ip pim log-neighbor-changes
ip pim bfd
ip igmp snooping [vxlan]
no ip igmp snooping
interface <name> / ip pim sparse-mode
interface <name> / ip pim dr-priority <number>
interface <name> / ip pim neighbor-policy <name>
interface <name> / ip pim passive
interface <name> / ip igmp version <number>
vlan configuration <name>
vlan configuration <name> / ip igmp snooping querier <ip>
vlan configuration <name> / no ip igmp snooping
vlan configuration <name> / layer-2 multicast lookup mac
""",
}
"""By topic, one form a line."""
