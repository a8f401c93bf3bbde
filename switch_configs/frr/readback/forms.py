"""Lines of frr.conf that no plan has, by their form (FRR manual, by chapter).

FRR's lines say by themselves what they are of, so a form is a line; below an interface or another
daemon's block it is the line with that block before it. Nothing in frr.conf queues a packet.
"""

from __future__ import annotations

from collections.abc import Mapping

_OVERLAY = """
advertise-all-vni
advertise-default-gw
advertise-svi-ip
advertise-pip [ip <ip>] [mac <mac>]
advertise ipv4|ipv6 unicast [gateway-ip] [route-map <name>]
no advertise-pip
autort rfc8365-compatible
default-originate ipv4|ipv6
dup-addr-detection [max-moves <number>] [time <number>] [freeze] [<number>|permanent]
no dup-addr-detection
flooding disable|head-end-replication
rd <rd>|auto
rd vpn export <rd>|auto
rt vpn import|export|both <rd>|auto [<rd>|auto] [<rd>|auto] [<rd>|auto]
route-target import|export|both <rd>|auto
label vpn export auto|<number>
import|export vpn
import vrf <name>
import vrf route-map <name>
vni <number> [prefix-routes-only]
exit-vni
mac-vrf soo <rd>|auto
use-es-l3nhg
ead-es-frag evi-limit <number>
match evpn vni <number>
match evpn route-type prefix|macip|multicast|ead|es|<number>
match evpn default-route
match evpn rd <rd>|auto
set evpn gateway-ip ipv4|ipv6 <ip>
evpn mh startup-delay|mac-holdtime|neigh-holdtime <number>
interface <name> / evpn mh es-id <number>
interface <name> / evpn mh es-sys-mac <mac>
interface <name> / evpn mh es-df-pref <number>
interface <name> / evpn mh uplink
"""
_BGP = """
address-family ipv6 unicast
address-family l2vpn evpn
address-family ipv4|ipv6 vpn|multicast|labeled-unicast
agentx
bgp as-path access-list <name> [seq <number>] permit|deny <text>
bgp bestpath compare-routerid
bgp bestpath as-path confed|ignore
bgp bestpath bandwidth ignore|skip-missing|default-weight-for-missing
bgp bestpath peer-type multipath-relax
bgp bestpath med confed|missing-as-worst [missing-as-worst]
bgp always-compare-med
bgp deterministic-med
no bgp deterministic-med
bgp cluster-id <ip>
bgp confederation identifier <number>
bgp confederation peers <text>
bgp dampening [<number>] [<number>] [<number>] [<number>]
bgp default show-hostname
bgp default show-nexthop-hostname
bgp default ipv4-unicast|ipv6-unicast
bgp default subgroup-pkt-queue-max <number>
no bgp default show-hostname
no bgp default show-nexthop-hostname
no bgp default ipv6-unicast
no bgp log-neighbor-changes
bgp disable-ebgp-connected-route-check
bgp fast-convergence
bgp fast-external-failover
no bgp fast-external-failover
bgp graceful-restart [restart-time|stalepath-time|select-defer-time|rib-stale-time] [<number>]
bgp graceful-restart preserve-fw-state
bgp graceful-restart-disable
no bgp graceful-restart notification
bgp hard-administrative-reset
no bgp hard-administrative-reset
bgp labeled-unicast explicit-null
bgp listen limit <number>
bgp listen range <ip> peer-group <name>
bgp max-med on-startup <number> [<number>]
bgp minimum-holdtime <number>
bgp network import-check [exact]
no bgp network import-check
bgp nexthop-tracking <text>
bgp route-map delay-timer <number>
bgp route-reflector allow-outbound-policy
bgp suppress-duplicates
no bgp suppress-duplicates
no bgp reject-as-sets
bgp reject-as-sets
bgp suppress-fib-pending
bgp update-delay <number> [<number>]
bgp conditional-advertisement timer <number>
bgp large-community-list standard|expanded <name> [seq <number>] permit|deny <text>
bgp extcommunity-list standard|expanded <name> [seq <number>] permit|deny <text>
bgp community-list expanded <name> [seq <number>] permit|deny <text>
bgp community alias <name> <name>
bgp retain route-target all
no bgp retain route-target all
coalesce-time <number>
distance bgp <number> <number> <number> (in another address family)
distance bgp <number> <number> <number>
aggregate-address <ip> [as-set] [summary-only] [route-map <name>]
table-map <name>
maximum-paths ibgp <number> [equal-cluster-length]
maximum-paths ibgp <number> [equal-cluster-length] (in another address family)
maximum-paths <number>
maximum-paths <number> (in another address family)
network <ip> [route-map <name>]
network <ip> [route-map <name>] (in another address family)
redistribute connected|static|kernel|ospf|ospf6|isis|eigrp|rip|sharp|local|table-direct [<number>] [metric <number>] [route-map <name>]
redistribute connected|static|kernel|ospf|ospf6|isis|eigrp|rip|sharp|local|table-direct [<number>] [metric <number>] [route-map <name>] (in another address family)
neighbor <ip>|<name> update-source <ip>|<name>
neighbor <ip>|<name> ebgp-multihop [<number>]
neighbor <ip>|<name> disable-connected-check
neighbor <ip>|<name> ttl-security hops <number>
neighbor <ip>|<name> advertisement-interval <number>
neighbor <ip>|<name> local-as <number> [no-prepend] [replace-as]
neighbor <ip>|<name> password <secret>
neighbor <ip>|<name> shutdown [message] [<text>]
neighbor <ip>|<name> passive|solo|strict-capability-match|override-capability|dont-capability-negotiate
neighbor <ip>|<name> enforce-first-as
no neighbor <ip>|<name> enforce-first-as
neighbor <ip>|<name> capability dynamic|software-version|fqdn|orf|link-local
no neighbor <ip>|<name> capability <name>
neighbor <ip>|<name> graceful-restart|graceful-restart-helper|graceful-restart-disable
neighbor <ip>|<name> tcp-mss <number>
neighbor <ip>|<name> port <number>
neighbor <ip>|<name> sender-as-path-loop-detection
neighbor <ip>|<name> bfd check-control-plane-failure
neighbor <ip>|<name> bfd <number> <number> <number>
neighbor <ip>|<name> timers delayopen <number>
neighbor <ip>|<name> extended-optional-parameters
neighbor <ip>|<name> peer-group <name> (in another address family)
"""  # noqa: E501  a form is one line
# What a neighbour says in any family.
_EACH = """
activate
allowas-in [<number>|origin]
as-override
attribute-unchanged [as-path] [next-hop] [med]
addpath-tx-all-paths
addpath-tx-bestpath-per-AS
default-originate [route-map <name>]
disable-addpath-rx
distribute-list <name> in|out
filter-list <name> in|out
maximum-prefix <number> [<number>] [warning-only] [force]
maximum-prefix-out <number>
next-hop-self [force|all]
nexthop-local unchanged
prefix-list <name> in|out
remove-private-AS [all] [replace-AS]
route-map <name> in|out
route-reflector-client
route-server-client
send-community [all|both|extended|standard|large]
soft-reconfiguration inbound
soo <rd>|auto
unsuppress-map <name>
advertise-map <name> exist-map|non-exist-map <name>
encapsulation-srv6
"""
_POLICIES = """
ip prefix-list <name> [seq <number>] deny <ip> [ge <number>] [le <number>]
ip prefix-list <name> [seq <number>] deny any
ip prefix-list <name> description <text>
ipv6 prefix-list <name> [seq <number>] permit|deny <ip>|any [ge <number>] [le <number>]
ipv6 prefix-list <name> description <text>
access-list <name> [seq <number>] permit|deny <text>
ipv6 access-list <name> [seq <number>] permit|deny <text>
description <text>
match interface <name>
match ipv6 address prefix-list <name>
match ip|ipv6 address <name>
match ip|ipv6 next-hop [prefix-list|address] <name>|<ip>
match ip address prefix-len <number>
match as-path <name>
match large-community|extcommunity <name> [exact-match]
match community <name> exact-match
match local-preference|metric|tag <number>
match origin igp|egp|incomplete
match peer <ip>|<name>|local
match source-protocol <name>
match source-vrf <name>
match rpki valid|invalid|notfound
match vpn dataplane <name>
set as-path prepend|exclude <text>
set as-path prepend last-as <number>
set comm-list <name> delete
set community none
set extcommunity bandwidth <number>|cumulative|num-multipaths [non-transitive]
set extcommunity rt|soo <rd>|auto [<rd>|auto] [<rd>|auto]
set extcommunity none
set large-community <text>
set ip|ipv6 next-hop <ip>|unchanged|peer-address
set ipv6 next-hop global|local <ip>
set ipv6 next-hop prefer-global
set metric <number>
set origin igp|egp|incomplete
set src <ip>
set tag <number>
set table <number>
set aggregator as <number> <ip>
set l3vpn next-hop encapsulation gre
call <name>
continue [<number>]
on-match next
on-match goto <number>
rpki
"""
_ROUTING = """
ip route <ip> <ip>|<name> [<name>] [tag <number>] [vrf <name>] [nexthop-vrf <name>] [<number>] [(in] [a] [table] [of] [users)]
ip route <ip> blackhole|reject|Null0 [<number>] [(in] [a] [table] [of] [users)]
ip route <ip> <ip>|<name> vrf <name> [nexthop-vrf <name>]
ip route <ip> blackhole|reject|Null0 vrf <name>
ipv6 route <ip> <ip>|<name>|blackhole|reject|Null0 [<name>] [tag <number>] [vrf <name>] [nexthop-vrf <name>] [<number>]
ip|ipv6 forwarding
no ip|ipv6 forwarding
ip|ipv6 nht resolve-via-default
ip|ipv6 protocol <name> route-map <name>
ip router-id <ip>
router-id <ip>
zebra nexthop-group keep <number>
no zebra nexthop kernel enable
fpm address <ip> port <number>
fpm use-next-hop-groups
no fpm use-next-hop-groups
allow-external-route-update
netns <name>
interface <name>
interface <name> vrf <name>
interface <name> [vrf <name>] / description <text>
interface <name> [vrf <name>] / ip|ipv6 address <ip> [label <name>]
interface <name> [vrf <name>] / ip|ipv6 address <ip> peer <ip>
interface <name> [vrf <name>] / ipv6 nd ra-interval [msec] <number>
interface <name> [vrf <name>] / ipv6 nd ra-lifetime|reachable-time <number>
interface <name> [vrf <name>] / ipv6 nd prefix <ip> [<number>|infinite] [<number>|infinite] [off-link] [no-autoconfig]
interface <name> [vrf <name>] / ipv6 nd managed-config-flag|other-config-flag
interface <name> [vrf <name>] / ipv6 nd suppress-ra
interface <name> [vrf <name>] / no ipv6 nd suppress-ra
interface <name> [vrf <name>] / shutdown
interface <name> [vrf <name>] / no shutdown
interface <name> [vrf <name>] / link-detect
interface <name> [vrf <name>] / no link-detect
interface <name> [vrf <name>] / ip ospf [<number>] area <number>|<ip>
interface <name> [vrf <name>] / ip ospf network point-to-point|broadcast [dmvpn]
interface <name> [vrf <name>] / ip ospf bfd [profile <name>]
interface <name> [vrf <name>] / ip ospf passive
interface <name> [vrf <name>] / ip ospf cost|dead-interval|hello-interval <number>
interface <name> [vrf <name>] / ip ospf authentication [message-digest]
interface <name> [vrf <name>] / ip ospf message-digest-key <number> md5 <secret>
interface <name> [vrf <name>] / ip ospf authentication-key <secret>
interface <name> [vrf <name>] / ipv6 ospf6 area <number>|<ip>
interface <name> [vrf <name>] / ipv6 ospf6 network point-to-point|broadcast
interface <name> [vrf <name>] / ipv6 ospf6 passive
interface <name> [vrf <name>] / ip|ipv6 router isis|openfabric <name>
interface <name> [vrf <name>] / isis|openfabric passive
interface <name> [vrf <name>] / isis network point-to-point
interface <name> [vrf <name>] / isis circuit-type level-1|level-2|level-2-only|level-1-2
interface <name> [vrf <name>] / isis metric <number>
interface <name> [vrf <name>] / isis bfd
interface <name> [vrf <name>] / ip pim [sm]
interface <name> [vrf <name>] / ip pim bfd|passive
interface <name> [vrf <name>] / ip igmp [version <number>]
interface <name> [vrf <name>] / mpls enable
interface <name> [vrf <name>] / mpls bgp forwarding
router ospf [<number>] [vrf <name>]
router ospf [<number>] [vrf <name>] / ospf router-id <ip>
router ospf [<number>] [vrf <name>] / network <ip> area <number>|<ip>
router ospf [<number>] [vrf <name>] / passive-interface <name>
router ospf [<number>] [vrf <name>] / log-adjacency-changes [detail]
router ospf [<number>] [vrf <name>] / redistribute connected|static|bgp|kernel [metric <number>] [route-map <name>]
router ospf [<number>] [vrf <name>] / area <number>|<ip> range <ip>
router ospf [<number>] [vrf <name>] / maximum-paths <number>
router ospf [<number>] [vrf <name>] / timers throttle spf <number> <number> <number>
router ospf [<number>] [vrf <name>] / auto-cost reference-bandwidth <number>
router ospf [<number>] [vrf <name>] / max-metric router-lsa administrative
router ospf6 [vrf <name>]
router ospf6 [vrf <name>] / [ospf6] router-id <ip>
router ospf6 [vrf <name>] / log-adjacency-changes [detail]
router ospf6 [vrf <name>] / auto-cost reference-bandwidth <number>
router ospf6 [vrf <name>] / timers lsa min-arrival <number>
router ospf6 [vrf <name>] / timers throttle spf <number> <number> <number>
router ospf6 [vrf <name>] / redistribute connected|static|bgp|kernel [route-map <name>]
router ospf [<number>] [vrf <name>] / router-id <ip>
router ospf [<number>] [vrf <name>] / timers lsa min-arrival <number>
interface <name> area <ip>
router isis|openfabric <name> [vrf <name>]
router isis|openfabric <name> [vrf <name>] / net <name>
router isis <name> [vrf <name>] / is-type level-1|level-2-only|level-1-2
router isis|openfabric <name> [vrf <name>] / fabric-tier <number>
router pim [vrf <name>]
router pim [vrf <name>] / rp <ip> [<ip>]
router pim [vrf <name>] / join-prune-interval <number>
"""  # noqa: E501  a form is one line
_SYSTEM = """
log file <text>
log syslog [<name>]
log stdout [<name>]
log monitor [<name>]
log facility <name>
log timestamp precision <number>
log commands
log record-priority
no log unique-id
debug <text>
no debug <text>
line vty
line vty / exec-timeout <number> [<number>]
service password-encryption
service advanced-vty
service integrated-vtysh-config
no service integrated-vtysh-config
no ipv6 nd suppress-ra
banner motd line <text>
domainname <name>
"""
_USERS = """
password [8] <secret>
enable password [8] <secret>
username <name> nopassword
key chain <name>
key chain <name> / key <number>
key chain <name> / key-string <secret>
key chain <name> / cryptographic-algorithm <name>
"""


def _each() -> str:
    each = [f"neighbor <ip>|<name> {one}" for one in _EACH.splitlines() if one]
    return "\n".join([*each, *(f"{one} (in another address family)" for one in each)])


WRITTEN: Mapping[str, str] = {
    "EVPN": _OVERLAY,
    "BGP": _BGP + _each(),
    "policies": _POLICIES,
    "routing": _ROUTING,
    "time and logs": _SYSTEM,
    "users": _USERS,
}
"""By topic, one form a line; what a dialect says before each line of its frr.conf is its own."""
