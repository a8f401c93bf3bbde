"""Lines of NX-OS that no plan has, by their form (Cisco Nexus 9000 NX-OS guides).

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
