"""NVUE paths of routing policy: prefix lists, community lists, AS-path lists, route maps."""

from __future__ import annotations

from .tree import Group

REFERENCE = "content/nvue-reference/Set-and-Unset-Commands/Router-Policy.md"
LIST_COMMANDS = (
    "content/cumulus-linux-54/System-Configuration/NVIDIA-User-Experience-NVUE/NVUE-Commands.md"
)

GROUPS = (
    Group(
        REFERENCE,
        """
        prefix-list <name> {}
        prefix-list <name> type (ipv4|ipv6)
        prefix-list <name> rule <rule> action (permit|deny)
        prefix-list <name> rule <rule> match <net> {}
        prefix-list <name> rule <rule> match <net> (min-prefix-len|max-prefix-len) 0-128
        community-list <name> rule <rule> action (permit|deny)
        community-list <name> rule <rule> community <community> {}
        community-list <name> rule <rule> community (internet) {}                 @-5.13
        large-community-list <name> rule <rule> action (permit|deny)
        large-community-list <name> rule <rule> large-community <large-community> {}
        as-path-list <name> rule <rule> action (permit|deny)
        as-path-list <name> rule <rule> aspath-exp <regex>
        """,
        under=("router policy",),
    ),
    Group(
        LIST_COMMANDS,
        """
        action (permit|deny) {}
        action permit exit-policy {}
        action permit exit-policy next-rule {}
        action permit exit-policy exit <rule>
        action permit exit-policy rule <rule>
        description <text>
        match type (ipv4|ipv6)
        match (ip-prefix-list|ip-nexthop-list|as-path-list) <name>
        match (community-list|large-community-list) <name>
        match ip-prefix-len 0-128
        match ip-nexthop-len 0-32
        match ip-nexthop <ip>
        match ip-nexthop-type (blackhole)
        match interface <port-name>
        match peer (local|<neighbor>)
        match metric <bytes>
        match tag 1-4294967295
        match local-preference 0-4294967295
        match origin (egp|igp|incomplete)
        match source-protocol (bgp|connected|kernel|ospf|ospf6|sharp|static)
        match source-vrf <vrf>
        set as-path-prepend as 1-4294967295
        set as-path-prepend last-as 1-10
        set as-path-exclude 1-4294967295
        set community <community> {}
        set community (internet) {}                                               @-5.13
        set large-community <large-community> {}
        set (community-delete-list|large-community-delete-list) <name>
        set atomic-aggregate {on}
        set ext-community-bw (cumulative|multipaths|cumulative-non-transitive|multipaths-non-transitive)
        set local-preference 0-4294967295
        set weight 0-4294967295
        set metric (0-4294967295|rtt|rtt-plus|rtt-minus)
        set metric-type (type-1|type-2)
        set origin (egp|igp|incomplete)
        set tag 1-4294967295
        set ip-nexthop (unchanged|peer-addr|<ip>)
        set (ipv6-nexthop-global|ipv6-nexthop-local) <ipv6>
        set ipv6-nexthop-prefer-global {on}
        set source-ip <ip>
        """,  # noqa: E501 - one line a path
        under=("router policy route-map <name> rule <rule>",),
    ),
    Group(REFERENCE, "router policy route-map <name> {}"),
)
