"""Lines of NX-OS that no plan has, by their form (Cisco Nexus 9000 NX-OS guides).

None of them says what a port does with a packet of the lossless class: QoS, PFC, MTU, flow control
and whatever else decides that is either read or unread.
"""

from __future__ import annotations

from switch_configs.beside import Forms

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

FORMS = Forms(
    {
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
            text.replace("%s", one)
            for text, places in ((_TABLE, _TABLES), (_PEER, _PEERS))
            for one in places
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
        "spanning tree": """
spanning-tree mode mst|rapid-pvst
spanning-tree vlan <name> priority <number>
spanning-tree vlan <name> hello-time <number>
spanning-tree vlan <name> forward-time <number>
spanning-tree vlan <name> max-age <number>
spanning-tree mst <number>|<name> priority <number>
spanning-tree mst configuration
spanning-tree mst configuration / name <name>
spanning-tree mst configuration / revision <number>
spanning-tree mst configuration / instance <number> vlan <name>
spanning-tree domain <number>|enable|disable
spanning-tree loopguard default
no spanning-tree loopguard default
spanning-tree bridge assurance
no spanning-tree bridge assurance
spanning-tree pathcost method long|short
spanning-tree port type edge|network|normal default
spanning-tree port type edge bpduguard|bpdufilter default
interface <name> / spanning-tree bpduguard|bpdufilter enable|disable
interface <name> / spanning-tree guard root|loop|none
interface <name> / spanning-tree link-type point-to-point|auto|shared
interface <name> / spanning-tree port type normal
interface <name> / spanning-tree cost <number>|auto
interface <name> / no spanning-tree bpduguard|bpdufilter
""",
        "interfaces": """
interface <name> / shutdown
interface <name> / lacp rate fast|normal
interface <name> / lacp port-priority <number>
interface <name> / lacp mode delay
interface <name> / lacp min-links <number>
interface <name> / [no] lacp suspend-individual|graceful-convergence
interface <name> / lacp vpc-convergence
interface <name> / [no] logging event port link-status|trunk-status [default]
interface <name> / [no] cdp enable
interface <name> / [no] lldp transmit|receive
interface <name> / load-interval [counter <number>] <number>
interface <name> / delay <number>
interface <name> / duplex full|auto|half
interface <name> / [no] negotiate auto
interface <name> / [no] snmp trap link-status
interface <name> / [no] management
interface <name> / mac-address <mac>
interface <name> / udld enable|disable|aggressive
interface <name> / beacon
interface <name> / link debounce time <number>
interface <name> / storm-control broadcast|multicast|unicast level <name>
interface <name> / storm-control action trap|shutdown
interface <name> / switchport block multicast|unicast
interface <name> / switchport mode dot1q-tunnel
interface <name> / switchport host
interface <name> / switchport vlan mapping [enable] [<number>] [<number>]
interface <name> / ipv6 address dhcp
interface <name> / no autostate
interface <name> / layer2|layer3 pass-through
vlan <name> / state active|suspend
vlan <name> / no shutdown
vlan <name> / shutdown
vlan <name> / name <text>
no vlan dot1Q tag native
vlan dot1Q tag native
cdp enable
no cdp enable
cdp timer|holdtime <number>
cdp format device-id <name>
lldp reinit <number>
lldp tlv-select <name> [<name>]
no lldp tlv-select <name> [<name>]
udld aggressive
system default switchport
no system default switchport
system default switchport shutdown
port-channel load-balance <text>
mac address-table aging-time <number>
mac address-table notification mac-move
errdisable recovery cause <name>
errdisable recovery interval <number>
errdisable detect cause <name>
monitor session <number>
monitor session <number> / source interface <name> rx|tx|both
monitor session <number> / destination interface <name>
monitor session <number> / no shut
""",
        "users": """
username <name> password [0|5|8|9] <secret> [role <name>]
username <name> password [0|5|8|9] <secret> / role <name>
username <name> role <name>
username <name> sshkey <text>
username <name> keypair <text>
username <name> passphrase lifetime <number> warntime <number> gracetime <number>
role name <name>
role name <name> / rule <number> permit|deny <text>
role name <name> / description <text>
role feature-group name <name>
password strength-check
no password strength-check
password prompt username
password secure-mode
userpassphrase min-length <number> max-length <number>
user max-logins <number>
login on-success|on-failure log
login block-for <number> attempts <number> within <number>
fips mode enable
ssh key rsa|ecdsa|dsa [<number>] [force]
no ssh key rsa|ecdsa|dsa [<number>] [force]
ssh login-attempts <number>
ssh ciphers|macs|kexalgos|keytypes <name>
ssh idle-timeout <number>
feature ssh|telnet|signature-verification
no feature ssh|telnet|signature-verification
telnet server enable
no telnet server enable
aaa authentication login console|default group <name> [<name>] [local] [none]
aaa authentication login console|default local|none
aaa authentication login error-enable|ascii-authentication|mschapv2 [enable]
no aaa authentication login error-enable|ascii-authentication
aaa user default-role
no aaa user default-role
aaa authorization commands|config-commands console|default group <name> [local]
aaa authorization commands|config-commands console|default local
aaa accounting default group <name> [<name>] [local]
aaa group server tacacs+|radius <name>
aaa group server tacacs+|radius <name> / server <name>
aaa group server tacacs+|radius <name> / use-vrf <name>
aaa group server tacacs+|radius <name> / deadtime <number>
aaa group server tacacs+|radius <name> / source-interface <name>
tacacs-server host <name> [port <number>] [key] [0|6|7] [<secret>] [timeout <number>]
tacacs-server key [0|6|7] <secret>
tacacs-server timeout|deadtime <number>
tacacs-server directed-request
radius-server host <name> key [0|6|7] <secret> [auth-port <number>] [acct-port <number>] [authentication] [accounting]
radius-server key [0|6|7] <secret>
radius-server timeout|deadtime|retransmit <number>
ip tacacs|radius source-interface <name>
key chain <name>
key chain <name> / key <number>
key chain <name> / key <number> / key-string [0|6|7] <secret>
crypto <text>
""",  # noqa: E501  a form is one line
        "management": """
feature <name> [<name>]
install feature-set <name>
feature-set <name>
vdc <name> id <number>
vdc <name> id <number> / limit-resource <name> minimum <number> maximum <number>
vdc <name> id <number> / allocate interface <text>
vdc <name> id <number> / cpu-share <number>
boot nxos <name> [sup-1|sup-2]
boot kickstart|system <name>
boot poap enable
no boot poap enable
boot order <name> [<name>]
cli alias name <name> <text>
banner motd|exec <text>
banner motd|exec <text> / <text>
line console
line console / exec-timeout <number>
line console / speed <number>
line console / terminal length <number>
line vty / exec-timeout <number>
line vty / logout-warning <number>
line vty / no access-class <name> in
ip domain-lookup
no ip domain-lookup
ip domain-name|domain-list <name>
ip name-server <ip> [<ip>] [use-vrf <name>]
ip host <name> <ip>
ip ftp|tftp|ssh|http source-interface <name>
nxapi http|https port <number>
nxapi use-vrf <name>
nxapi sandbox
no nxapi http|https [port <number>]
license grace-period
license smart <text>
icam monitor scale
icam monitor scale <text>
system memory-thresholds minor <number> severe <number> critical <number>
switchto <name>
hostname <name>
terminal length|width|session-timeout <number>
install <text>
diagnostic bootup level complete|bypass
power redundancy-mode <name>
callhome
callhome / email-contact <name>
callhome / enable
""",
        "time and logs": """
clock timezone <name> <number> <number>
clock summer-time <text>
clock format 12-hours|24-hours
clock protocol ntp|none [vdc <number>]
ntp server <name> [prefer] [maxpoll <number>] [minpoll <number>] [use-vrf <name>] [key <number>]
ntp peer <name> [use-vrf <name>]
ntp source <ip>
ntp source-interface <name>
ntp authenticate
ntp authentication-key <number> md5 <secret> [0|7]
ntp trusted-key <number>
ntp master <number>
ntp logging
no ntp logging
ntp access-group <text>
logging level <name> <number>
logging server <name> [<number>] [port <number>] [use-vrf <name>] [facility <name>]
logging source-interface <name>
logging origin-id hostname|ip|string [<name>]
logging logfile <name> <number> [size <number>]
logging timestamp milliseconds|microseconds|seconds
logging console|monitor|module [<number>]
no logging console|monitor|module
logging event link-status|trunk-status default|enable
logging ip access-list cache <name> <number>
logging message interface type ethernet description
ptp source <ip>
ptp domain <number>
ptp management
interface <name> / ptp [vlan <number>]
rmon event <number> [log] [trap <name>] description <name> owner <name>
rmon event <number> log trap public description <text>
rmon event <number> description <text>
rmon alarm <text>
""",
        "SNMP": """
snmp-server contact [<text>]
snmp-server location [<text>]
snmp-server community <secret> [group <name>]
snmp-server community <secret> ro|rw|rW
snmp-server community <secret> use-ipv4acl <name>
snmp-server user <name> [<name>] auth md5|sha|sha-256 <secret> [priv [aes-128] <secret>] [localizedkey|localizedV2key] [engineID <name>]
snmp-server user <name> <name>
snmp-server host <name> traps|informs version 1|2c|3 [auth|priv|noauth] <secret> [udp-port <number>]
snmp-server host <name> use-vrf <name>
snmp-server host <name> source-interface <name>
snmp-server source-interface traps|informs <name>
snmp-server enable traps [<text>]
no snmp-server enable traps <text>
snmp-server protocol enable
no snmp-server protocol enable
snmp-server globalEnforcePriv
snmp-server aaa-user cache-timeout <number>
snmp-server counter cache timeout <number>
""",  # noqa: E501  a form is one line
        "telemetry": """
telemetry
telemetry / certificate <name> <name>
telemetry / destination-profile
telemetry / destination-profile / use-vrf <name>
telemetry / destination-profile / source-interface <name>
telemetry / destination-group <name>
telemetry / destination-group <name> / ip address <ip> port <number> protocol gRPC|HTTP|UDP|http encoding GPB|JSON|GPB-compact
telemetry / sensor-group <name>
telemetry / sensor-group <name> / data-source <name>
telemetry / sensor-group <name> / path <text>
telemetry / subscription <number>
telemetry / subscription <number> / dst-grp <name>
telemetry / subscription <number> / snsr-grp <name> sample-interval <number>
sflow sampling-rate <number>
sflow counter-poll-interval <number>
sflow collector-ip <ip> vrf <name> [source <ip>]
sflow collector-port <number>
sflow agent-ip <ip>
sflow data-source interface <name>
flow exporter|record|monitor <name>
flow exporter|record|monitor <name> / <text>
ngoam install acl
ngoam loop-detection
ngoam authentication-key <number>
grpc use-vrf <name>
grpc certificate <name>
""",  # noqa: E501  a form is one line
        "hardware": """
hardware access-list tcam region <name> <number> [double-wide]
hardware profile <name> <name>
hardware forwarding unicast trace
hardware rate-limiter <text>
system routing template-dual-stack-host-scale|template-lpm-heavy|template-max-mode-l2
system nve infra-vlans <name>
system vlan <number> reserve
system vlan nve-overlay id <name>
copp profile strict|moderate|lenient|dense
no copp profile
no platform punt-policer
""",
    }
)
"""Consulted for lines that no reader of this folder takes."""
