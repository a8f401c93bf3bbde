"""What a change of one leaf does to traffic.

Sources: NVIDIA Cumulus Linux 5.14, Equal Cost Multipath (a hash seed restarts switchd and resets
all ports; adaptive routing reloads it), Quality of Service (buffers and PFC change with a reload
and momentary loss), Optional BGP Configuration (peer groups reset sessions); 5.7, What's New
(FRR restarts when the ASN changes or a protocol is switched on or off).
"""

from __future__ import annotations

import re

from switch_configs.intent import Impact

# The first that matches a path, written with blanks, holds.
_RULES: tuple[tuple[str, Impact], ...] = (
    (r"system forwarding hash-seed", "reload"),
    (r"system global reserved .*|system forwarding profile", "reload"),
    (r"(interface \S+ )?router adaptive-routing .*", "daemon restart"),
    (r"interface \S+ qos .*|qos .*", "daemon restart"),
    (r"interface \S+ link (mtu|speed|fec|breakout|auto-negotiate|lanes|state)\b.*", "link flap"),
    (r"interface \S+ (bond|type|base-interface|vlan|vrf)\b.*|mlag .*", "link flap"),
    (r"interface \S+ (ip|ipv4|ipv6) (address|gateway|vrf|vrr)\b.*", "link flap"),
    (r"interface \S+ bridge .*", "link flap"),
    (r"interface \S+ (description|lldp)\b.*", "none"),
    (r"(vrf \S+ )?router bgp (autonomous-system|router-id|enable|state)", "daemon restart"),
    (r"vrf \S+ router bgp (peer-group|neighbor) \S+ description", "runtime"),
    (r"vrf \S+ router bgp (peer-group|neighbor)\b.*", "daemon restart"),
    (r"(service|system) (ntp|syslog|lldp|snmp-server|gnmi-server|config|hostname|aaa)\b.*", "none"),
    (r"service (ntp|syslog) .*", "none"),
)
_ORDER: tuple[Impact, ...] = (
    "none", "runtime", "daemon restart", "link flap", "reload", "reboot",
)  # fmt: skip


def of_path(path: tuple[str, ...]) -> Impact:
    """The impact of a change below a path; "runtime" where nothing says more."""
    text = " ".join(path)
    return next((impact for rule, impact in _RULES if re.fullmatch(rule, text)), "runtime")


# The worst that can be below the first two keys of a tree.
_PLACES: tuple[tuple[str, Impact], ...] = (
    (r"system( forwarding)?", "reload"),
    (r"interface.*|mlag.*", "link flap"),
    (r"qos.*|vrf.*|router (bgp|adaptive-routing|bfd)|router", "daemon restart"),
    (r"header.*|service.*|system.*", "none"),
)


def of_place(where: tuple[str, ...]) -> Impact:
    """The impact of a change at a place of the file; the worst where it is only two keys."""
    if len(where) > 2:
        return of_path(where)
    text = " ".join(where)
    return next((impact for rule, impact in _PLACES if re.fullmatch(rule, text)), "runtime")


def worst(impacts: list[Impact]) -> Impact:
    """The heaviest of some; "none" of none."""
    return max(impacts, key=_ORDER.index, default="none")
