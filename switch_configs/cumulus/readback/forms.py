"""Leaves of NVUE that no plan of ours has, by form: a path with its value.

Source: NVUE Command Reference, the chapter that each topic names; releases that say `enable` where
later ones say `state` stand side by side.
"""

from __future__ import annotations

from switch_configs.readback.beside import Forms

_ON = "enable|state <on>"
_TABLE = "vrf <name> router bgp"
_PEER = f"{_TABLE} neighbor|peer-group <name>"
_FAMILY = "address-family ipv4-unicast|ipv6-unicast|l2vpn-evpn"
_IP = "address-family ipv4-unicast|ipv6-unicast"
_RD = "<rd>|auto|none|ANY:<number>"
_SEGMENT = "interface <name> evpn multihoming"
_STP = "interface <name> bridge domain <name> stp"
_ANY_RULE = "router policy route-map <name> rule <number>"
_ACL = "acl <name> rule <number>"
_SERVICES = "service|system"

FORMS = Forms(
    {
        "EVPN": f"""
            evpn {_ON}
            evpn vni <number>
            evpn vni <number> rd {_RD}
            evpn vni <number> route-target both|export|import {_RD}
            evpn vni <number> route-advertise default-gateway|svi-ip <on>|auto
            evpn route-advertise default-gateway|svi-ip <on>
            evpn route-advertise nexthop-setting <name>
            evpn route-advertise
            evpn dad {_ON}
            evpn dad mac-move-threshold|move-window <number>
            evpn dad duplicate-action freeze duration <number>|permanent
            evpn multihoming {_ON}
            evpn multihoming ead-evi-route rx|tx <on>
            evpn multihoming mac-holdtime|neighbor-holdtime|startup-delay <number>
            evpn multihoming segment mac-address <mac>
            evpn multihoming segment df-preference <number>
            {_SEGMENT} uplink <on>
            {_SEGMENT} segment {_ON}
            {_SEGMENT} segment mac-address <mac>|auto
            {_SEGMENT} segment df-preference <number>|auto
            bridge domain <name> vlan <number> vni <number>|auto
            bridge domain <name> vlan <number> vni <number>|auto mac-learning <on>
            bridge domain <name> vlan <number> vni <number>|auto flooding {_ON}
            bridge domain <name> vlan <number> vni <number>|auto flooding multicast-group <ip>
            bridge domain <name> vlan <number> vni <number>|auto flooding head-end-replication evpn
            bridge domain <name> vlan <number> vni <number>|auto flooding head-end-replication <ip>
            bridge domain <name> vlan-vni-offset <number>
            nve vxlan {_ON}
            nve vxlan arp-nd-suppress|mac-learning <on>
            nve vxlan source address <ip>
            nve vxlan port <number>
            nve vxlan mlag shared-address <ip>
            nve vxlan flooding {_ON}
            nve vxlan flooding multicast-group <ip>
            nve vxlan flooding head-end-replication <ip>|evpn
            vrf <name> evpn {_ON}
            vrf <name> evpn vlan <number>|auto
            vrf <name> evpn prefix-routes-only <on>
            vrf <name> evpn vni <number>
            vrf <name> evpn vni <number> prefix-routes-only <on>
            {_TABLE} rd <rd>
            {_TABLE} route-export to-evpn route-target {_RD}
            {_TABLE} route-import from-evpn route-target {_RD}
            {_TABLE} address-family l2vpn-evpn {_ON}
            {_TABLE} {_IP} route-export to-evpn {_ON}
            {_TABLE} {_IP} route-export to-evpn route-map <name>
            {_TABLE} {_IP} route-export to-evpn default-route-origination|gateway-ip <on>
            {_PEER} address-family l2vpn-evpn {_ON}
        """,
        "MLAG": """
            mlag init-delay <number>
            mlag backup <ip> vrf <name>
            mlag lacp-conflict <on>
            mlag debug <on>
            bridge domain <name> mlag <on>
        """,
        "spanning tree": f"""
            {_STP} admin-edge|auto-edge|bpdu-guard|bpdu-filter|network|restrrole|tcn-guard <on>
            {_STP} path-cost <number>|auto
            bridge domain <name> stp mode rstp|pvrst
            bridge domain <name> stp priority <number>|auto
            bridge domain <name> stp state up|down
            bridge domain <name> stp vlan <number> bridge-priority <number>
            bridge domain <name> stp force-protocol-version rstp|stp
        """,
        "multicast": f"""
            interface <name> ip igmp {_ON}
            interface <name> ip igmp version|query-interval|query-max-response-time <number>
            interface <name> ip igmp static-group <ip> [source-address <ip>]
            interface <name> router pim {_ON}
            interface <name> router pim timers hello-interval <number>
            interface <name> router pim bfd {_ON}
            interface <name> router pim address-family ipv4-unicast use-source <ip>
            router pim {_ON}
            router igmp {_ON}
            router pim timers keep-alive|register-suppress|join-prune <number>
            vrf <name> router pim {_ON}
            vrf <name> router pim ecmp {_ON}
            vrf <name> router pim ecmp rebalance <on>
            vrf <name> router pim address-family ipv4-unicast rp <ip>
            vrf <name> router pim address-family ipv4-unicast rp <ip> group-range <ip>
            vrf <name> router pim address-family ipv4-unicast rp <ip> prefix-list <name>
            vrf <name> router pim msdp-mesh-group <name> member-address|source-address <ip>
            bridge domain <name> multicast snooping {_ON}
            bridge domain <name> multicast snooping querier {_ON}
            bridge domain <name> vlan <number> multicast snooping querier source-ip <ip>
        """,
        "routing": f"""
            {_TABLE} autonomous-system <number>
            {_TABLE} router-id <ip>
            {_TABLE} confederation id <number>
            {_TABLE} {_IP} {_ON}
            {_TABLE} {_IP} redistribute connected|static|kernel|ospf|ospf6 {_ON}
            {_TABLE} {_IP} redistribute connected|static|kernel|ospf|ospf6 route-map <name>
            {_TABLE} {_IP} redistribute connected|static|kernel|ospf|ospf6 metric <number>|auto
            {_TABLE} {_IP} redistribute connected|static|kernel|ospf|ospf6
            {_TABLE} {_IP} multipaths ebgp|ibgp <number>
            {_TABLE} {_IP} multipaths compare-cluster-length <on>
            {_TABLE} {_IP} aggregate-route <ip> [summary-only|as-set <on>]
            {_TABLE} {_IP} network <ip>
            {_TABLE} {_IP} network <ip> route-map <name>
            {_TABLE} {_IP} route-import from-vrf {_ON}
            {_TABLE} {_IP} route-import from-vrf list <name>
            {_TABLE} {_IP} route-import from-vrf route-map <name>
            {_TABLE} path-selection multipath bandwidth ignore|all|skip-missing|default-weight
            {_TABLE} path-selection multipath aspath-ignore|generate-asset <on>
            {_TABLE} path-selection routerid-compare <on>
            {_TABLE} path-selection med compare-always|compare-deterministic <on>
            {_TABLE} dynamic-neighbor {_ON}
            {_TABLE} dynamic-neighbor limit <number>
            {_TABLE} dynamic-neighbor listen-range <ip> peer-group <name>
            {_PEER} {_FAMILY} {_ON}
            {_PEER} {_FAMILY} aspath allow-my-asn {_ON}
            {_PEER} {_FAMILY} aspath allow-my-asn occurrences <number>
            {_PEER} {_FAMILY} aspath allow-my-asn origin <on>
            {_PEER} {_FAMILY} aspath replace-peer-as|private-as <on>|remove|replace
            {_PEER} {_FAMILY} attribute-mod aspath|med|nexthop <on>
            {_PEER} {_FAMILY} nexthop-setting self|auto|force
            {_PEER} {_FAMILY} route-reflector-client|soft-reconfiguration <on>
            {_PEER} {_FAMILY} community-advertise extended|large|regular <on>
            {_PEER} {_FAMILY} default-route-origination {_ON}
            {_PEER} {_FAMILY} policy inbound|outbound route-map|prefix-list|aspath-list <name>
            {_PEER} {_FAMILY} prefix-limits inbound maximum <number>|none
            {_PEER} {_FAMILY} prefix-limits inbound warning-only <on>
            {_PEER} capabilities extended-nexthop|route-refresh|source-address <on>
            {_PEER} local-as {_ON}
            {_PEER} local-as asn <number>
            {_PEER} local-as prepend|replace <on>
            {_PEER} multihop-ttl|ttl-security <number>
            {_PEER} enforce-first-as|passive-mode|nexthop-connected-check <on>
            {_PEER} update-source <name>|<ip>
            {_PEER} password <secret>
            {_PEER} timers route-advertisement <number>|auto|none
            router bgp wait-for-convergence|convergence-wait time|establish-wait-time <number>
            router bgp graceful-restart mode full|helper-only|off
            router bgp graceful-restart path-selection-deferral-time|restart-time <number>
            router bgp graceful-restart stale-routes-time <number>
            router nexthop-tracking ipv4|ipv6 resolved-via-default <on>
            vrf <name> router nexthop-tracking ipv4|ipv6 resolved-via-default <on>
            vrf <name> loopback ip|ipv4|ipv6 address <ip>
            vrf <name> router static <ip> address-family ipv4-unicast|ipv6-unicast
            vrf <name> router static <ip> via <ip>|<name> type ipv4-address|ipv6-address|interface
            vrf <name> router static <ip> via <ip>|<name>
            vrf <name> router static <ip> via <ip>|<name> interface <name>
            vrf <name> router static <ip> via <ip>|<name> vrf <name>
            vrf <name> router static <ip> distance <number> via <ip>|<name>
            vrf <name> router ospf {_ON}
            vrf <name> router ospf router-id <ip>
            vrf <name> router ospf area <name>|<ip> network <ip>
            vrf <name> router ospf redistribute connected|static|bgp {_ON}
            router ospf {_ON}
            router ospf router-id <ip>
            interface <name> router ospf {_ON}
            interface <name> router ospf area <ip>|<number>
            interface <name> router ospf network-type point-to-point|broadcast
            interface <name> router ospf passive|unnumbered <on>
            interface <name> router ospf timers dead-interval|hello-interval <number>
            interface <name> ip|ipv4|ipv6 vrr mac-address <mac>
            interface <name> ip|ipv4|ipv6 vrr mac-id <number>|none
            interface <name> ip|ipv4|ipv6 vrr {_ON}
            interface <name> ip|ipv4|ipv6 forward <on>
            interface <name> ip|ipv6 neighbor-discovery {_ON}
            interface <name> ip neighbor-discovery router-advertisement {_ON}
        """,
        "policies": f"""
            {_ANY_RULE} match interface|community-list|ip-prefix-list|aspath-list <name>
            {_ANY_RULE} match large-community-list|ip-nexthop-list|source-protocol <name>
            {_ANY_RULE} match tag|metric|local-preference|evpn-vni <number>
            {_ANY_RULE} match type ipv4|ipv6
            {_ANY_RULE} match evpn-route-type macip|imet|prefix|ip-prefix
            {_ANY_RULE} match evpn-default-route <on>
            {_ANY_RULE} set tag|metric|local-preference|weight <number>
            {_ANY_RULE} set community|large-community <rd>|none|additive|no-export
            {_ANY_RULE} set large-community <rd>:<number>
            {_ANY_RULE} set as-path-prepend as|last-as <number>
            {_ANY_RULE} set ip-nexthop <ip>|unchanged|peer-addr
            {_ANY_RULE} set source-ip <ip>
            {_ANY_RULE} action permit exit-policy exit|next
            {_ANY_RULE} action permit exit-policy rule <number>
            {_ANY_RULE} description <text>
            router policy prefix-list <name> type ipv6
            router policy prefix-list <name> rule <number> match <ip> max-prefix-len <number>
            router policy as-path-list <name> rule <number> action permit|deny
            router policy as-path-list <name> rule <number> aspath-exp <secret>
            router policy large-community-list <name> rule <number> action permit|deny
            router policy large-community-list <name> rule <number> large-community <rd>:<number>
        """,
        "interfaces": """
            interface <name> bond lacp-bypass <on>
            interface <name> bond lacp-rate fast|slow
            interface <name> bond mlag lacp-conflict <on>
            interface <name> bond up-delay|down-delay <number>
            interface <name> bridge domain <name> learning <on>
            interface <name> ipv4|ipv6 dhcp-client set-hostname|state <on>
            interface <name> ip dhcp-client <on>
            interface <name> link auto-negotiate|lldp|protodown <on>
            interface <name> link duplex full|half
            interface <name> lldp state <on>
            interface <name> neighbor ipv4|ipv6 <ip> lladdr <mac>
            interface <name> tunnel mode ipip|gre
            interface <name> tunnel source-ip|dest-ip <ip>
            bridge domain <name> type vlan-aware
            bridge domain <name> encap 802.1Q
            bridge domain <name> ageing <number>
            bridge domain <name> mac-address <mac>|auto
            service|system lldp
            service|system lldp dot1-tlv|lldp-med-inventory-class <on>|<name>
        """,
        "adaptive routing": """
            interface <name> router adaptive-routing link-utilization-threshold <number>
            interface <name> router adaptive-routing link-utilization-threshold-profile <name>
            router adaptive-routing profile <name>
            router adaptive-routing link-utilization-threshold <on>|<number>
        """,
        "access lists": f"""
            interface <name> acl <name> inbound|outbound
            interface <name> acl <name> inbound|outbound control-plane
            system control-plane acl <name> inbound|outbound
            system reflexive-acl {_ON}
            acl <name> type ipv4|ipv6|mac
            {_ACL} action permit|deny
            {_ACL} action log
            {_ACL} action log log-prefix <name>
            {_ACL} remark <text>
            {_ACL} match ip protocol tcp|udp|icmp|icmpv6|ospf|<number>
            {_ACL} match ip source-ip|dest-ip <ip>|ANY
            {_ACL} match ip tcp|udp source-port|dest-port <number>|ANY|<number>:<number>
            {_ACL} match ip source-port|dest-port <number>|ANY|<number>:<number>
            {_ACL} match ip state established|related|new
            {_ACL} match ip tcp state established|related|new
            {_ACL} match ip icmp-type|icmpv6-type <name>
            {_ACL} match mac protocol <name>|<number>
            {_ACL} match mac source-mac|dest-mac <mac>|ANY
        """,
        "users": f"""
            system aaa class <name> action allow|deny
            system aaa class <name> command-path <secret> permission all|ro|rw|act
            system aaa role <name> class <name>
            system aaa user <name> full-name <text>
            system aaa user <name> role <name>
            system aaa user <name> hashed-password|password <secret>
            system aaa user <name> {_ON}
            system aaa user <name> spiffe-id <secret>
            system aaa user <name> ssh authorized-key <name> key|type <secret>
            system aaa authentication-order <number> <name>
            system aaa radius server <name>|<ip> secret <secret>
            system aaa radius server <name>|<ip> port <number>
            system aaa radius server <name>|<ip> priority <number>
            system aaa tacacs {_ON}
            system aaa tacacs server <number> port <number>
            system security password-hardening state <on>
            system ssh-server {_ON}
            system ssh-server max-sessions-per-connection|inactive-timeout|port <number>
            system ssh-server permit-root-login <on>|<name>
            system ssh-server vrf <name>
            system api {_ON}
            system api port <number>
            system api listening-address <ip>|localhost
            system api certificate <name>
        """,
        "SNMP": f"""
            {_SERVICES} snmp-server {_ON}
            {_SERVICES} snmp-server listening-address <ip>|localhost|all|all-v6
            {_SERVICES} snmp-server readonly-community <secret> access any|<ip>
            {_SERVICES} snmp-server readonly-community <secret> access any|<ip> view <name>
            {_SERVICES} snmp-server system-contact|system-location|system-name <text>
            {_SERVICES} snmp-server trap-destination <ip> community-password <secret>
            {_SERVICES} snmp-server trap-destination <ip> version <name>
            {_SERVICES} snmp-server trap-link-up|trap-link-down check-frequency <number>
        """,
        "time and logs": f"""
            system timezone <name>
            system date-time timezone <name>
            system ntp server <name>|<ip>
            system ntp server <name>|<ip> association-type server|pool|peer
            system ntp server <name>|<ip> iburst|prefer|{_ON}
            system ntp {_ON}
            system ntp listen <name>
            service ntp <name> listen <name>
            service ptp <number> {_ON}
            service ptp <number> domain <number>
            interface <name> ptp {_ON}
            service syslog <name> server <name>|<ip> port <number>
            service syslog <name> server <name>|<ip> protocol tcp|udp
            system syslog server <name>|<ip> port <number>
            system syslog server <name>|<ip> protocol tcp|udp
            system message pre-login|post-login <text>
        """,
        "telemetry": f"""
            system wjh {_ON}
            system wjh channel forwarding trigger l2|l3|tunnel
            system telemetry {_ON}
            system telemetry export state <on>
            system telemetry export vrf <name>
            system telemetry export otlp {_ON}
            system telemetry export otlp grpc insecure <on>
            system telemetry export otlp grpc port <number>
            system telemetry export otlp grpc destination <ip>|<name>
            system telemetry interface-stats|platform-stats|router|lldp export {_ON}
            system telemetry interface-stats|platform-stats|lldp sample-interval <number>
            system sflow {_ON}
            system sflow collector <ip>
            system sflow collector <ip> port <number>
            system gnmi-server {_ON}
        """,
        "DHCP and DNS": """
            service dns <name> server <ip>
            service dns <name> search <name>
            service dns <name> domain <name>
            system dns server <ip>
            system dns server <ip> vrf <name>
            system dns domain <name>
            service dhcp-relay|dhcp-relay6 <name> server <ip>
            service dhcp-relay|dhcp-relay6 <name> interface <name>
            service dhcp-relay|dhcp-relay6 <name> source-ip giaddress|auto
            service dhcp-relay|dhcp-relay6 <name> gateway-interface <name>
            service dhcp-relay|dhcp-relay6 <name> gateway-interface <name> address <ip>
            service dhcp-relay <name> server-group <name> server <ip>
            service dhcp-relay <name> server-group <name> upstream-interface <name>
            service dhcp-relay <name> downstream-interface <name> server-group-name <name>
        """,
        "system": """
            system global anycast-mac|fabric-mac|system-mac <mac>|auto
            system global anycast-id|fabric-id <number>|none
            system global reserved vlan internal range <name>
            system reboot mode cold|fast|warm
            system docker state <on>
            system docker vrf <name>
            system config apply ignore <secret>
            system config apply overwrite all|controlled
            system cpu|memory|disk resource-limit <number>
        """,
    }
)
