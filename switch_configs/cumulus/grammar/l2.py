"""NVUE paths of bridging and filtering: bridge domains, MLAG, VRFs, access lists."""

from __future__ import annotations

from .tree import Group

BRIDGE = "content/nvue-reference/Set-and-Unset-Commands/Bridge.md"
MLAG = "content/nvue-reference/Set-and-Unset-Commands/MLAG.md"
VRR = "content/cumulus-linux-514/Layer-2/Virtual-Router-Redundancy-VRR.md"
ACL = "content/nvue-reference/Set-and-Unset-Commands/ACL.md"
VRF = "content/cumulus-linux-514/Layer-3/VRFs/Virtual-Routing-and-Forwarding-VRF.md"
STATIC = "content/nvue-reference/Set-and-Unset-Commands/Static-Routing.md"
BFD = "content/nvue-reference/Set-and-Unset-Commands/BFD.md"

DSCP = (
    "0-63|ANY|af11|af12|af13|af21|af22|af23|af31|af32|af33|af41|af42|af43"
    "|cs1|cs2|cs3|cs4|cs5|cs6|cs7|be|ef"
)

GROUPS = (
    Group(
        BRIDGE,
        """
        {}
        type (vlan-aware)
        untagged (1-4094|none)
        encap (802.1Q)
        vlan <vlans> {}
        mac-address (auto|<mac>)
        stp state (up|down) {}
        stp priority 4096-61440
        stp mode (rstp|pvrst)
        multicast snooping {enable}
        multicast snooping querier {enable}
        svi-force-up {enable}
        """,
        under=("bridge domain <name>",),
    ),
    Group(
        MLAG,
        """
        {enable}
        mac-address (auto|<mac>)
        backup <ip> {}
        backup <ip> vrf <vrf>
        peer-ip (linklocal|<ip>)
        priority 0-65535
        init-delay 1-900
        debug {on}
        """,
        under=("mlag",),
    ),
    Group(VRR, "router vrr {enable}"),
    Group(
        VRF,
        """
        vrf <vrf> {}
        vrf <vrf> table (auto)
        vrf <vrf> loopback ip address <ip-prefix> {}                              @-5.14
        """,
    ),
    Group(
        STATIC,
        """
        via <via> {}
        via (blackhole|reject) {}
        via <via> interface (auto|<port-name>)                                    @-5.11
        via <via> interface (auto|<port-name>) {}                                 @5.12-
        via <via> vrf (auto|<vrf>)
        via <via> flag (onlink) {}
        via <via> type (interface|ipv4-address|ipv6-address)
        via (blackhole|reject) type (blackhole|reject)
        tag (1-4294967295|none)
        """,
        under=(
            "vrf <vrf> router static <route>",
            "vrf <vrf> router static <route> distance <distance>",
        ),
    ),
    Group(STATIC, "vrf <vrf> router static <route> address-family (ipv4-unicast|ipv6-unicast)"),
    Group(
        BFD,
        """
        profile <name>
        multi-hop (enabled|disabled)
        source <ip>
        """,
        under=("vrf <vrf> router static <route> via <ip> bfd @5.15-",),
    ),
    Group(
        ACL,
        f"""
        type (ipv4|ipv6|mac)
        rule <rule> remark <text>
        rule <rule> match vlan 1-4094
        rule <rule> match ip (source-ip|dest-ip) <acl-ip>
        rule <rule> match ip protocol (0-255|tcp|udp|ospf|pim|icmp|icmpv6|igmp)
        rule <rule> match ip dscp ({DSCP})
        rule <rule> match ip (tcp|udp) (source-port|dest-port) <ip-port> {{}}
        rule <rule> match ip tcp state (established)
        rule <rule> match ip connection-state (established|related|new|invalid) {{}}
        rule <rule> match ip icmp-type (0-255|echo-reply|echo-request|time-exceeded|dest-unreachable|port-unreachable)
        rule <rule> match ip icmpv6-type (0-255|router-solicitation|router-advertisement|neighbor-solicitation|neighbor-advertisement)
        rule <rule> match ip fragment {{}}
        rule <rule> match ip ecn ip-ect 0-3
        rule <rule> match mac (source-mac|dest-mac) (ANY|bpdu|cdp|cisco-pvst|lacp|lldp|<mac>)
        rule <rule> match mac (source-mac-mask|dest-mac-mask) <mac>
        rule <rule> match mac protocol (0-255|ANY|arp|ipv4|ipv6)
        rule <rule> action (permit|deny|log) {{}}
        rule <rule> action log log-prefix <text>
        rule <rule> action set dscp ({DSCP})
        rule <rule> action set (class|cos) 0-7
        rule <rule> action police mode (packet)
        rule <rule> action police (burst|rate) 1-2147483647
        rule <rule> action police class 0-7
        """,  # noqa: E501 - one line a path
        under=("acl <name>",),
    ),
)
