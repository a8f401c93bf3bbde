"""NVUE paths of interfaces: kinds, links, addresses, bonds, bridge ports, LLDP, access lists."""

from __future__ import annotations

from .tree import Group

INTERFACE = "content/nvue-reference/Set-and-Unset-Commands/Interface.md"
CHANGES = "content/cumulus-linux-515/Whats-New/New-and-Changed-NVUE-Commands.md"
NEIGHBOR_DISCOVERY = "content/nvue-reference/Set-and-Unset-Commands/Neighbor-Discovery.md"
VRR = "content/nvue-reference/Set-and-Unset-Commands/VRR.md"
BRIDGE = "content/nvue-reference/Set-and-Unset-Commands/Bridge.md"
LLDP = "content/nvue-reference/Set-and-Unset-Commands/LLDP.md"
ADAPTIVE = "content/nvue-reference/Set-and-Unset-Commands/Adaptive-Routing.md"
LIST_COMMANDS = (
    "content/cumulus-linux-54/System-Configuration/NVIDIA-User-Experience-NVUE/NVUE-Commands.md"
)

GROUPS = (
    Group(
        INTERFACE,
        """
        {}
        type (swp|eth|bond|loopback|svi|sub|peerlink)
        description <text>
        base-interface <port-name>
        vlan 1-4094
        """,
        under=("interface <interface>",),
    ),
    Group(
        LIST_COMMANDS,
        """
        state (up|down) {}
        mtu 552-9216
        speed (auto|10M|100M|1G|10G|25G|40G|50G|100G|200G|400G|800G)
        fec (auto|baser|off|rs|driver-auto)
        duplex (half|full)
        lanes (1|2|4|8)
        auto-negotiate {on}
        fast-linkup {on}
        flap-protection {enable}
        mac-address <mac>                                                         @5.10-
        """,
        under=("interface <interface> link",),
    ),
    Group(
        INTERFACE,
        """
        (1x|2x|4x|8x|disabled|loopback) {}
        (1x|2x|4x|8x) lanes-per-port (1|2|4|8)
        """,
        under=("interface <swp> link breakout",),
    ),
    Group(
        INTERFACE,
        """
        address <address> {}
        gateway <ip> {}
        vrf <vrf>
        (ipv4|ipv6) forward (on|off)
        ipv6 enable (on|off)
        """,
        under=("interface <interface> ip @-5.14",),
    ),
    Group(
        CHANGES,
        """
        vrf <vrf>
        ipv4 address <ipv4-prefix> {}
        ipv6 address <ipv6-prefix> {}
        ipv4 gateway <ipv4> {}
        ipv6 gateway <ipv6> {}
        (ipv4|ipv6) forward (enabled|disabled)
        ipv6 state (enabled|disabled)
        (ipv4|ipv6) dhcp-client state (enabled|disabled)
        (ipv4|ipv6) dhcp-client set-hostname (enabled|disabled)
        """,
        under=("interface <interface> @5.15-",),
    ),
    Group(
        NEIGHBOR_DISCOVERY,
        """
        {enable}
        mtu 1-65535
        router-advertisement {enable}
        router-advertisement interval 70-1800000
        router-advertisement lifetime 0-9000
        router-advertisement reachable-time 0-3600000
        router-advertisement retransmit-time 0-4294967295
        router-advertisement hop-limit 0-255
        router-advertisement router-preference (high|medium|low)
        router-advertisement (interval-option|fast-retransmit|managed-config|other-config) {on}
        prefix <ipv6-prefix> {}
        prefix <ipv6-prefix> (valid-lifetime|preferred-lifetime) (0-4294967295|infinite)
        prefix <ipv6-prefix> (off-link|autoconfig|router-address) {on}
        """,
        under=(
            "interface <interface> ip neighbor-discovery @-5.14",
            "interface <interface> ipv6 neighbor-discovery @5.15-",
        ),
    ),
    Group(
        VRR,
        """
        ip vrr address <ip-prefix> {}                                             @-5.14
        ip vrr enable (on|off)                                                    @-5.14
        ip vrr state (up|down) {}                                                 @-5.14
        ip vrr mac-id (1-255|none)                                                @-5.14
        ip vrr mac-address (auto|<mac>)                                           @-5.14
        ipv4 vrr address <ipv4-prefix> {}                                         @5.15-
        ipv6 vrr address <ipv6-prefix> {}                                         @5.15-
        (ipv4|ipv6) vrr state (enabled|disabled)                                  @5.15-
        (ipv4|ipv6) vrr vrr-state (up|down) {}                                    @5.15-
        (ipv4|ipv6) vrr mac-id (1-255|none)                                       @5.15-
        (ipv4|ipv6) vrr mac-address (auto|<mac>)                                  @5.15-
        """,
        under=("interface <interface>",),
    ),
    Group(
        INTERFACE,
        """
        member <interface> {}
        mode (lacp|static)
        lacp-rate (fast|slow)
        lacp-bypass {on}
        (up-delay|down-delay) 0-65535
        mlag {enable}
        mlag id (1-65535|auto)
        """,
        under=("interface <interface> bond",),
    ),
    Group(
        BRIDGE,
        """
        {}
        access (1-4094|auto)
        untagged (1-4094|none|auto)
        vlan <vlans> {}
        learning {on}
        stp (bpdu-filter|bpdu-guard|admin-edge|auto-edge|network|restrrole) {on}
        """,
        under=("interface <interface> bridge domain <name>",),
    ),
    Group(
        LLDP,
        """
        (dcbx-pfc-tlv|dcbx-ets-config-tlv|dcbx-ets-recomm-tlv) {on}
        state (enabled|disabled)                                                  @5.11-
        application-tlv app <name> {}
        application-tlv (tcp-port|udp-port) <tcp-port> {}
        """,
        under=("interface <interface> lldp",),
    ),
    Group(
        LIST_COMMANDS,
        """
        interface <interface> acl <name> (inbound|outbound) {}
        interface <interface> acl <name> (inbound|outbound) control-plane {}
        """,
    ),
    # Only on a routed switch port: no subinterface, SVI or bond.
    Group(
        ADAPTIVE,
        """
        interface <swp> router adaptive-routing {enable}
        interface <swp> router adaptive-routing link-utilization-threshold 1-100
        """,
    ),
)
