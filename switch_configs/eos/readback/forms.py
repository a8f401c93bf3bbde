"""Lines of EOS that no plan has, by their form (EOS User Manual, by chapter).

None of them says what a port does with a packet of the lossless class: QoS, PFC, MTU, flow control
and whatever else decides that is either read or unread.
"""

from __future__ import annotations

from switch_configs.readback.beside import Forms

from .forms_routing import WRITTEN

FORMS = Forms(
    {
        **WRITTEN,
        "spanning tree": """
spanning-tree mst <number> priority <number>
spanning-tree vlan-id <name> priority <number>
spanning-tree priority <number>
spanning-tree root super
spanning-tree edge-port bpduguard|bpdufilter default
spanning-tree edge-port bpduguard rate-limit default
spanning-tree bpduguard rate-limit default|count [<number>]
spanning-tree mst configuration
spanning-tree mst configuration / name <name>
spanning-tree mst configuration / revision <number>
spanning-tree mst configuration / instance <number> vlan <name>
interface <name> / spanning-tree link-type point-to-point
interface <name> / spanning-tree bpduguard|bpdufilter enable|disable|enabled|disabled
interface <name> / spanning-tree portfast network|auto
interface <name> / spanning-tree guard root|loop|none
interface <name> / spanning-tree cost <number>
interface <name> / spanning-tree port-priority <number>
""",
        "interfaces": """
interface <name> / shutdown
interface <name> / ptp enable
interface <name> / ptp role|transport|delay-mechanism <name>
interface <name> / ptp announce|sync-message|delay-req|pdelay-req interval|timeout <number>
interface <name> / dot1x port-control|pae auto|authenticator
interface <name> / dot1x host-mode multi-host|single-host [authenticated]
interface <name> / dot1x timeout tx-period|reauth-period|quiet-period <number>|server
interface <name> / dot1x reauthentication
interface <name> / dot1x mac based authentication
interface <name> / storm-control broadcast|multicast|unknown-unicast level [pps] <name>
interface <name> / encapsulation vlan
interface <name> / encapsulation vlan / client dot1q <number> [network client|dot1q] [<number>]
interface <name> / vlan id <name>
interface <name> / lacp system-id <mac>
interface <name> / lacp timer fast|normal
interface <name> / lacp rate fast|normal
interface <name> / lacp port-priority <number>
interface <name> / port-channel min-links <number>
interface <name> / port-channel lacp fallback individual|static|timeout [<number>]
interface <name> / [no] lldp transmit|receive
interface <name> / load-interval <number>
interface <name> / [no] logging event link-status [use-global]
interface <name> / [no] snmp trap link-change|link-status
interface <name> / switchport nonegotiate
interface <name> / switchport mode dot1q-tunnel|trunk phone
interface <name> / switchport phone vlan <number>
interface <name> / switchport phone trunk tagged|untagged [phone]
interface <name> / switchport backup-link <name> [prefer vlan <name>]
interface <name> / switchport source-interface tx
interface <name> / mac security profile <name>
interface <name> / mac-address <mac>
interface <name> / ip verify unicast source reachable-via rx|any [allow-default]
interface <name> / link-debounce time <number> [<number>]
interface <name> / transceiver media override <name>
interface <name> / ip helper-address <ip> [vrf <name>] [source-interface <name>]
interface <name> / ipv6 dhcp relay destination <ip> [vrf <name>] [local-interface <name>] [source-address <ip>] [link-address <ip>]
dhcp relay
dhcp relay / tunnel requests disabled
dhcp relay / mlag peer-link requests disabled
ip dhcp relay information option
ip dhcp relay always-on
ip dhcp relay all-subnets [default]
ip dhcp snooping [vlan <name>]
lacp port-id range <number> <number>
lacp system-priority <number>
lldp management-address all|<name>
lldp management-address vrf <name>
lldp tie-break-mode|reinit <name>
lldp run
vlan internal order ascending|descending range <number> <number>
vlan <name> / state active|suspend
vrf instance <name> / description <text>
vrf instance <name> / rd <rd>|auto
mac address-table aging-time <number>
mac address-table static <mac> vlan <number> interface|drop [<name>]
errdisable detect cause <name>
errdisable recovery cause <name>
errdisable recovery interval <number>
service interface inactive port-id allocation disabled
no service interface inactive port-id allocation disabled
link tracking group <name> / links minimum <number>
link tracking group <name> / recovery delay <number>
monitor session <name> source <name> [rx|tx|both]
monitor session <name> destination <name>
""",  # noqa: E501  a form is one line
        "defaults": """
interface <name> / no description|channel-group|speed|mac-address|mvrp|msrp|link-debounce
interface <name> / no traffic-loopback
interface <name> / no ip address
interface <name> / no ip proxy-arp|local-proxy-arp
interface <name> / no ip|ipv6 verify unicast
interface <name> / no ipv6 enable|address
interface <name> / no ipv6 nd ra suppress
interface <name> / no ipv6 nd managed-config-flag|other-config-flag
interface <name> / ipv6 nd ra interval|hop-limit|lifetime [msec] <number>
interface <name> / ipv6 nd reachable-time <number>
interface <name> / ipv6 nd router-preference medium
interface <name> / no ip igmp
interface <name> / no ip pim sparse-mode|border-router|bidirectional|bsr-border
interface <name> / no spanning-tree portfast|link-type|guard|cost|bpduguard|bpdufilter
interface <name> / no storm-control broadcast|multicast|unknown-unicast|all
interface <name> / no encapsulation dot1q vlan
interface <name> / default ntp serve
interface <name> / default load-interval|unidirectional
interface <name> / default arp timeout <number>
interface <name> / switchport mac address learning
interface <name> / switchport dot1q ethertype <name>
interface <name> / no switchport tap|tool <text>
interface <name> / logging event storm-control discards use-global
interface <name> / logging event spanning-tree use-global
router bgp <name> / no neighbor <name> <name> [<name>] [<name>]
router bgp <name> / no shutdown
""",
        "users": """
aaa root
no aaa root
aaa root secret [0|5|sha512] <secret>
aaa root nopassword
aaa authorization exec default local|none
aaa authorization exec default group <name> [local] [none]
aaa authorization commands all|<name> default local|none
aaa authorization commands all|<name> default group <name> [local] [none]
aaa authorization [no] config-commands
aaa authorization serial-console
no aaa authorization serial-console
aaa authentication login console|default local|none
aaa authentication login console|default group <name> [local] [none]
aaa authentication enable default local|none
aaa authentication enable default group <name> [local] [none]
aaa authentication policy on-success|on-failure log
aaa authentication policy local allow-nopassword-remote-login
aaa accounting exec|system|commands <text>
aaa group server radius|tacacs+|ldap <name>
aaa group server radius|tacacs+|ldap <name> / server <name> [vrf <name>]
aaa group server radius <name> / server <name> [vrf <name>] auth-port <number> acct-port <number>
radius-server host <name> [vrf <name>] [timeout <number>] [retransmit <number>] key [0|7|8a] <secret>
radius-server key [0|7|8a] <secret>
tacacs-server key [0|7|8a] <secret>
tacacs-server timeout <number>
tacacs-server policy unknown-mandatory-attribute ignore
tacacs-server host <name> [vrf <name>] [timeout <number>] key [0|7|8a] <secret>
ip radius|tacacs [vrf <name>] source-interface <name>
username <name> [privilege <number>] [role <name>] nopassword
username <name> [privilege <number>] [role <name>] secret [0|5|sha512|*] <secret>
username <name> shell <name> nopassword
username <name> shell <text>
username <name> ssh-key [secondary] <text>
no username <name>
role <name>
role <name> / <number> permit|deny [mode <text>] command <text>
enable password [sha512|0|5] [<secret>]
no enable password [sha512|0|5] [<secret>]
enable secret [sha512|0|5] <secret>
boot secret [sha512|0|5] [<secret>]
no boot secret [sha512|0|5] [<secret>]
management ssh / idle-timeout <number>
management ssh / authentication mode keyboard-interactive|password|public-key
management ssh / authentication protocol <text>
management ssh / [no] shutdown
management ssh / connection limit|per-host <number>
management ssh / cipher|mac|key-exchange <text>
management ssh / hostkey server|client <text>
management ssh / log-level <name>
management ssh / fips restrictions
management ssh / vrf <name> / ip access-group <name> in
management ssh / vrf <name> / shutdown
management console
management console / idle-timeout <number>
management telnet
management telnet / [no] shutdown
management security
management security / password encryption-key common
management security / password minimum length <number>
management security / password policy <name>
management security / entropy source hardware|haveged [haveged]
management security / ssl profile <name>
management security / ssl profile <name> / certificate <name> key <name>
management security / ssl profile <name> / trust certificate <name>
management security / ssl profile <name> / chain certificate <name>
management security / ssl profile <name> / tls versions <text>
management security / ssl profile <name> / cipher-list <text>
""",  # noqa: E501  a form is one line
        "management": """
management api http-commands
management api http-commands / [no] protocol http|https|unix-socket [ssl profile <name>]
management api http-commands / protocol https ssl profile <name>
management api http-commands / protocol https certificate
management api http-commands / protocol http|https port <number>
management api http-commands / [no] shutdown
management api http-commands / [no] default-services
management api http-commands / vrf <name>
management api http-commands / vrf <name> / [no] shutdown
management api http-commands / vrf <name> / ip access-group <name> [in]
management api netconf
management api netconf / transport ssh <name>
management api models
management api models / provider <text>
management cvx
management cvx / [no] shutdown
management cvx / server host <name>
management cvx / source-interface <name>
management cvx / vrf <name>
management defaults
management defaults / secret hash sha512|md5
daemon <name>
daemon <name> / exec <text>
daemon <name> / [no] shutdown
daemon <name> / option <name> value <text>
event-handler <name>
event-handler <name> / trigger <text>
event-handler <name> / action bash <text>
event-handler <name> / action log
event-handler <name> / delay <number>
event-handler <name> / asynchronous
agent <name> environment <text>
agent <name> shutdown
alias <name> <text>
prompt <text>
terminal length|width <number>
banner login|motd
banner login|motd / <text>
comment
comment / <text>
interface <name> / comment
interface <name> / comment / <text>
router bgp <name> / comment
router bgp <name> / comment / <text>
router bgp <name> / vrf|vlan|vlan-aware-bundle <name> / comment
router bgp <name> / vrf|vlan|vlan-aware-bundle <name> / comment / <text>
ip domain lookup [vrf <name>] source-interface <name>
ip domain-list <name>
ip domain-name <name>
dns domain <name>
ip name-server [vrf <name>] <ip> [<ip>] [<ip>]
ip host <name> <ip>
ip ftp|http|ssh|tftp client source-interface <name> [vrf <name>]
ip http client local-interface <name> [vrf <name>]
clock timezone <name>
no clock timezone
schedule <name> <text>
boot system <name>
email
""",
        "time and logs": """
ntp local-interface [vrf <name>] <name>
ntp server [vrf <name>] <name> [prefer] [iburst] [version <number>] [minpoll <number>] [maxpoll <number>] [local-interface <name>] [key <number>]
ntp authentication-key <number> md5|sha1 [0|7|8a] <secret>
ntp authenticate [servers]
ntp trusted-key <name>
ntp serve [all]
logging [vrf <name>] host <name> [<number>] [protocol tcp|udp|tls]
logging [vrf <name>] source-interface <name>
logging vrf <name> local-interface <name>
logging buffered|console|monitor|trap [<number>] [<name>]
logging format timestamp <text>
logging format hostname fqdn|ipv4
logging facility <name>
logging level <name> <name>
logging synchronous [level <name>]
no logging console|monitor|trap
logging event link-status global
no logging event link-status global
logging repeat-messages
logging on
no logging on
ptp mode|profile|source|domain|priority1|priority2 <text>
ptp monitor
""",  # noqa: E501  a form is one line
        "SNMP": """
snmp-server contact <text>
snmp-server location <text>
snmp-server community <secret> [view <name>] ro|rw [<name>]
snmp-server local-interface|source-interface <name>
snmp-server vrf <name> local-interface|source-interface <name>
snmp-server engineID local <secret>
snmp-server view <name> <name> included|excluded
snmp-server group <name> v1|v2c
snmp-server group <name> v3 auth|noauth|priv read|write|notify <name>
snmp-server user <name> <name> v1|v2c
snmp-server user <name> <name> v3 [localized <secret>] auth <name> <secret> [priv <name> <secret>]
snmp-server host <name> [vrf <name>] [version] [1|2c] <secret>
snmp-server host <name> [vrf <name>] version 3 auth|noauth|priv <name>
snmp-server enable traps [<text>]
no snmp-server enable traps <text>
""",
        "telemetry": """
sflow sample [dangerous] <number>
sflow [vrf <name>] destination <name> [<number>]
sflow [vrf <name>] source-interface <name>
sflow [vrf <name>] source <ip>
sflow polling-interval <number>
sflow run
sflow interface disable default
sflow hardware acceleration
no sflow hardware acceleration
interface <name> / [no] sflow enable
queue-monitor length
queue-monitor length log <number>
queue-monitor length notifying
queue-monitor length global-buffer
no queue-monitor length
queue-monitor streaming
queue-monitor streaming / max-connections <number>
queue-monitor streaming / vrf <name>
queue-monitor streaming / [no] shutdown
hardware counter feature <name> [in|out] [<name>]
monitor connectivity
""",
        "hardware": """
hardware tcam
hardware tcam / system profile <name>
hardware tcam / profile <name>
hardware speed-group <number> serdes <name>
hardware access-list update default-result permit
transceiver qsfp default-mode <name>
platform sand lag hardware-only
platform sand forwarding mode petraA|arad
platform trident forwarding-table partition <name>
platform trident l3 routing mac-address per-vlan
system l1
system l1 / unsupported speed|error-correction action error|warn
switch forwarding-mode store-and-forward|cut-through
""",
    }
)
"""Consulted for lines that no reader of this folder takes."""
