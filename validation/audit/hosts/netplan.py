"""Files of netplan(5): addresses, MTU, rules and routes of ports, and what netplan would refuse.

netplan refuses a whole file for one key or value that it does not know, and YAML allows no key
twice (YAML 1.2, 3.2.1.1): such a file is told as not read, since then nothing of it is applied.

Of several files all are read in the order of their names, whichever folder they are in, and of one
name the one of the first folder alone (netplan-generate(8)): a later value wins, and what is listed
is added. A device may be named that the same file or one before it defines, and keeps its kind
(netplan, src/parse.c: `process_document`, `handle_network_type`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import yaml

from inventory.reading.fields import Unreadable

from .reading import MTU, OPTION, RULE_PRIORITY, Chunk, Reading, chunks, sorted_addresses
from .reading import route as route_of
from .reading import rule as rule_of

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_ALONE, _MANY = ("ethernets", "vlans"), ("bonds", "bridges")
_KINDS = (*_ALONE, *_MANY)
# Devices that ports, bonds and bridges are made of.
_NAMED = (
    *_KINDS, "modems", "wifis", "tunnels", "vrfs", "dummy-devices", "virtual-ethernets",
    "nm-devices",
)  # fmt: skip
_PLACE = re.compile(r"(.*?)/(run|etc|usr/lib|lib)/netplan/([^/]+)")
_FOLDERS = ("run", "etc", "lib", "usr/lib")


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


@dataclass(frozen=True, slots=True)
class Beside:
    """What a server's files of netplan say together.

    (name, kind) of the devices of files up to one, (name, port) of those that any file renames, and
    (member, bond or bridge) of files up to one.
    """

    earlier: tuple[tuple[str, str], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    members: tuple[tuple[str, str], ...] = ()


ALONE = Beside()


@dataclass(frozen=True, slots=True)
class _Device:
    name: str
    kind: str
    set_name: str
    members: tuple[str, ...] = ()


def in_order(texts: Mapping[str, str]) -> Mapping[str, str]:
    """A server's texts, its netplan as netplan orders it and without what is shadowed."""
    order: dict[str, tuple[int, str]] = {}
    for path in texts:
        said = _PLACE.fullmatch(path)
        if said and not path.endswith(".yaml"):
            continue  # a copy beside it, which netplan does not read
        key, rank = (
            (f"{said[1]}/etc/netplan/{said[3]}", _FOLDERS.index(said[2])) if said else (path, 0)
        )
        order[key] = min(order.get(key, (rank, path)), (rank, path))
    return {path: texts[path] for _, (_, path) in sorted(order.items())}


def beside(texts: Mapping[str, str]) -> Mapping[str, Beside]:
    """By path, of texts in netplan's order that are netplan's."""
    held = {path: some for path, text in texts.items() if (some := _devices_of(path, str(text)))}
    renamed = tuple(
        (one.name, one.set_name) for some in held.values() for one in some if one.set_name
    )
    found: dict[str, Beside] = {}
    earlier: tuple[tuple[str, str], ...] = ()
    members: tuple[tuple[str, str], ...] = ()
    for path, some in held.items():
        earlier += tuple((one.name, one.kind) for one in some)
        members += tuple(_owned(some))
        found[path] = Beside(earlier, renamed, members)
    return found


@lru_cache(maxsize=4096)
def _devices_of(path: str, text: str) -> tuple[_Device, ...]:
    """The devices of a text that is netplan's, as far as it can be read; of another none."""
    found: list[_Device] = []
    for chunk in chunks(path, text) if "network" in text else ():
        if PATTERN.search(chunk.text):
            try:
                found += _devices(_network(chunk))
            except Unreadable:
                continue
    return tuple(found)


def _network(chunk: Chunk) -> Mapping[str, yaml.Node]:
    found = _parsed(chunk.text)
    if isinstance(found, Unreadable):
        raise Unreadable(str(found))
    return found


@lru_cache(maxsize=64)  # asked for its devices, and soon for all of it
def _parsed(text: str) -> Mapping[str, yaml.Node] | Unreadable:
    try:
        return _map(_map(yaml.compose(text, Loader=_LOADER), {"network"}).get("network"), _TOP)
    except (yaml.YAMLError, RecursionError) as error:
        return Unreadable(f"it is no YAML ({type(error).__name__})")
    except Unreadable as error:
        return error


def _devices(network: Mapping[str, yaml.Node]) -> Iterator[_Device]:
    for kind in _NAMED:
        for name, node in _map(network.get(kind)).items():
            if name != "renderer":  # of all of the kind
                some = _map(node)
                of = map(_word, _list(some.get("interfaces"))) if kind in _MANY else ()
                yield _Device(name, kind, _word(some.get("set-name")), tuple(of))
    for pair in _list(_map(network.get("openvswitch")).get("ports")):
        for end in _list(pair):
            yield _Device(_word(end), "ports", "")


def _owned(some: Iterable[_Device]) -> Iterator[tuple[str, str]]:
    return ((member, one.name) for one in some for member in one.members)


def read(chunk: Chunk, beside: Beside) -> Iterator[Reading]:
    """What a file of netplan says, beside others."""
    network = _network(chunk)
    own = [*_devices(network)]
    kinds: dict[str, str] = {}
    for name, kind in (*beside.earlier, *((one.name, one.kind) for one in own)):
        if kinds.setdefault(name, kind) != kind:
            raise Unreadable(f"{name} is of {kinds[name]} and of {kind}")
    owners: dict[str, str] = {}
    for member, owner in (*beside.members, *_owned(own)):
        if owners.setdefault(member, owner) != owner:
            raise Unreadable(f"{member} is of {owners[member]} and of {owner}")
    ports = dict(beside.renamed) | {one.name: one.set_name for one in own if one.set_name}
    for key in ("version", "renderer"):
        if key in network:
            yield Reading("", f"{OPTION}netplan {key}", _value(key, network[key]), 1 + chunk.above)
    for kind in _KINDS:
        for key, node in _map(network.get(kind)).items():
            one = _map(node, _PORT - _OF_MANY if kind in _ALONE else _PORT)
            name = ports.get(key, key)
            if lost := [word for word in map(_word, _list(one.get("interfaces")))
                        if word not in kinds]:  # fmt: skip
                raise Unreadable(
                    f"{name} is of {lost[0]}, which is not there, nor in a file before"
                )
            for reading in _port(name, one, ports):
                yield replace(reading, line=reading.line + chunk.above)


def _port(name: str, one: Mapping[str, yaml.Node], ports: Mapping[str, str]) -> Iterator[Reading]:
    for member in _list(one.get("interfaces")):
        word = _word(member)
        yield Reading(ports.get(word, word), "bond", name, _line(member))
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
        # A later file's families of local addresses stand for those before.
        said = ", ".join(words) if key == "link-local" else tuple(words)
        yield Reading(name, f"{OPTION}{key}", said, _line(node))
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


# In blocks; in braces only with a key of netplan's own behind it: others' JSON has networks too.
PATTERN = re.compile(
    r"""(?m)^[ \t]*\{?[ \t]*["']?network["']?[ \t]*:[ \t]*"""
    rf"""(?:(?:\#.*)?$|\{{\s*(?:\}}|["']?(?:{"|".join(sorted(_TOP))})["']?\s*:))"""
)
