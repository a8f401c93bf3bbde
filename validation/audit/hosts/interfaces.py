"""What network tools are told of interfaces: addresses, MTU, rules and routes of their own.

netplan(5), systemd.network(5), systemd.link(5), nm-settings-keyfile(5), interfaces(5), and the list
that the role roce_nic keeps for its own program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Interface
from itertools import pairwise

import yaml

from inventory.reading.fields import Unreadable

from .facts import RouteFacts, RuleFacts
from .reading import MTU, RULE_PRIORITY, Chunk, Reader, Reading

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_KINDS = ("ethernets", "bonds", "vlans", "bridges")
_DEFAULT, _MAIN = "0.0.0.0/0", "main"
Section = tuple[str, list[tuple[str, str, int]]]


def _mtu(nic: str, said: str, line: int, runs: bool = False) -> Reading:
    return Reading(nic, "mtu_bytes", MTU.read(said), line, runs)


def _rule(nic: str, source: str, table: str, priority: str, line: int) -> Reading:
    number = RULE_PRIORITY.read(priority) if priority else None
    return Reading(nic, "rule", RuleFacts(number, source, table), line)


def _route(nic: str, table: str, prefix: str, via: str, line: int) -> Reading:
    whole = _DEFAULT if prefix == "default" else prefix
    return Reading(nic, "route", RouteFacts(table or _MAIN, whole, nic, via), line)


# -- netplan ---------------------------------------------------------------------------------


def _netplan(chunk: Chunk) -> Iterator[Reading]:
    try:
        root = _map(yaml.compose(chunk.text, Loader=_LOADER))
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable(f"it is no YAML ({type(error).__name__})") from None
    network = _map(root.get("network"))
    for kind in _KINDS:
        for key, node in _map(network.get(kind)).items():
            one = _map(node)
            yield from _netplan_port(_word(one.get("set-name")) or key, one, chunk.above)


def _netplan_port(name: str, one: Mapping[str, yaml.Node], above: int) -> Iterator[Reading]:
    for member in _list(one.get("interfaces")):
        yield Reading(_word(member), "bond", name, _line(member, above))
    if "mtu" in one:
        yield _mtu(name, _word(one["mtu"]), _line(one["mtu"], above))
    held = [
        next(iter(_map(node)), "") if isinstance(node, yaml.MappingNode) else _word(node)
        for node in _list(one.get("addresses"))
    ]
    if held:
        yield Reading(name, "addresses", _sorted(held), _line(one["addresses"], above))
    for node in _list(one.get("routing-policy")):
        rule = {key: _word(value) for key, value in _map(node).items()}
        if "from" in rule and "table" in rule:
            at = _line(node, above)
            yield _rule(name, rule["from"], rule["table"], rule.get("priority", ""), at)
    for node in _list(one.get("routes")):
        route = {key: _word(value) for key, value in _map(node).items()}
        if "to" in route and ":" not in route["to"]:
            table, via = route.get("table", ""), route.get("via", "")
            yield _route(name, table, route["to"], via, _line(node, above))


def _map(node: yaml.Node | None) -> dict[str, yaml.Node]:
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {_word(key): value for key, value in node.value}


def _list(node: yaml.Node | None) -> list[yaml.Node]:
    return node.value if isinstance(node, yaml.SequenceNode) else []


def _word(node: yaml.Node | None) -> str:
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def _line(node: yaml.Node, above: int) -> int:
    return above + int(node.start_mark.line) + 1


def _sorted(addresses: list[str]) -> tuple[str, ...]:
    """The IPv4 addresses with their length."""
    return tuple(sorted(one for one in addresses if "/" in one and ":" not in one))


# -- files of sections: systemd's and NetworkManager's --------------------------------------


def _sections(chunk: Chunk) -> list[Section]:
    found: list[Section] = []
    for number, line in chunk.lines():
        words = line.strip()
        if head := re.fullmatch(r"\[([\w.-]+)\]", words):
            found.append((head[1], []))
        elif found and "=" in words and words[0] not in "#;":
            key, _, value = words.partition("=")
            found[-1][1].append((key.strip(), value.strip(), number))
    return found


def _networkd(chunk: Chunk) -> Iterator[Reading]:
    sections = _sections(chunk)
    match = _first(sections, "Match")
    name = match.get("Name", ("", 0))[0]
    if path := match.get("Path", ("", 0))[0]:
        name = _first(sections, "Link").get("Name", ("", 0))[0]
        if name and path.startswith("pci-"):
            yield Reading(name, "pci", path.removeprefix("pci-"), chunk.line("Path="))
    if not re.fullmatch(r"[\w.@:-]+", name):
        return
    held: list[tuple[str, int]] = []
    for section, rows in sections:
        said = {key: value for key, value, _ in rows}
        line = rows[0][2] if rows else chunk.above + 1
        if section == "Link" and "MTUBytes" in said:
            yield _mtu(name, said["MTUBytes"], chunk.line("MTUBytes"))
        if section in ("Network", "Address"):
            held += [(value, at) for key, value, at in rows if key == "Address"]
        if section == "Network" and "Bond" in said:
            yield Reading(name, "bond", said["Bond"], line)
        if section == "RoutingPolicyRule" and "From" in said and "Table" in said:
            yield _rule(name, said["From"], said["Table"], said.get("Priority", ""), line)
        if section == "Route" and ":" not in said.get("Gateway", ":"):
            prefix = said.get("Destination", _DEFAULT)
            yield _route(name, said.get("Table", ""), prefix, said["Gateway"], line)
    if held:
        yield Reading(name, "addresses", _sorted([text for text, _ in held]), held[0][1])


def _first(sections: list[Section], name: str) -> dict[str, tuple[str, int]]:
    rows = next((rows for section, rows in sections if section == name), [])
    return {key: (value, line) for key, value, line in rows}


def _keyfile(chunk: Chunk) -> Iterator[Reading]:
    sections = _sections(chunk)
    connection = _first(sections, "connection")
    name = connection.get("interface-name", ("", 0))[0]
    if not name:
        return
    if connection.get("slave-type", ("", 0))[0] == "bond":
        yield Reading(name, "bond", *connection.get("master", ("", 0)))
    for section in ("ethernet", "802-3-ethernet"):
        if "mtu" in (found := _first(sections, section)):
            yield _mtu(name, *found["mtu"])
    ipv4 = _first(sections, "ipv4")
    held = [(value, at) for key, (value, at) in ipv4.items() if re.match(r"address(es)?\d*$", key)]
    if held:
        words = [word.partition(",")[0] for value, _ in held for word in value.split(";")]
        yield Reading(name, "addresses", _sorted(words), held[0][1])
    for key, (value, at) in ipv4.items():
        if key.startswith("routing-rule"):
            words = value.split()
            said = dict(zip(words[::2], words[1::2], strict=False))
            yield _rule(name, said.get("from", "all"), said["table"], said.get("priority", ""), at)
        table = re.search(r"table=(\d+)", ipv4.get(f"{key}_options", ("", 0))[0])
        if re.fullmatch(r"route\d+", key):
            prefix, via, *_ = (*value.split(","), "")
            yield _route(name, table[1] if table else "", prefix, via, at)


# -- interfaces(5), scripts and our own list -------------------------------------------------

_STANZA = re.compile(r"^\s*iface\s+(\S+)")
_IP_RULE = re.compile(r"\bip(?: -\S+)* rule add (.*)")
_IP_ROUTE = re.compile(r"\bip(?: -\S+)* route (?:add|replace) (\S+) (.*)")


def _ifupdown(chunk: Chunk) -> Iterator[Reading]:
    name, mask = "", ""
    for number, line in chunk.lines():
        words = line.split()
        if found := _STANZA.match(line):
            name, mask = found[1], ""
        elif name and len(words) > 1:
            if words[0] == "mtu":
                yield _mtu(name, words[1], number)
            if words[0] == "address" and "/" in words[1]:
                yield Reading(name, "addresses", _sorted([words[1]]), number)
            elif words[0] == "address":
                mask = words[1]
            elif words[0] == "netmask" and mask:
                yield Reading(name, "addresses", (_with_mask(mask, words[1]),), number)
            elif words[0] == "bond-slaves":
                yield from (Reading(one, "bond", name, number) for one in words[1:])


def _with_mask(address: str, mask: str) -> str:
    try:
        return str(IPv4Interface(f"{address}/{mask}"))
    except ValueError:
        raise Unreadable(f"{address} with {mask} is no address") from None


def _ip_commands(chunk: Chunk) -> Iterator[Reading]:
    for number, line in chunk.lines():
        if line.lstrip().startswith("#") or "$" in line:
            continue
        if found := _IP_RULE.search(line):
            said = _pairs(found[1])
            if "from" in said and (table := said.get("table") or said.get("lookup")):
                priority = said.get("priority") or said.get("pref") or said.get("prio", "")
                yield _rule("", said["from"], table, priority, number)
        elif found := _IP_ROUTE.search(line):
            said = _pairs(found[2])
            if "table" in said:
                dev, via = said.get("dev", ""), said.get("via", "")
                yield _route(dev, said["table"], found[1], via, number)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(pairwise(words))


def _own_list(chunk: Chunk) -> Iterator[Reading]:
    """What the role roce_nic writes for railbed-network."""
    for number, line in chunk.lines():
        match line.split():
            case ["nic" | "bond" | "vlan", name, "mtu", mtu, *_]:
                yield _mtu(name, mtu, number)
            case ["pci", name, address]:
                yield Reading(name, "pci", address, number)
            case ["master", name, bond]:
                yield Reading(name, "bond", bond, number)
            case ["address", name, address]:
                yield Reading(name, "addresses", (address,), number)
            case ["rule", name, priority, source, table]:
                yield _rule(name, source, table, priority, number)
            case ["route", name, table, prefix, via, *_]:
                yield _route(name, table, prefix, via, number)


READERS: tuple[Reader, ...] = (
    (re.compile(r"(?m)^network:[ \t]*$"), _netplan),
    (re.compile(r"(?m)^\[Match\][ \t]*$"), _networkd),
    (re.compile(r"(?m)^\[connection\][ \t]*$"), _keyfile),
    (re.compile(r"(?m)^\s*iface \S+"), _ifupdown),
    (re.compile(r"\bip(?: -\S+)* (?:rule add|route (?:add|replace)) "), _ip_commands),
    (re.compile(r"(?m)^tool \w+\n(?:nic|bond|vlan) \S+ mtu "), _own_list),
)
