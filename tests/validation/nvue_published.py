"""Configurations that NVIDIA publishes, said again in our own lines with their values.

Pages are of the repository CumulusNetworks/docs. Names are capital letters, so that the tests
can tell the words of NVUE from what a site chose.
"""

from __future__ import annotations

# content/cumulus-linux-514/Layer-3/Border-Gateway-Protocol-BGP/Configuration-Example.md, leaf01:
# AS 65101, router id 10.10.10.1, unnumbered sessions on swp51, swp52 and peerlink.4094, MLAG
# 44:38:39:BE:EF:AA with backup 10.10.10.2, bonds with MLAG ids 1 to 3, VLANs 10, 20, 30.
LEAF_SET = """
nv set system hostname leaf01
nv set interface lo ip address 10.10.10.1/32
nv set interface lo type loopback
nv set interface swp1-3,swp49-52 type swp
nv set interface bond1 bond member swp1
nv set interface bond2 bond member swp2
nv set interface bond3 bond member swp3
nv set interface bond1 bond mlag id 1
nv set interface bond2 bond mlag id 2
nv set interface bond3 bond mlag id 3
nv set interface bond1-3 bond mlag enable on
nv set interface bond1-3 bridge domain br_default
nv set interface peerlink bond member swp49-50
nv set interface peerlink.4094 base-interface peerlink
nv set interface peerlink.4094 vlan 4094
nv set interface peerlink.4094 type sub
nv set mlag mac-address 44:38:39:BE:EF:AA
nv set mlag backup 10.10.10.2
nv set mlag peer-ip linklocal
nv set interface vlan10 ip address 10.1.10.2/24
nv set interface vlan20 ip address 10.1.20.2/24
nv set interface vlan30 ip address 10.1.30.2/24
nv set bridge domain br_default vlan 10,20,30
nv set bridge domain br_default untagged 1
nv set router bgp autonomous-system 65101
nv set router bgp router-id 10.10.10.1
nv set vrf default router bgp neighbor swp51 remote-as external
nv set vrf default router bgp neighbor swp52 remote-as external
nv set vrf default router bgp neighbor peerlink.4094 remote-as external
nv set vrf default router bgp address-family ipv4-unicast network 10.10.10.1/32
nv set vrf default router bgp address-family ipv4-unicast redistribute connected
nv set service ntp mgmt server 0.cumulusnetworks.pool.ntp.org
"""
LEAF_YAML = """
- header:
    model: VX
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.14.0
- set:
    bridge:
      domain:
        br_default:
          untagged: 1
          vlan:
            10,20,30: {}
    interface:
      bond1:
        bond:
          member:
            swp1: {}
          mlag:
            enable: on
            id: 1
        bridge:
          domain:
            br_default: {}
        type: bond
      eth0:
        ip:
          address:
            dhcp: {}
          vrf: mgmt
        type: eth
      lo:
        ip:
          address:
            10.10.10.1/32: {}
        type: loopback
      peerlink:
        bond:
          member:
            swp49: {}
            swp50: {}
        type: peerlink
      peerlink.4094:
        base-interface: peerlink
        type: sub
        vlan: 4094
      swp51:
        type: swp
      vlan10:
        ip:
          address:
            10.1.10.2/24: {}
        type: svi
        vlan: 10
    mlag:
      backup:
        10.10.10.2: {}
      enable: on
      mac-address: 44:38:39:BE:EF:AA
      peer-ip: linklocal
    router:
      bgp:
        autonomous-system: 65101
        enable: on
        router-id: 10.10.10.1
    service:
      ntp:
        mgmt:
          server:
            0.cumulusnetworks.pool.ntp.org: {}
    system:
      aaa:
        class:
          nvshow:
            action: allow
            command-path:
              /:
                permission: ro
        role:
          nvue-monitor:
            class:
              nvshow: {}
        user:
          cumulus:
            full-name: cumulus,,,
            hashed-password: $6$ABC.DEF/123
            role: system-admin
      api:
        state: enabled
      config:
        auto-save:
          state: enabled
      control-plane:
        acl:
          acl-default-dos:
            inbound: {}
      global:
        system-mac: 44:38:39:22:01:7a
      hostname: leaf01
      reboot:
        mode: cold
      wjh:
        channel:
          forwarding:
            trigger:
              l2: {}
        enable: on
    vrf:
      default:
        router:
          bgp:
            address-family:
              ipv4-unicast:
                enable: on
                network:
                  10.10.10.1/32: {}
                redistribute:
                  connected:
                    enable: on
            enable: on
            neighbor:
              peerlink.4094:
                remote-as: external
                type: unnumbered
              swp51:
                remote-as: external
                type: unnumbered
"""

