"""Lines that no plan has, by their form: FRR's, and those of ifupdown2.

Of ifupdown2: ifupdown-addons-interfaces(5). None says what a port does with a packet: MTU and
queues are read or unread.
"""

from __future__ import annotations

from switch_configs.frr.readback.forms import WRITTEN
from switch_configs.readback.beside import Forms

_EVPN = """
vxlan-id <number>
vxlan-local-tunnelip <ip>
vxlan-learning <on>
vxlan-anycast-ip <ip>
clagd-vxlan-anycast-ip <ip>
vxlan-svcnodeip <ip>
vxlan-remoteip <ip>
bridge-arp-nd-suppress <on>
bridge-learning <on>
bridge-vlan-vni-map <text>
es-sys-mac <mac>
"""
_MLAG = """
clag-id <number>
clagd-peer-ip <ip>|linklocal
clagd-backup-ip <ip> [vrf <name>]
clagd-sys-mac <mac>
clagd-enable <on>
clagd-args <text>
clagd-priority <number>
"""
_INTERFACES = """
iface <name> inet dhcp
iface <name> inet6 static|manual|dhcp|auto
iface <name> inet6
auto
address-virtual <mac> <ip> [<ip>]
address-virtual-ipv6-addrgen <on>
hwaddress [ether] <mac>
link-speed <number>
link-autoneg <on>
link-duplex full|half
link-down <on>
allow-hotplug <name>
bond-updelay|bond-downdelay|bond-ad-sys-priority <number>
bond-ad-sys-mac-addr <mac>
bond-lacp-bypass-allow <on>
bond-primary <name>
bridge-ageing <number>
bridge-mcsnoop <on>
bridge-mcquerier <on>
mstpctl-portadminedge|mstpctl-bpduguard|mstpctl-portbpdufilter|mstpctl-portautoedge <on>
mstpctl-portadminedge|mstpctl-bpduguard <name>=<on>
mstpctl-treeprio <number>
ip-forward|ip6-forward|mpls-enable <on>
dns-nameservers <text>
dns-search <text>
gateway <ip>
address <ip>
post-up|pre-up|pre-down|post-down ip route add|del <ip>|default via <ip> [dev <name>]
"""


def _below(place: str, forms: str) -> str:
    """Forms with the file before them, as the readback says it."""
    return "".join(f"{place}: {one}\n" for one in forms.splitlines() if one)


_FRR = {topic: _below("frr", lines) for topic, lines in WRITTEN.items()}
FORMS = Forms(
    _FRR
    | {
        "EVPN": _FRR["EVPN"] + _below("interfaces", _EVPN),
        "MLAG": _below("interfaces", _MLAG),
        "interfaces": _below("interfaces", _INTERFACES),
    }
)
"""Consulted for lines that no reader of this folder takes."""
