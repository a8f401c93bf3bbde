"""Words of NVUE 5.14: which may stand where; what does not act on packets is known by its head.

Sources: Cumulus Linux 5.14, NVUE Object Model; NVUE Command Reference, Set and Unset Commands
(Interface, Router Policy, BGP, LLDP, System); NVUE CLI, which lists all objects and says that the
MTU of a port is an integer of 552 to 9216. A path is said in one line, its value as its last word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..trees import Tree
from .tree import lines

_ON = "(on|off)"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IP = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_NET = rf"{_IP}/(?:3[0-2]|[12]?\d)"
_IP6 = r"[\da-f]*:[\da-f:]*"
_MTU = r"(?:55[2-9]|5[6-9]\d|[6-9]\d\d|[1-8]\d{3}|9[01]\d\d|920\d|921[0-6])"
_SPEED = "(auto|10M|100M|1G|10G|25G|40G|50G|100G|200G|400G|800G)"
_VIA = "(interface|ipv4-address|ipv6-address|blackhole|reject)"
_COMMUNITY = r"(\d+:\d+|[a-z][a-zA-Z-]+)"

# By how a path begins, what may follow there. What is under no such head is known by its first
# words, in _HEADS.
_ACTING: dict[str, tuple[str, ...]] = {
    r"interface [A-Za-z]\S{0,14}": (
        r"",
        r"type (swp|eth|bond|loopback|svi|sub|peerlink)",
        r"description .+",
        r"(base-interface \S+|vlan \d+)",
        r"link( state( (up|down))?)?",
        rf"link (mtu {_MTU}|speed {_SPEED}|fec (auto|baser|off|rs|driver-auto))",
        r"link (duplex (half|full)|lanes [1248]|mac-address [\da-f:]{17})",
        rf"link ((auto-negotiate|fast-linkup) {_ON}|flap-protection enable {_ON})",
        r"link breakout (1x|2x|4x|8x|disabled|loopback)( lanes-per-port [1248])?",
        rf"ip (address ({_NET}|{_IP6}/\d+|dhcp)|gateway ({_IP}|{_IP6})|vrf \S+)",
        rf"ip (ipv[46] forward|ipv6 enable) {_ON}",
        r"ip (vrr|neighbor-discovery|igmp|pim) .+",
        r"(acl|bond|bridge|evpn|lldp|pluggable|ptp|qos|router|storm-control|telemetry)( .+)?",
    ),
    "router bgp": (
        rf"(enable|graceful-shutdown|wait-for-install) {_ON}",
        rf"(autonomous-system (\d+|none|leaf|spine)|router-id ({_IP}|none))",
        r"(graceful-restart|convergence-wait|policy-update-timer|queue-limit) .+",
    ),
    "router policy": (
        r"prefix-list \S+( type (ipv4|ipv6))?",
        r"(prefix|community|large-community|as-path)-list \S+ rule \d+ action (permit|deny)",
        rf"prefix-list \S+ rule \d+ match ({_NET}|{_IP6}/\d+|any)( (min|max)-prefix-len \d+)?",
        rf"community-list \S+ rule \d+ community {_COMMUNITY}",
        r"(large-community|as-path)-list \S+ rule \d+ (large-community|aspath-exp) .+",
        r"route-map \S+",
        r"route-map \S+ rule \d+ (action (permit|deny)( exit-policy .+)?|description .+)",
        r"route-map \S+ rule \d+ match (type (ipv4|ipv6)|metric \S+|tag \d+|local-preference \d+)",
        r"route-map \S+ rule \d+ match (ip-prefix-list|community-list|interface|as-path-list) \S+",
        r"route-map \S+ rule \d+ match (large-community-list|ip-\S+|origin|peer|source-\S+) \S+",
        rf"route-map \S+ rule \d+ set (community {_COMMUNITY}|as-path-\S+ .+)",
        r"route-map \S+ rule \d+ set (local-preference|weight|metric|tag) \d+",
        r"route-map \S+ rule \d+ set (origin|metric-type|ip-nexthop|ext-community-bw) \S+",
        r"route-map \S+ rule \d+ set (\S*community\S*|ipv6-\S+|source-ip|atomic-aggregate) \S+",
    ),
    r"vrf \S+ router bgp": (
        rf"(enable|dynamic-neighbor enable) {_ON}",
        rf"(autonomous-system (\d+|none|leaf|spine|auto)|router-id ({_IP}|none|auto))",
        r"timers (keepalive|hold|connection-retry|route-advertisement) \S+",
        r"path-selection (routerid-compare|(aspath|med|multipath) \S+) \S+",
        r"(dynamic-neighbor|convergence-wait|confederation|rd|route-export|route-import) .+",
        rf"address-family (ipv4|ipv6)-unicast(| enable {_ON})",
        r"address-family (ipv4|ipv6)-unicast multipaths ((ebgp|ibgp) \d+|compare-\S+ \S+)",
        rf"address-family ipv4-unicast network {_NET}( route-map \S+)?",
        rf"address-family ipv6-unicast network {_IP6}/\d+( route-map \S+)?",
        r"address-family (ipv4|ipv6)-unicast (aggregate-route|redistribute|route-\S+|rib-\S+) .+",
        r"address-family (ipv4|ipv6)-unicast admin-distance .+",
        r"address-family l2vpn-evpn .+",
        r"(neighbor|peer-group) \S+",
        rf"(neighbor|peer-group) \S+ (enable|shutdown|passive-mode|graceful-shutdown) {_ON}",
        r"neighbor \S+ (type (numbered|unnumbered)|peer-group \S+)",
        r"(neighbor|peer-group) \S+ (description .+|remote-as (\d+|internal|external|none))",
        r"(neighbor|peer-group) \S+ (password|update-source|multihop-ttl|local-as|ttl-\S+) .+",
        r"(neighbor|peer-group) \S+ (capabilities|enforce-first-as|nexthop-\S+|graceful-re\S+) .+",
        r"(neighbor|peer-group) \S+ timers \S+ (\d+|none|auto)",
        rf"(neighbor|peer-group) \S+ bfd (enable {_ON}|(detect-multi\S+|min-[rt]x-interval) \d+)",
        rf"(neighbor|peer-group) \S+ address-family \S+(| enable {_ON})",
        r"(neighbor|peer-group) \S+ address-family \S+ policy (in|out)bound \S+ \S+",
        r"(neighbor|peer-group) \S+ address-family \S+ prefix-limits inbound \S+ \S+",
        rf"(neighbor|peer-group) \S+ address-family \S+ community-advertise \S+ {_ON}",
        r"(neighbor|peer-group) \S+ address-family \S+ (aspath|attribute-mod|default-route-\S+) .+",
        r"(neighbor|peer-group) \S+ address-family \S+ (add-path-tx|nexthop-setting|weight) \S+",
        rf"(neighbor|peer-group) \S+ address-family \S+ (soft-reconf\S+|route-reflec\S+) {_ON}",
    ),
    r"vrf \S+ router static": (
        rf"({_NET}|{_IP6}/\d+)",
        rf"({_NET}|{_IP6}/\d+) (address-family ipv[46]-unicast|description .+|tag \d+)",
        rf"({_NET}|{_IP6}/\d+)( distance \d+)? via \S+( type {_VIA}| (flag|interface|vrf) .+)?",
    ),
    "service lldp": (r"(tx-interval|tx-hold-multiplier) \d+", r"(mode|\S+-tlv|lldp-med-\S+) \S+"),
    "system hostname": (r"[A-Za-z\d][\w.-]*",),
    "system config": (r"auto-save state (enabled|disabled)", r"(apply|snippet|hashing)\b.*"),
    r"system aaa user [a-z_][\w-]*": (
        r"(|role \S+|state (enabled|disabled)|full-name .*|(hashed-password|password) .+)",
        r"ssh authorized-key \S+ (key \S+|type \S+)",
    ),
}
_HEADS = (
    r"(acl|bridge|evpn|mlag|nve|platform|qos|maintenance)\b.*",
    r"router (adaptive-routing|igmp|nexthop|ospf|pbr|pim|ptm|vrr|vrrp|graceful-restart)\b.*",
    r"vrf \S+( (evpn|loopback|ptp|table)\b.*| router( (nexthop|ospf|pim|rib)\b.*)?)?",
    r"service (control-plane|dhcp-relay6?|dhcp-server6?|dns|ntp|ptp|snmp-server|syslog|wjh)\b.*",
    r"system( (aaa|acl|api|control-plane|cli|counters|date-time|date-time|dns|docker|docker)\b.*)?",
    r"system (forwarding|global|gnmi-server|health|link|log|message|nat|ntp|packages|ptp)\b.*",
    r"system (port-mirror|reboot|security|snmp-server|ssh-server|ssd-\S+|stat\S*|syslog)\b.*",
    r"system (telemetry|timezone|tpm|usb|version|vrr|wjh|ztp|config|image|event\S*|disk)\b.*",
)
_OBJECT = re.compile(
    r".* (ip address|ip gateway|network|community|link state|link breakout|action|"
    r"authorized-key|prefix-list|route-map|rule \d+ match|peer-group|neighbor|via) \S+"
    r"|interface \S+"
)

_VALUE = re.compile(r".* (policy \S+ (route-map|prefix-list)|neighbor \S+ peer-group) \S+")


def refusal(asked: Tree | str) -> str:
    """Where the first word stands that may not, and why; "" where all may."""
    said: Iterable[str] = [asked] if isinstance(asked, str) else lines(asked)
    for line in said:
        if not _is_known(line):
            *above, last = line.split()
            where = ".".join(above) or "top"
            return f"{where}: Additional properties are not allowed ('{last}' was unexpected)"
    return ""


def _is_known(line: str) -> bool:
    for begin, may in _ACTING.items():
        if found := re.match(rf"{begin}(?: |$)", line):
            return any(re.fullmatch(one, line[found.end() :]) for one in may)
    return any(re.fullmatch(one, line) for one in _HEADS)


def is_object(words: Sequence[str]) -> bool:
    """Whether the last of these is the name of an object, and no value."""
    line = " ".join(words)
    return bool(_OBJECT.fullmatch(line)) and not _VALUE.fullmatch(line)