# content/cumulus-linux-514/Layer-2/Virtual-Router-Redundancy-VRR.md, leaf01: VRR 10.1.10.1/24 on
# vlan10 beside 10.1.10.2/24, anycast MAC 44:38:39:FF:00:AA, MLAG init delay 100.
VRR_SET = """
nv set system global anycast-mac 44:38:39:FF:00:AA
nv set system global fabric-mac 00:00:5E:00:01:01
nv set mlag enable on
nv set mlag init-delay 100
nv set mlag backup 10.10.10.2
nv set mlag peer-ip linklocal
nv set router vrr enable on
nv set bridge domain br_default vlan 10,20,30
nv set interface peerlink bond member swp49-50
nv set interface vlan10 type svi
nv set interface vlan10 vlan 10
nv set interface vlan10 ip address 10.1.10.2/24
nv set interface vlan10 ip vrr enable on
nv set interface vlan10 ip vrr address 10.1.10.1/24
nv set interface vlan10 ip vrr state up
"""
VRR_YAML = """
- set:
    bridge:
      domain:
        br_default:
          vlan:
            10,20,30: {}
    interface:
      peerlink:
        bond:
          member:
            swp49: {}
            swp50: {}
        type: peerlink
      vlan10:
        ip:
          address:
            10.1.10.2/24: {}
          vrr:
            address:
              10.1.10.1/24: {}
            enable: on
            state:
              up: {}
        type: svi
        vlan: 10
    mlag:
      backup:
        10.10.10.2: {}
      enable: on
      init-delay: 100
      peer-ip: linklocal
    router:
      vrr:
        enable: on
    system:
      global:
        anycast-mac: 44:38:39:FF:00:AA
        fabric-mac: 00:00:5E:00:01:01
"""

# content/cumulus-linux-514/Layer-1-and-Switch-Ports/Quality-of-Service/
# RDMA-over-Converged-Ethernet-RoCE.md: the lossless pool at 60 percent, and the lossless
# priority moved from 3 to 2 (switch priority 3 back to class 0, DSCP 26 to 2).
ROCE_SET = """
nv set qos roce mode lossless
nv set qos traffic-pool default-lossy memory-percent 40
nv set qos traffic-pool roce-lossless memory-percent 60
nv set qos pfc default-global switch-priority 2
nv set qos egress-queue-mapping default-global switch-priority 2 traffic-class 3
nv set qos egress-queue-mapping default-global switch-priority 3 traffic-class 0
nv set qos mapping default-global trust both
nv set qos mapping default-global dscp 26 switch-priority 2
"""
ROCE_YAML = """
- set:
    qos:
      roce:
        mode: lossless
      traffic-pool:
        default-lossy:
          memory-percent: 40
        roce-lossless:
          memory-percent: 60
      pfc:
        default-global:
          switch-priority:
            2: {}
      egress-queue-mapping:
        default-global:
          switch-priority:
            2:
              traffic-class: 3
            3:
              traffic-class: 0
      mapping:
        default-global:
          trust: both
          dscp:
            26:
              switch-priority: 2
"""

# content/cumulus-linux-516/Layer-1-and-Switch-Ports/Quality-of-Service/_index.md: PFC of
# default-global with rx off and 50 m, ECN of classes 4, 5, 7 from 40000 to 200000 bytes with RED,
# priority 2 to queue 7, DWRR 30 for 2 and 6, 20 for 3 and 4, strict for the rest, watchdog 200 ms
# and 5 intervals.
QOS_SET = """
nv set qos pfc default-global switch-priority 0
nv set qos pfc default-global port-buffer 25000
nv set qos pfc default-global xoff-threshold 10000
nv set qos pfc default-global xon-threshold 2000
nv set qos pfc default-global tx enable
nv set qos pfc default-global rx disable
nv set qos pfc default-global cable-length 50
nv set qos congestion-control default-global traffic-class 4,5,7 min-threshold 40000
nv set qos congestion-control default-global traffic-class 4,5,7 max-threshold 200000
nv set qos congestion-control default-global traffic-class 4,5,7 red enable
nv set qos congestion-control default-global traffic-class 0 ecn disable
nv set qos egress-queue-mapping default-global switch-priority 2 traffic-class 7
nv set qos egress-scheduler default-global traffic-class 2,6 mode dwrr
nv set qos egress-scheduler default-global traffic-class 2,6 bw-percent 30
nv set qos egress-scheduler default-global traffic-class 3,4 mode dwrr
nv set qos egress-scheduler default-global traffic-class 3,4 bw-percent 20
nv set qos egress-scheduler default-global traffic-class 0,1,5,7 mode strict
nv set interface swp1 qos pfc-watchdog
nv set interface swp3 qos pfc-watchdog
nv set qos pfc-watchdog polling-interval 200
nv set qos pfc-watchdog robustness 5
"""

