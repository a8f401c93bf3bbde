"""Lines of EOS: which are refused where, and what one line changes in what runs.

What acts on packets is known word by word (Arista EOS User Manual: "Ethernet Ports", "Border
Gateway Protocol", "ACLs and Route Maps", "IPv4", "VRF", "LLDP"; aristanetworks/avd, golden
configurations of eos_cli_config_gen); of the rest the first word alone, or the block that it stands
in. A line that EOS does not know is `% Invalid input`, and quoted by no more than that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..blocks import Words

INVALID = "% Invalid input"
# First words of EOS's global configuration mode that a data centre switch has.
GLOBAL = frozenset(
    """aaa alias arp banner bfd boot class-map clock daemon default dns dot1x enable errdisable end
    event-handler exit hardware hostname interface ip ipv6 ipv4 l2 lacp link lldp load-interval
    logging mac management mlag monitor mpls no ntp peer-filter platform policy-map power prompt
    priority-flow-control ptp qos queue-monitor radius-server route-map router schedule service
    snmp-server spanning-tree switchport system tacacs-server tcam terminal traffic-policy
    transceiver tunnel username virtual-router vlan vrf""".split()  # noqa: SIM905
)
# What may stand behind `ip` and `ipv6` there: each interface has other words of its own.
_INTERNET = frozenset(
    """access-list as-path community-list dhcp domain domain-name extcommunity-list ftp hardware
    http icmp igmp load-sharing multicast name-server pim prefix-list radius routing route
    security ssh standard tacacs telnet tftp unicast-routing virtual-router""".split()  # noqa: SIM905
)
PORT = r"(?:Ethernet|Port-Channel|Vlan|Loopback|Management)\d+(?:/\d+)*(?:\.\d+)?"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IP = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_NET = rf"{_IP}/(?:3[0-2]|[12]?\d)"
_PEER = r"\S+"
_VRF = r"(?: vrf \S+)?"
_COMMUNITY = r"(?:GSHUT|internet|local-as|no-advertise|no-export|\d+:\d+|\d+)"

# By the words that such a line begins with: how it goes on, without a `no` before it.
_ACTING = {
    "interface": rf"{PORT}",
    "router bgp": r"\d+",
    "route-map": r"\S+ (permit|deny) \d+",
    "ip prefix-list": r"\S+",
    "ip community-list": rf"\S+ (permit|deny)( {_COMMUNITY})+|regexp \S+ (permit|deny) \S+",
    "ip route": rf"(vrf \S+ )?{_NET} (Null0|{_IP}|{PORT}( {_IP})?)( \d+)?",
    "ip routing": rf"(ipv6 interfaces)?{_VRF}",
    "ipv6 unicast-routing": rf"{_VRF}",
    "lldp": r"run|timer \d+|hold-time \d+|(tlv|management-address) .+",
    "hostname": r"\S+",
    "vrf instance": r"\S+",
}
_MODES = {
    "interface": (
        r"description .+",
        r"mtu \d+",
        r"speed (auto|forced|[\d.]+g)?.*",
        rf"ip address ({_NET}( secondary)?|dhcp|virtual {_NET})",
        r"vrf \S+",
        r"encapsulation dot1q vlan \d+",
        r"switchport( (access vlan \d+|mode \S+|trunk .+|vlan translation .+))?",
        r"(shutdown|ipv6 enable|autostate)",
        r"(channel-group|mlag|load-interval) .+",
        r"(error-correction|service-policy|service-profile|qos|spanning-tree|pvlan|lldp) .+",
        r"link tracking .+",
        r"(ip access-group|ip virtual-router|priority-flow-control|bfd) .+",
        r"(tx-queue|uc-tx-queue) \d+",
    ),
    "bgp": (
        rf"router-id {_IP}",
        r"bgp (default ipv4-unicast|missing-policy direction (in|out) action \S+|bestpath .+)",
        r"maximum-paths \d+( ecmp \d+)?",
        rf"neighbor interface {PORT} peer-group \S+ remote-as \d+",
        rf"neighbor {_PEER} (peer group( \S+)?|remote-as \d+|description .+|shutdown)",
        rf"neighbor {_PEER} bfd( interval \d+ min-rx \d+ multiplier \d+)?",
        rf"neighbor {_PEER} (timers \d+ \d+|maximum-routes \d+( warning-only)?|send-community.*)",
        r"(address-family ipv4|vrf \S+)",
        rf"network {_NET}",
    ),
    "bgp-af": (
        rf"neighbor {_PEER} (activate|route-map \S+ (in|out)|next-hop address-family ipv6.*)",
        rf"network {_NET}( route-map \S+)?",
        r"(redistribute|aggregate-address) .+",
    ),
    "route-map": (
        r"match (ip address prefix-list|community) \S+",
        rf"set (local-preference \d+|metric \d+|community {_COMMUNITY}( additive)?)",
        r"(description|sub-route-map|continue) .+",
    ),
    "prefix-list": (rf"seq \d+ (permit|deny) {_NET}( (eq|ge|le) \d+)*",),
}


def _mode(blocks: Sequence[str]) -> str:
    """The mode of a block; "" where nobody here knows its lines."""
    if not blocks:
        return "global"
    head, last = blocks[0], blocks[-1]
    if head.startswith("router bgp "):
        return "bgp-af" if last.startswith("address-family ") else "bgp"
    if len(blocks) > 1:
        return ""
    if head.startswith("ip prefix-list "):
        return "prefix-list"
    word = head.split()[0]
    return word if word in _MODES else ""


def _is_known(mode: str, words: str) -> bool:
    line = words.removeprefix("no ").removeprefix("default ")
    if mode == "global":
        for begin, rest in _ACTING.items():
            if line == begin or line.startswith(f"{begin} "):
                bare = words != line and line == begin
                return bare or bool(re.fullmatch(rf"{begin} ?({rest})", line))
        first, _, rest = line.partition(" ")
        return first in GLOBAL and (first not in ("ip", "ipv6") or rest.split(" ")[0] in _INTERNET)
    if mode not in _MODES:
        return True
    if words != line and any(one.startswith(line.split()[0]) for one in _MODES[mode]):
        return True
    return any(re.fullmatch(one, line) for one in _MODES[mode])


WORDS = Words(
    deep=3,
    banner=re.compile(r"banner (login|motd)"),
    banner_ends=lambda _, line: line.strip() == "EOF",
    knows=lambda blocks, line: _is_known(_mode(blocks), line),
    refusal=lambda line: f"{INVALID} (at token 0: '{line.split()[0]}')",
    opens=re.compile(
        r"(interface|router|route-map|vrf instance|management|vlan|qos profile) \S+.*"
        r"|ip prefix-list \S+"
    ),
    single=re.compile(r"(description|mtu|speed|vrf|ip address|hostname|set local-preference) "),
    # EOS's default is the other one.
    said_no=re.compile("no (switchport|qos trust|lldp run)"),
)
