"""Forms of overlays, pairs, routing and multicast: see `forms.py` (EOS User Manual, by chapter)."""

from __future__ import annotations

from collections.abc import Mapping

# What BGP says in every table and family; `%s` is where it stands.
_BGP = """
%s / rd <rd>|auto
%s / route-target import|export|both [evpn|vpn-ipv4|vpn-ipv6] <rd>|auto
%s / [no|default] redistribute <name> [include leaked] [route-map <name>]
%s / redistribute ospf|isis|ospfv3 match|level-1|level-2|internal|external [<name>] [route-map <name>]
%s / aggregate-address <ip> [as-set] [summary-only] [attribute-map <name>] [advertise-only]
%s / [no] update wait-install|wait-for-convergence
%s / distance bgp <number> <number> <number>
%s / [no] graceful-restart [restart-time <number>] [stalepath-time <number>]
%s / [no] graceful-restart-helper [long-lived]
%s / timers bgp <number> <number>
%s / [no] bgp log-neighbor-changes
%s / [no] bgp always-compare-med
%s / [no] bgp bestpath tie-break router-id
%s / bgp bestpath med missing-as-worst|confed
%s / [no|default] bgp default ipv4-unicast|ipv6-unicast
%s / bgp cluster-id <ip>
%s / bgp asn notation asdot|asplain
%s / [no] bgp additional-paths receive|install
%s / [no] bgp additional-paths send any|backup|ecmp|limit [<number>]
%s / [no] bgp next-hop-unchanged
%s / bgp listen range <ip> [peer-id include router-id] peer-group <name> remote-as|peer-filter <name>
%s / neighbor <name> update-source <name>
%s / neighbor <name> ebgp-multihop [<number>]
%s / neighbor <name> ttl maximum-hops <number>
%s / neighbor <name> next-hop-self|next-hop-unchanged|next-hop-peer|shutdown|route-reflector-client
%s / neighbor <name> send-community standard|extended|large [extended|large] [large]
%s / neighbor <name> password [0|7|8a] <secret>
%s / neighbor <name> local-as <number> [no-prepend] [replace-as] [fallback]
%s / neighbor <name> allowas-in [<number>]
%s / neighbor <name> weight <number>
%s / neighbor <name> idle-restart-timer <number>
%s / neighbor <name> graceful-restart|graceful-restart-helper|enforce-first-as
%s / neighbor <name> rib-in pre-policy retain [all]
%s / neighbor <name> default-originate [always] [route-map <name>]
%s / neighbor <name> default-originate route-map <name> [always]
%s / neighbor <name> remove-private-as [all] [replace-as]
%s / neighbor <name> as-path prepend-own|remote-as disabled|replace [out]
%s / neighbor <name> prefix-list <name> in|out
%s / neighbor <name> peer-tag in <name>
%s / neighbor <name> transport connection-mode passive
%s / neighbor <name> additional-paths receive|send [any]
%s / no neighbor <name> enforce-first-as|send-community|shutdown|next-hop-self|route-reflector-client
%s / no neighbor <name> next-hop address-family ipv6 [originate]
%s / neighbor <name> next-hop address-family ipv6 [originate]
%s / neighbor <name> bfd|fall-over [bfd]
"""  # noqa: E501  a form is one line
_PLACES = (
    "router bgp <name>",
    "router bgp <name> / vrf <name>",
    "router bgp <name> / address-family ipv4|ipv6",
    "router bgp <name> / vrf <name> / address-family ipv4|ipv6",
)