# content/nvue-reference/Set-and-Unset-Commands/BFD.md, LLDP.md and gnmi.md, and the pages
# content/cumulus-linux-515/System-Configuration/Date-and-Time/Network-Time-Protocol-NTP.md and
# content/cumulus-linux-515/Whats-New/New-and-Changed-NVUE-Commands.md: the words of 5.15 with
# their values (BFD1 with 100 ms and 10 intervals, swp51 in it, iburst, LLDP port 4317, gNMI 9339).
NEWER_SET = """
nv set router bfd state enabled
nv set router bfd profile BFD1 detect-multiplier 10
nv set router bfd profile BFD1 min-rx-interval 100
nv set router bfd profile BFD1 min-tx-interval 100
nv set router bgp state enabled
nv set vrf default router bgp neighbor swp51 remote-as external
nv set vrf default router bgp neighbor swp51 bfd profile BFD1
nv set vrf default router bgp path-selection multipath aspath-ignore enabled
nv set vrf default router bgp address-family ipv4-unicast redistribute connected state enabled
nv set vrf default router static 10.10.10.101/32 distance 2 via 10.0.1.0
nv set vrf BLUE router static 10.10.10.61/32 via blackhole
nv set interface swp1 ipv4 address 10.0.0.1/30
nv set interface swp1 ipv6 address 2001:db8::1/64
nv set interface swp3 vrf BLUE
nv set interface eth0 ipv4 dhcp-client state enabled
nv set interface swp1 ipv6 neighbor-discovery router-advertisement state enabled
nv set interface swp1 lldp dcbx-pfc-tlv disabled
nv set interface swp57 link breakout 8x lanes-per-port 1
nv set qos roce state enabled
nv set qos roce mode lossless
nv set qos traffic-pool default-lossy memory-percent 10
nv set qos traffic-pool roce-lossless memory-percent 90
nv set router adaptive-routing state enabled
nv set interface swp1 router adaptive-routing state enabled
nv set system forwarding ecmp-hash source-port enabled
nv set system forwarding hash-seed 50
nv set system ntp server 4.cumulusnetworks.pool.ntp.org iburst enabled
nv set system ntp listen swp10
nv set system dns server 192.0.2.44
nv set system lldp application-tlv udp-port 4317 priority 4
nv set system lldp dot1-tlv enabled
nv set system gnmi-server state enabled
nv set system gnmi-server port 9339
nv set system gnmi-server listening-address localhost
nv set system syslog server 192.168.0.254 protocol tcp
nv set system snmp-server listening-address all vrf mgmt
"""

