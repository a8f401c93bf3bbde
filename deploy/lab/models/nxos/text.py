"""Lines of NX-OS: which are refused where, and what one line changes in what runs.

What acts on packets is known word by word (Cisco Nexus 9000 NX-OS guides, 10.x: Interfaces, Unicast
Routing, Security, System Management; batfish's grammar of NX-OS for ranges); of the rest the first
word alone, or the block that it stands in. Lines of a feature that is off are no lines at all. A
refused line is `% Invalid command at '^' marker.`
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..blocks import Words

INVALID = "                    ^\n% Invalid command at '^' marker."
# First words of NX-OS's global configuration mode that a data centre switch has.
GLOBAL = frozenset(
    """aaa banner bfd boot class-map clock copp feature grpc hardware hostname icam interface ip
    ipv6 line lldp logging no ntp password policy-map priority-flow-control rmon route-map router
    snmp-server ssh system tacacs-server username vdc version vlan vpc""".split()  # noqa: SIM905
)
# What may stand behind `ip` and `ipv6` there: each interface has other words of its own.
_INTERNET = frozenset(
    """access-list adjacency arp as-path community-list dhcp domain-list domain-lookup domain-name
    forward igmp load-sharing name-server prefix-list radius route source-route ssh tacacs
    telnet""".split()  # noqa: SIM905
)
_FEATURES = {
    "bfd": "bfd",
    "grpc": "grpc",
    "lldp": "lldp",
    "tacacs-server": "tacacs+",
    "vpc": "vpc",
}
PORT = r"(?:Ethernet\d+(?:/\d+){1,2}(?:\.\d+)?|port-channel\d+(?:\.\d+)?|Vlan\d+|loopback\d+|mgmt0)"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IP = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_NET = rf"{_IP}/(?:3[0-2]|[12]?\d)"
_COMMUNITY = r"(?:graceful-shutdown|internet|local-AS|no-advertise|no-export|blackhole|\d+:\d+|\d+)"
_VIA = rf"(Null0|{_IP}|{PORT}( {_IP})?)( name \S+)?( tag \d+)?( \d+)?"

# By the words that such a line begins with: how it goes on, without a `no` before it.
_ACTING = {
    "interface": rf"{PORT}|breakout module \d+ port [\d,-]+ map \S+",
    "router bgp": r"\d+",
    "route-map": r"\S+ (permit|deny) \d+",
    "ip prefix-list": rf"\S+ (seq \d+ )?(permit|deny) {_NET}( (eq|ge|le) \d+)*",
    "ip community-list": (
        rf"standard \S+ (seq \d+ )?(permit|deny)( {_COMMUNITY})+|expanded \S+ .+"
    ),
    "ip route": rf"{_NET} {_VIA}",
    "lldp": r"(timer|holdtime|reinit) \d+|(tlv-select|portid-subtype) .+",
    "bfd": r"(interval \d+ min_rx \d+ multiplier \d+|echo|(slow|startup)-timer.*|echo-inter.*)",
    "hostname": r"\S+",
    "feature": r"[\w+-]+( [\w-]+)?",
    "vrf context": r"\S+",
    "system default switchport": r"(shutdown)?",
}
_BGP_FAMILY = (
    r"(send-community( both| extended| standard)?|next-hop-self|soft-reconfiguration inbound.*)",
    r"maximum-prefix \d+( \d+)?( warning-only| restart \d+)?",
    r"route-map \S+ (in|out)",
    r"(default-originate|allowas-in|disable-peer-as-check|prefix-list|advertise-map|weight).*",
)
_BGP_PEER = (
    r"(inherit peer \S+|remote-as \d+|description .+|shutdown|bfd|update-source \S+)",
    r"(timers \d+ \d+|ebgp-multihop \d+|password .+|log-neighbor-changes.*|local-as .+)",
    r"(dynamic-capability|low-memory exempt|capability .+|disable-connected-check)",
    r"address-family ipv[46] unicast",
)
_MODES = {
    "interface": (
        r"description .+",
        r"mtu \d+",
        r"(speed|duplex|fec|medium|delay|bandwidth|load-interval|flowcontrol|negotiate) .+",
        rf"ip address {_NET}( secondary)?( tag \d+)?",
        r"ip (forward|redirects|unreachables|proxy-arp|local-proxy-arp|arp .+|unnumbered .+)",
        r"ip (access-group|port access-group) \S+ in|ip access-group \S+ out",
        r"ipv6 (redirects|link-local \S+|address \S+|nd .+|traffic-filter .+)",
        r"vrf member \S+",
        r"encapsulation dot1q \d+",
        r"(switchport.*|shutdown|autostate|bfd echo|bfd interval .+|no-switchport)",
        r"(channel-group|lacp|vpc|hsrp|service-policy|priority-flow-control|private-vlan) .+",
        r"(spanning-tree|storm-control|lldp|cdp|logging|link|fabric) .+",
    ),
    "bgp": (
        rf"router-id {_IP}",
        r"bestpath (as-path multipath-relax|always-compare-med|compare-routerid|med .+)",
        r"(graceful-restart|graceful-restart-helper|graceful-restart \S+ \d+|log-neighbor-changes)",
        r"graceful-shutdown (activate|aware)( route-map \S+)?",
        r"(reconnect-interval|cluster-id|confederation|maxas-limit|timers) .+",
        r"(enforce-first-as|fast-external-fallover|suppress-fib-pending|event-history .+)",
        r"(template (peer|peer-policy|peer-session) \S+|vrf \S+|address-family ipv[46] unicast)",
        rf"neighbor ({PORT}|{_IP}|{_NET}|[\da-f:]+)( remote-as \d+)?",
    ),
    "bgp-af": (
        rf"network {_NET}( route-map \S+)?",
        r"maximum-paths (ibgp |mixed )?\d+",
        r"(redistribute|aggregate-address|dampening|nexthop|default-information|table-map) .+",
    ),
    "bgp-peer": _BGP_PEER,
    "bgp-peer-af": _BGP_FAMILY,
    "route-map": (
        r"match (ip address prefix-list \S+|community \S+|as-path \S+|interface .+|tag \d+)",
        rf"set (local-preference \d+|metric \d+|community( {_COMMUNITY})+( additive)?|weight \d+)",
        r"(description|continue|set (as-path|ip|origin|tag|comm-list)) .+",
    ),
    "vrf": (rf"ip route {_NET} {_VIA}", r"(description|rd|ip|ipv6|address-family) .+"),
}


def mode(blocks: Sequence[str]) -> str:
    """The mode of a block; "" where nobody here knows its lines."""
    if not blocks:
        return "global"
    head = blocks[0]
    if head.startswith("router bgp "):
        return _bgp(blocks[1:])
    if len(blocks) > 1:
        return ""
    if head.startswith("vrf context "):
        return "vrf"
    word = head.split()[0]
    return word if word in _MODES and "breakout" not in head else ""


def _bgp(below: Sequence[str]) -> str:
    below = below[1:] if below and below[0].startswith("vrf ") else below
    if not below:
        return "bgp"
    is_family = below[-1].startswith("address-family ")
    if below[0].startswith(("neighbor ", "template peer ")):
        return "bgp-peer-af" if is_family else "bgp-peer"
    return "bgp-af" if is_family else ""


def _is_known(blocks: Sequence[str], words: str) -> bool:
    where = mode(blocks)
    line = words.removeprefix("no ").removeprefix("default ")
    if where == "global":
        for begin, rest in _ACTING.items():
            if line == begin or line.startswith(f"{begin} "):
                return bool(re.fullmatch(rf"{begin} ?({rest})", line))
        first, _, rest = line.partition(" ")
        return first in GLOBAL and (first not in ("ip", "ipv6") or rest.split(" ")[0] in _INTERNET)
    if where not in _MODES:
        return True
    if words != line and any(one.startswith(line.split()[0]) for one in _MODES[where]):
        return True
    return any(re.fullmatch(one, line) for one in _MODES[where])


def _is_unsaid(inside: Sequence[str], line: str) -> bool:
    """A routed port is shut unless told otherwise, and then that is not shown."""
    return line == "shutdown" and "no switchport" in inside


WORDS = Words(
    deep=2,
    banner=re.compile(r"banner (?:motd|exec) (.)(.*)"),
    banner_ends=lambda began, line: began[1] in (line or began[2]),
    knows=_is_known,
    refusal=lambda _: INVALID,
    opens=re.compile(
        r"(interface|router|route-map|vrf context|vlan|line|neighbor|template|address-family"
        r"|vrf(?! member)|policy-map|class-map|class|system qos|ip access-list|ipv6 access-list"
        r"|aaa group|vpc domain|vdc)( \S+.*)?"
    ),
    single=re.compile(
        r"(description|mtu|speed|fec|hostname|vrf member|ip address|maximum-paths|remote-as"
        r"|lldp timer|lldp holdtime|bfd interval|timers|reconnect-interval|set local-preference"
        r"|router-id) "
    ),
    # NX-OS's default is the other one.
    said_no=re.compile(
        r"no (switchport|shutdown|ip redirects|ipv6 redirects|bfd echo|graceful-restart|negotiate"
        r" auto|ip domain-lookup|password strength-check|feature ssh|cdp enable|snmp-server .+)"
    ),
    unsaid=_is_unsaid,
)


def features(text: str) -> frozenset[str]:
    """Those that are on."""
    return frozenset(re.findall(r"(?m)^feature (\S+(?: \S+)?)$", text))


def needs(line: str) -> str:
    """The feature without which there is no such line outside of any block; "" for none."""
    said = line.removeprefix("no ")
    if match := re.match(r"router (\S+)", said):
        return match[1]
    found = (name for begin, name in _FEATURES.items() if f"{said} ".startswith(f"{begin} "))
    return next(found, "")
