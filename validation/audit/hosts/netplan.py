"""Files of netplan(5): addresses, MTU, rules and routes of ports, and what netplan would refuse.

netplan refuses a whole file for one key or value that it does not know, and YAML allows no key
twice (YAML 1.2, 3.2.1.1): such a file is told as not read, since then nothing of it is applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import yaml

from inventory.reading.fields import Unreadable

from .reading import MTU, OPTION, RULE_PRIORITY, Chunk, Reader, Reading, sorted_addresses
from .reading import route as route_of
from .reading import rule as rule_of

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_ALONE, _MANY = ("ethernets", "vlans"), ("bonds", "bridges")
_KINDS = (*_ALONE, *_MANY)


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TOP = _names(
    "version renderer ethernets modems wifis bridges bonds tunnels vlans vrfs dummy-devices "
    "virtual-ethernets nm-devices openvswitch"
)
_PORT = _names(
    "accept-ra access-points activation-mode addresses auth critical "
    "delay-virtual-functions-rebind "
    "dhcp-identifier dhcp4 dhcp4-overrides dhcp6 dhcp6-overrides embedded-switch-mode emit-lldp "
    "gateway4 gateway6 generic-receive-offload generic-segmentation-offload hairpin id "
    "ignore-carrier infiniband-mode interfaces ipv6-address-generation ipv6-address-token ipv6-mtu "
    "ipv6-privacy large-receive-offload link link-local macaddress match mtu nameservers "
    "neigh-suppress networkmanager openvswitch optional optional-addresses parameters "
    "port-mac-learning ra-overrides receive-checksum-offload regdom renderer routes routing-policy "
    "set-name tcp-segmentation-offload tcp6-segmentation-offload transmit-checksum-offload "
    "virtual-function-count wakeonlan wakeonwlan"
)
_PARAMETERS = _names(
    "active-slave ad-select ageing-time aging-time all-members-active all-slaves-active "
    "arp-all-targets arp-interval arp-ip-targets arp-validate down-delay fail-over-mac-policy "
    "forward-delay gratuitious-arp gratuitous-arp hello-time lacp-rate learn-packet-interval "
    "max-age mii-monitor-interval min-links mode packets-per-member packets-per-slave path-cost "
    "port-priority primary primary-reselect-policy priority resend-igmp stp "
    "transmit-hash-policy up-delay"
)
_OF_MANY = _names("interfaces parameters")
_ROUTE = _names(
    "advertised-mss advertised-receive-window congestion-window from metric mtu on-link scope "
    "table to type via"
)
_RULE = _names("from mark priority table to type-of-service")
_BOOL = re.compile(r"(?i)true|false|yes|no|on|off|y|n|null|~?")
_VALUES = {
    **dict.fromkeys(
        ("optional", "ignore-carrier", "dhcp4", "dhcp6", "accept-ra", "critical", "on-link"), _BOOL
    ),
    "renderer": re.compile("networkd|NetworkManager"),
    "version": re.compile("2"),
    "mode": re.compile(
        "802.3ad|active-backup|balance-rr|balance-xor|broadcast|balance-tlb|balance-alb"
    ),
    "lacp-rate": re.compile("slow|fast"),
    "transmit-hash-policy": re.compile(
        r"layer2|layer3\+4|layer2\+3|encap2\+3|encap3\+4|vlan\+srcmac"
    ),
    **dict.fromkeys(("metric", "priority", "table", "id"), re.compile(r"\d+")),
}
_LINK_LOCAL = frozenset({"ipv4", "ipv6"})
# What rules and routes say apart: of others' ports it is not the same.
_APART = frozenset({"routes", "routing-policy", "addresses", "match", "set-name", "macaddress"})
_MAIN, _DEFAULT = "main", ("default", "0.0.0.0/0")


def _netplan(chunk: Chunk) -> Iterator[Reading]:
    try:
        top = _map(yaml.compose(chunk.text, Loader=_LOADER), _names("network"))
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable(f"it is no YAML ({type(error).__name__})") from None
    network = _map(top.get("network"), _TOP)
    names = {key for kind in _KINDS for key in _map(network.get(kind))}
    for key in ("version", "renderer"):
        if key in network:
            yield Reading("", f"{OPTION}netplan {key}", _value(key, network[key]), 1 + chunk.above)
    for kind in _KINDS:
        for key, node in _map(network.get(kind)).items():
            one = _map(node, _PORT - _OF_MANY if kind in _ALONE else _PORT)
            name = _word(one.get("set-name")) or key
            if lost := [word for word in map(_word, _list(one.get("interfaces")))
                        if word not in names]:  # fmt: skip
                raise Unreadable(f"{name} is of {lost[0]}, which is not there")
            for reading in _port(name, one):
                yield replace(reading, line=reading.line + chunk.above)


def _port(name: str, one: Mapping[str, yaml.Node]) -> Iterator[Reading]:
    for member in _list(one.get("interfaces")):
        yield Reading(_word(member), "bond", name, _line(member))
    if "mtu" in one:
        yield Reading(name, "mtu_bytes", MTU.read(_word(one["mtu"])), _line(one["mtu"]))
    held = [
        next(iter(_map(node)), "") if isinstance(node, yaml.MappingNode) else _word(node)
        for node in _list(one.get("addresses"))
    ]
    if held:
        yield Reading(name, "addresses", sorted_addresses(held), _line(one["addresses"]))
        yield Reading(name, f"{OPTION}has an address", True, _line(one["addresses"]))
    for node in _list(one.get("routing-policy")):
        rule = {key: _value(key, value) for key, value in _map(node, _RULE).items()}
        if "from" in rule and "table" in rule:
            priority = rule.get("priority", "")
            yield rule_of(name, rule["from"], rule["table"], priority, _line(node))
            number = RULE_PRIORITY.read(priority) if priority else None
            yield Reading(name, f"{OPTION}rule {number}", rule["table"], _line(node))
    for node in _list(one.get("routes")):
        route = {key: _value(key, value) for key, value in _map(node, _ROUTE).items()}
        if "to" not in route or not {"via", "scope", "type"} & set(route):
            raise Unreadable(f"a route of {name} without to or via")
        if ":" not in route["to"]:
            table, via = route.get("table", _MAIN), route.get("via", "")
            yield route_of(name, table, route["to"], via, _line(node))
            bits = route["to"].partition("/")[2] if route["to"] not in _DEFAULT else "0"
            key = f"{OPTION}route {table} /{bits} metric {route.get('metric', '-')}"
            yield Reading(name, key, bool(via), _line(node))
    for key, node in one.items():
        if key not in _APART:
            yield from _options(name, key, node)


def _options(name: str, key: str, node: yaml.Node) -> Iterator[Reading]:
    """What else is said of a port, in netplan's words."""
    if isinstance(node, yaml.MappingNode):
        for below, value in _map(node, _PARAMETERS if key == "parameters" else None).items():
            yield Reading(name, f"{OPTION}{key}.{below}", _value(below, value), _line(value))
    elif isinstance(node, yaml.SequenceNode):
        words = sorted(map(_word, node.value))
        if key == "link-local" and set(words) - _LINK_LOCAL:
            raise Unreadable(f"{key} {' '.join(words)} is no family")
        yield Reading(name, f"{OPTION}{key}", ", ".join(words), _line(node))
    else:
        yield Reading(name, f"{OPTION}{key}", _value(key, node), _line(node))


def _value(key: str, node: yaml.Node) -> str:
    """A value that netplan would take."""
    word, form = _word(node), _VALUES.get(key)
    if form and not form.fullmatch(word):
        raise Unreadable(f"netplan takes no {key} {word!r}: the file is refused")
    return word


def _map(
    node: yaml.Node | None, known: frozenset[str] | set[str] | None = None
) -> dict[str, yaml.Node]:
    """A mapping, each key once and each of those that are known."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        word = _word(key)
        if word in found:
            raise Unreadable(f"the key {word} is there twice, at line {_line(key)} again")
        if known is not None and word not in known:
            raise Unreadable(f"netplan knows no key {word}: the file is refused")
        found[word] = value
    return found


def _list(node: yaml.Node | None) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _word(node: yaml.Node | None) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


READERS: tuple[Reader, ...] = ((re.compile(r"(?m)^[ \t]*[\"']?network[\"']?:[ \t]*$"), _netplan),)