# What railbed needs beside that, in the words of 5.14: our own values.
WHOLE_SET = """
# site LAB, device LEAF-01
nv set system hostname LEAF-01
nv set system timezone Etc/UTC
nv set system message pre-login "Authorised people only"
nv set interface eth0 ip address 192.0.2.11/24
nv set interface eth0 ip gateway 192.0.2.1
nv set interface eth0 ip vrf mgmt
nv set interface swp1 link breakout 2x lanes-per-port 4
nv set interface swp1s0-1 link speed 400G
nv set interface swp1s0-1 link fec rs
nv set interface swp1s0-1 link auto-negotiate off
nv set interface swp1s0-1 link mtu 9216
nv set interface swp1s0-1 link state up
nv set interface swp1s0 description "NODE-01 mlx5_0"
nv set interface swp1s0 qos pfc profile ROCE-5M
nv set interface swp1s0 qos pfc-watchdog state enable
nv set interface swp1s0 acl NO-PEERS inbound
nv set interface swp1s0 bridge domain br_default access 100
nv set interface swp1s0 bridge domain br_default stp bpdu-guard on
nv set interface swp33 router adaptive-routing enable on
nv set interface swp34.100 ip address 10.2.0.0/31
nv set interface vlan100 ip vrr address 10.3.0.1/24
nv set interface vlan100 ip vrr mac-address 00:00:5e:00:01:01
nv set interface vlan100 ip vrr state up
nv set interface vlan100 ip vrf BUSINESS
nv set qos pfc ROCE-5M switch-priority 3
nv set qos pfc ROCE-5M cable-length 5
nv set qos pfc ROCE-5M tx enable
nv set qos pfc ROCE-5M rx enable
nv set qos egress-shaper CNP-CAP traffic-class 6 max-rate 4000000
nv set interface swp33 qos egress-shaper profile CNP-CAP
nv set acl NO-PEERS type ipv4
nv set acl NO-PEERS rule 10 match ip source-ip ANY
nv set acl NO-PEERS rule 10 match ip dest-ip 10.3.0.0/24
nv set acl NO-PEERS rule 10 match ip tcp dest-port 22
nv set acl NO-PEERS rule 10 action deny
nv set acl NO-PEERS rule 20 action permit
nv set vrf BUSINESS table auto
nv set vrf BUSINESS router static 0.0.0.0/0 via 10.3.0.254
nv set router policy prefix-list OWN type ipv4
nv set router policy prefix-list OWN rule 10 match 10.255.0.0/16 min-prefix-len 32
nv set router policy prefix-list OWN rule 10 match 10.255.0.0/16 max-prefix-len 32
nv set router policy prefix-list OWN rule 10 action permit
nv set router policy community-list DRAIN rule 10 community graceful-shutdown
nv set router policy community-list DRAIN rule 10 action permit
nv set router policy route-map OUT rule 10 match type ipv4
nv set router policy route-map OUT rule 10 match ip-prefix-list OWN
nv set router policy route-map OUT rule 10 set community 65000:100
nv set router policy route-map OUT rule 10 action permit
nv set router policy route-map IN rule 5 match community-list DRAIN
nv set router policy route-map IN rule 5 set local-preference 0
nv set router policy route-map IN rule 5 action permit exit-policy rule 10
nv set router policy route-map IN rule 10 action permit
nv set router bgp autonomous-system 4200000101
nv set router bgp graceful-restart mode helper-only
nv set router bgp graceful-shutdown on
nv set vrf default router bgp timers keepalive 3
nv set vrf default router bgp timers hold 9
nv set vrf default router bgp peer-group SPINE remote-as external
nv set vrf default router bgp peer-group SPINE description "to the spines"
nv set vrf default router bgp peer-group SPINE password <<secret:bgp-spine>>
nv set vrf default router bgp peer-group SPINE bfd enable on
nv set vrf default router bgp peer-group SPINE bfd detect-multiplier 3
nv set vrf default router bgp peer-group SPINE bfd min-rx-interval 300
nv set vrf default router bgp peer-group SPINE address-family ipv4-unicast policy inbound route-map IN
nv set vrf default router bgp peer-group SPINE address-family ipv4-unicast policy outbound route-map OUT
nv set vrf default router bgp peer-group SPINE address-family ipv4-unicast prefix-limits inbound maximum 5000
nv set vrf default router bgp peer-group SPINE address-family ipv4-unicast prefix-limits inbound warning-only on
nv set vrf default router bgp peer-group SPINE address-family ipv4-unicast community-advertise regular on
nv set vrf default router bgp neighbor swp33 peer-group SPINE
nv set vrf default router bgp neighbor swp33 type unnumbered
nv set vrf default router bgp neighbor 10.9.0.1 peer-group SPINE
nv set vrf default router bgp neighbor 10.9.0.1 type numbered
nv set vrf default router bgp address-family ipv4-unicast aggregate-route 10.255.0.0/24 summary-only on
nv set vrf default router bgp address-family ipv4-unicast multipaths ebgp 64
nv set vrf default router bgp address-family ipv6-unicast enable on
nv set vrf default router bgp path-selection multipath aspath-ignore on
nv set router adaptive-routing enable on
nv set system forwarding ecmp-hash source-port on
nv set service dns mgmt server 192.0.2.53
nv set service ntp mgmt server 192.0.2.5 iburst on
nv set service lldp tx-interval 30
nv set system syslog server 192.0.2.6 vrf mgmt
nv set system syslog server 192.0.2.6 protocol tcp
nv set system aaa tacacs server 192.0.2.8 priority 1
nv set system aaa tacacs server 192.0.2.8 secret <<secret:tacacs-key>>
nv set system aaa tacacs vrf mgmt
nv set system aaa authentication-order 5 tacacs
nv set system aaa authentication-order 10 local
nv set system snmp-server state enabled
nv set system snmp-server listening-address 192.0.2.11 vrf mgmt
nv set system snmp-server username MONITOR auth-sha <<secret:snmp-auth>> encrypt-aes <<secret:snmp-priv>>
nv set system gnmi-server state enabled
nv set system gnmi-server listening-address 192.0.2.11
"""  # noqa: E501 - one command a line