WRITTEN: Mapping[str, str] = {
    "EVPN": """
interface <name> / vxlan source-interface <name>
interface <name> / vxlan udp-port <number>
interface <name> / vxlan virtual-router encapsulation mac-address mlag-system-id|<mac>
interface <name> / vxlan vlan <name> vni <name>
interface <name> / vxlan vrf <name> vni <number>
interface <name> / vxlan vlan <name> flood vtep <ip> [<ip>] [<ip>] [<ip>]
interface <name> / vxlan flood vtep <ip> [<ip>] [<ip>] [<ip>]
interface <name> / vxlan flood vtep learned data-plane
interface <name> / vxlan vlan <name> multicast group <ip>
interface <name> / vxlan vrf <name> multicast group <ip>
interface <name> / vxlan learn-restrict any
interface <name> / vxlan mlag source-interface <name>
interface <name> / vxlan multicast headend-replication
interface <name> / vxlan bridging vtep-to-vtep
interface <name> / evpn ethernet-segment
interface <name> / evpn ethernet-segment / identifier <name>
interface <name> / evpn ethernet-segment / redundancy single-active|all-active
interface <name> / evpn ethernet-segment / route-target import <name>
interface <name> / evpn ethernet-segment / mpls shared index <number>
interface <name> / evpn ethernet-segment / mpls tunnel flood filter time <number>
interface <name> / evpn ethernet-segment / designated-forwarder election algorithm modulus|preference [<number>] [dont-preempt]
interface <name> / evpn ethernet-segment / designated-forwarder election hold-time <number>
interface <name> / evpn ethernet-segment / designated-forwarder election candidate reachability required
ip address virtual source-nat vrf <name> address <ip>
router bgp <name> / vlan <name>
router bgp <name> / vlan-aware-bundle <name>
router bgp <name> / vlan|vlan-aware-bundle <name> / rd [evpn domain all] <rd>|auto
router bgp <name> / vlan|vlan-aware-bundle <name> / route-target import|export|both [evpn domain remote|all] <rd>|auto
router bgp <name> / vlan|vlan-aware-bundle <name> / route-target import export evpn domain remote|all <rd>|auto
router bgp <name> / vlan|vlan-aware-bundle <name> / rd evpn domain remote|all <rd>|auto
router bgp <name> / vlan|vlan-aware-bundle <name> / redistribute learned|static|igmp|router-mac|dot1x
router bgp <name> / vlan|vlan-aware-bundle <name> / redistribute router-mac system|next-hop [default] [vtep primary]
router bgp <name> / vlan|vlan-aware-bundle <name> / redistribute router-mac virtual-ip next-hop vtep primary
router bgp <name> / vlan|vlan-aware-bundle <name> / no redistribute learned|host-route
router bgp <name> / vlan|vlan-aware-bundle <name> / vlan <name>
router bgp <name> / vrf <name> / evpn multicast
router bgp <name> / vrf <name> / evpn multicast / address-family ipv4
router bgp <name> / vrf <name> / evpn multicast / address-family ipv4 / transit
router bgp <name> / vrf <name> / evpn multicast / gateway dr election algorithm preference <number>
router bgp <name> / vrf <name> / default-route export evpn [always] [route-map <name>]
router bgp <name> / address-family evpn|rt-membership|vpn-ipv4|vpn-ipv6
router bgp <name> / address-family evpn|rt-membership|vpn-ipv4|vpn-ipv6 / [no|default] neighbor <name> activate
router bgp <name> / address-family evpn|vpn-ipv4|vpn-ipv6 / neighbor <name> route-map <name> in|out
router bgp <name> / address-family evpn|vpn-ipv4|vpn-ipv6 / neighbor <name> encapsulation vxlan|mpls [next-hop-self source-interface <name>]
router bgp <name> / address-family evpn / neighbor default encapsulation vxlan|mpls [next-hop-self source-interface <name>]
router bgp <name> / address-family evpn / neighbor <name> domain remote
router bgp <name> / address-family evpn / neighbor default next-hop-self received-evpn-routes route-type ip-prefix [inter-domain]
router bgp <name> / address-family evpn / domain identifier <name> [remote]
router bgp <name> / address-family evpn / next-hop resolution disabled
router bgp <name> / address-family evpn / next-hop mpls resolution ribs <name> [<name>]
router bgp <name> / address-family evpn / [no] host-flap detection [window <number> threshold <number>] [expiry timeout <number> seconds]
router bgp <name> / address-family evpn / route import match-failure action discard
router bgp <name> / address-family evpn / route import ethernet-segment ip mass-withdraw
router bgp <name> / address-family evpn / route export ethernet-segment ip mass-withdraw
router bgp <name> / address-family evpn / route type ip-prefix ipv4|ipv6 <name>
router bgp <name> / address-family evpn / evpn ethernet-segment domain all
router bgp <name> / address-family evpn / bgp additional-paths receive|send [any]
router bgp <name> / address-family evpn / neighbor <name> additional-paths receive|send [any]
router bgp <name> / address-family evpn / layer-2 fec in-place update [timeout <number> seconds]
router bgp <name> / address-family rt-membership / neighbor <name> default-route-target [only]
router l2-vpn
router l2-vpn / arp proxy|learning|selective-install [bridged]
router l2-vpn / nd learning|rs bridged|flooding [disabled]
router l2-vpn / virtual-router neighbor advertisement disabled
mac address-table notification host-flap logging
""",  # noqa: E501  a form is one line
    "MLAG": """
mlag configuration / reload-delay <number>
mlag configuration / reload-delay mlag|non-mlag <number>
mlag configuration / heartbeat-interval <number>
mlag configuration / local-interface <name>
mlag configuration / dual-primary detection delay <number> [action errdisable all-interfaces]
mlag configuration / dual-primary recovery delay mlag <number> non-mlag <number>
mlag configuration / lacp standby
mlag configuration / shutdown
""",
    "BGP": "".join(_BGP.replace("%s", one) for one in _PLACES)
    + """
peer-filter <name>
peer-filter <name> / <number> match as-range <name> result accept|reject
router bfd
router bfd / [multihop] interval <number> min-rx <number> multiplier <number> [default]
router bfd / session stats snapshot interval <number>
bfd multihop interval <number> min_rx <number> multiplier <number>
ip extcommunity-list [standard|regexp] <name> permit|deny <text>
ip large-community-list [standard|regexp] <name> permit|deny <text>
ip as-path access-list <name> permit|deny <text>
route-map <name> permit|deny <number> / set origin incomplete|igp|egp
route-map <name> permit|deny <number> / set extcommunity <text>
route-map <name> permit|deny <number> / set as-path prepend|match <text>
route-map <name> permit|deny <number> / set metric <number>
route-map <name> permit|deny <number> / set tag <number>
route-map <name> permit|deny <number> / set weight <number>
route-map <name> permit|deny <number> / continue [<number>]
""",
    "routing": """
arp aging timeout default <number>
ip arp aging timeout default <number>
ip icmp redirect
no ip icmp redirect
ipv6 icmp redirect
ip hardware fib optimize prefix-length <number> [<number>]
ip hardware fib optimize prefixes profile <name>
router general
router general / router-id ipv4|ipv6 <ip>
router general / vrf <name>
router general / vrf <name> / leak routes source-vrf <name> subscribe-policy <name>
router general / hardware next-hop fast-failover
router ospf <number> [vrf <name>]
router ospf <number> [vrf <name>] / router-id <ip>
router ospf <number> [vrf <name>] / [no] passive-interface <name>|default
router ospf <number> [vrf <name>] / network <ip> area <number>|<ip>
router ospf <number> [vrf <name>] / max-lsa <number>
router ospf <number> [vrf <name>] / maximum-paths <number>
router ospf <number> [vrf <name>] / log-adjacency-changes [detail]
router ospf <number> [vrf <name>] / redistribute connected|static|bgp [route-map <name>]
router ospf <number> [vrf <name>] / bfd default
router ospf <number> [vrf <name>] / auto-cost reference-bandwidth <number>
router isis <name>
router isis <name> / net <name>
router isis <name> / router-id ipv4 <ip>
router isis <name> / is-type level-1|level-2|level-1-2
router isis <name> / log-adjacency-changes
router isis <name> / timers local-convergence-delay [<number>] protected-prefixes
router isis <name> / address-family ipv4|ipv6 unicast
router isis <name> / address-family ipv4|ipv6 unicast / maximum-paths <number>
router isis <name> / address-family ipv4|ipv6 unicast / fast-reroute ti-lfa mode link-protection|node-protection
interface <name> / isis enable <name>
interface <name> / isis circuit-type level-1|level-2|level-1-2
interface <name> / isis metric <number>
interface <name> / isis passive
interface <name> / isis network point-to-point
interface <name> / isis passive-interface default
interface <name> / [no] isis hello padding
interface <name> / isis authentication mode md5|text
interface <name> / isis authentication key [0|7|8a] <secret>
interface <name> / ip ospf network point-to-point
interface <name> / ip ospf area <number>|<ip>
interface <name> / ip ospf cost <number>
interface <name> / ip ospf authentication [message-digest]
interface <name> / ip ospf message-digest-key <number> md5|sha256|sha512 [0|7|8a] <secret>
interface <name> / ip ospf neighbor bfd
interface <name> / ipv6 address <ip>
interface <name> / ipv6 address virtual <ip>
interface <name> / ipv6 virtual-router address <ip>
interface <name> / ipv6 nd ra disabled [all]
interface <name> / ipv6 nd managed-config-flag|other-config-flag
interface <name> / ipv6 nd prefix <ip> [<number>|infinite] [<number>|infinite] [no-autoconfig]
interface <name> / ipv6 nd cache expire <number>
interface <name> / ip address <ip> secondary
interface <name> / ip address virtual <ip> secondary
interface <name> / ip address dhcp
interface <name> / ip address unnumbered <name>
interface <name> / [no] ip proxy-arp|local-proxy-arp|redirects
interface <name> / arp aging timeout <number>
interface <name> / arp gratuitous accept
interface <name> / ip attached-host route export [<number>]
interface <name> / bfd interval <number> min-rx|min_rx <number> multiplier <number>
interface <name> / [no] bfd echo
interface <name> / vrrp <number> <text>
interface <name> / ip ospf dead-interval|hello-interval <number>
ip route [vrf <name>] <ip> <ip>|<name> [<ip>] [<number>] [tag <number>] [track bfd] [name <name>]
ipv6 route [vrf <name>] <ip> <ip>|<name> [<ip>] [<number>] [tag <number>] [track bfd] [name <name>]
ip access-list standard <name>
ip access-list [standard] <name> / <number> permit|deny <ip>
vrf instance <name>
""",  # noqa: E501  a form is one line
    "multicast": """
ip igmp snooping vlan <name>
no ip igmp snooping vlan <name>
ip igmp snooping
no ip igmp snooping
ip igmp snooping vlan <name> querier [address <ip>]
ip igmp snooping vlan <name> fast-leave
ip igmp snooping fast-leave
ip igmp snooping querier [address <ip>]
router multicast
router multicast / ipv4|ipv6
router multicast / vrf <name>
router multicast / vrf <name> / ipv4|ipv6
router multicast / ipv4 / routing
router multicast / vrf <name> / ipv4 / routing
router multicast / ipv4 / multipath none|deterministic [router-id]
router multicast / ipv4|ipv6 / software-forwarding kernel|sfe
router multicast / ipv4|ipv6 / counters rate period decay <number> seconds
router pim sparse-mode
router pim sparse-mode / ipv4
router pim sparse-mode / ipv4 / rp address <ip> [<ip>] [hashmask <number>]
router pim sparse-mode / ipv4 / anycast-rp <ip> <ip> [register-count <number>]
router pim sparse-mode / vrf <name>
router pim sparse-mode / vrf <name> / ipv4
router pim sparse-mode / vrf <name> / ipv4 / rp address <ip> [<ip>]
router msdp
interface <name> / pim ipv4 sparse-mode|bidirectional
interface <name> / pim ipv4 dr-priority <number>
interface <name> / pim ipv4 local-interface <name>
interface <name> / ip igmp [version <number>]
interface <name> / multicast ipv4 source route export [<number>]
""",
}
"""By topic, one form a line."""
