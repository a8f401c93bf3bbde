"""NVUE paths of BGP and BFD, global and per VRF, of neighbors and of peer groups."""

from __future__ import annotations

from .tree import Group

REFERENCE = "content/nvue-reference/Set-and-Unset-Commands/BGP.md"
BFD = "content/nvue-reference/Set-and-Unset-Commands/BFD.md"
ADAPTIVE = "content/nvue-reference/Set-and-Unset-Commands/Adaptive-Routing.md"
LIST_COMMANDS = (
    "content/cumulus-linux-54/System-Configuration/NVIDIA-User-Experience-NVUE/NVUE-Commands.md"
)
WHATS_NEW = "content/cumulus-linux-512/Whats-New/_index.md"

VRF_BGP = "vrf <vrf> router bgp"
NEIGHBOR = f"{VRF_BGP} neighbor <neighbor>"
PEER_GROUP = f"{VRF_BGP} peer-group <name>"
FAMILIES = "(ipv4-unicast|ipv6-unicast)"

GROUPS = (
    Group(
        REFERENCE,
        """
        {enable}
        autonomous-system (1-4294967295|none|leaf|spine)
        router-id (none|<ipv4>)
        policy-update-timer 0-600
        graceful-shutdown {on}
        wait-for-install {on}
        graceful-restart mode (off|helper-only|full)
        graceful-restart restart-time 1-3600
        graceful-restart path-selection-deferral-time 0-3600
        graceful-restart stale-routes-time 1-3600
        convergence-wait (time|establish-wait-time) 0-3600
        queue-limit (input|output) 1-4294967295
        """,
        under=("router bgp",),
    ),
    Group(
        BFD,
        """
        state (enabled|disabled)
        offload (enabled|disabled)                                                @5.16-
        profile <name> {}
        profile <name> detect-multiplier 2-255
        profile <name> (min-rx-interval|min-tx-interval) 10-4294967
        profile <name> minimum-ttl 1-254
        profile <name> (passive-mode|shutdown) (enabled|disabled)
        """,
        under=("router bfd @5.15-",),
    ),
    Group(
        ADAPTIVE,
        """
        router adaptive-routing {enable}
        router adaptive-routing link-utilization-threshold {on}
        """,
    ),
    Group(
        LIST_COMMANDS,
        """
        {enable}
        autonomous-system (1-4294967295|auto|none|leaf|spine)
        router-id (auto|none|<ipv4>)
        timers keepalive (1-65535|none)
        timers hold (3-65535|none)
        timers connection-retry 1-65535
        timers route-advertisement (1-600|none)
        path-selection routerid-compare {on}
        path-selection aspath (compare-lengths|compare-confed) {on}
        path-selection med (compare-always|compare-deterministic|compare-confed|missing-as-max) {on}
        path-selection multipath (aspath-ignore|generate-asset) {on}
        path-selection multipath bandwidth (all-paths|skip-missing|default-weight-for-missing|ignore)
        dynamic-neighbor limit 1-5000
        dynamic-neighbor listen-range <net> peer-group <name>
        """,  # noqa: E501 - one line a path
        under=(VRF_BGP,),
    ),
    Group(
        LIST_COMMANDS,
        """
        {enable}
        multipaths (ebgp|ibgp) 1-128
        multipaths compare-cluster-length {on}
        admin-distance (external|internal) 1-255
        rib-filter (none|<name>)
        redistribute (static|connected|kernel) {}
        redistribute (static|connected|kernel) {enable}
        redistribute (static|connected|kernel) metric (0-4294967295|auto)
        redistribute (static|connected|kernel) route-map (none|<name>)
        route-import from-vrf {enable}
        route-import from-vrf list <vrf> {}
        route-import from-vrf route-map <name>
        """,
        under=(f"{VRF_BGP} address-family {FAMILIES}",),
    ),
    Group(
        LIST_COMMANDS,
        """
        ipv4-unicast aggregate-route <ipv4-net> {}
        ipv4-unicast aggregate-route <ipv4-net> (summary-only|as-set) {on}
        ipv4-unicast aggregate-route <ipv4-net> route-map (none|<name>)
        ipv4-unicast network <ipv4-net> {}
        ipv4-unicast network <ipv4-net> route-map (none|<name>)
        ipv6-unicast aggregate-route <ipv6-net> {}
        ipv6-unicast aggregate-route <ipv6-net> (summary-only|as-set) {on}
        ipv6-unicast aggregate-route <ipv6-net> route-map (none|<name>)
        ipv6-unicast network <ipv6-net> {}
        ipv6-unicast network <ipv6-net> route-map (none|<name>)
        """,
        under=(f"{VRF_BGP} address-family",),
    ),
    Group(
        LIST_COMMANDS,
        """
        description <text>
        remote-as (1-4294967295|internal|external)
        password <secret>
        update-source <source>
        multihop-ttl (1-255|auto)
        (enforce-first-as|passive-mode|nexthop-connected-check|shutdown) {on}
        ttl-security {enable}
        ttl-security hops 1-254
        capabilities extended-nexthop (on|off|auto)                               @-5.14
        capabilities extended-nexthop (enabled|disabled|auto)                     @5.15-
        capabilities source-address <source>
        local-as {enable}
        local-as asn 1-4294967295
        local-as (prepend|replace) {on}
        timers keepalive (0-65535|none|auto)
        timers hold (3-65535|none|auto)
        timers connection-retry (1-65535|auto)
        timers route-advertisement (1-600|none|auto)
        bfd enable (on|off)                                                       @-5.14
        bfd detect-multiplier 2-255                                               @-5.14
        bfd (min-rx-interval|min-tx-interval) 50-60000                            @-5.14
        bfd profile <name>                                                        @5.15-
        """,
        under=(NEIGHBOR, PEER_GROUP),
    ),
    Group(
        LIST_COMMANDS,
        """
        neighbor <neighbor> {}
        neighbor <neighbor> {enable}
        neighbor <neighbor> type (numbered|unnumbered)
        neighbor <neighbor> peer-group (none|<name>)
        neighbor <neighbor> remote-as (auto)
        peer-group <name> {}
        """,
        under=(VRF_BGP,),
    ),
    Group(
        WHATS_NEW,
        """
        neighbor <neighbor> graceful-shutdown {on}                                @5.10-
        neighbor <neighbor> graceful-restart mode (auto|off|helper-only|full)
        peer-group <name> graceful-shutdown {on}                                  @5.12-
        """,
        under=(VRF_BGP,),
    ),
    Group(
        LIST_COMMANDS,
        """
        {enable}
        policy (inbound|outbound) (route-map|prefix-list) (none|<name>)
        policy (inbound|outbound) aspath-list (none|<name>)
        policy outbound unsuppress-map (none|<name>)
        prefix-limits inbound maximum (1-4294967295|none)
        prefix-limits inbound warning-threshold 1-100
        prefix-limits inbound warning-only {on}
        prefix-limits inbound reestablish-wait 1-65535
        default-route-origination {enable}
        default-route-origination policy (none|<name>)
        community-advertise (regular|extended|large) {on}
        attribute-mod (aspath|med|nexthop) {on}
        aspath allow-my-asn {enable}
        aspath allow-my-asn origin {on}
        aspath allow-my-asn occurrences 1-10
        aspath replace-peer-as {on}
        aspath private-as (none|remove|replace)
        soft-reconfiguration {on}
        route-reflector-client {on}
        nexthop-setting (auto|self|force)
        add-path-tx (off|all-paths|best-per-as)
        weight 0-65535
        """,
        under=(
            f"{NEIGHBOR} address-family {FAMILIES}",
            f"{PEER_GROUP} address-family {FAMILIES}",
        ),
    ),
)
