"""What network tools are told of interfaces: addresses, MTU, rules and routes of their own.

systemd.network(5), systemd.link(5), nm-settings-keyfile(5), interfaces(5), and the list
that the role roce_nic keeps for its own program.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from ipaddress import IPv4Interface
from itertools import pairwise

from inventory.reading.fields import Unreadable

from .reading import (
    MTU,
    OPTION,
    PCI,
    Chunk,
    Reader,
    Reading,
    not_understood,
    route,
    rule,
    sorted_addresses,
)

_DEFAULT = "0.0.0.0/0"
Section = tuple[str, list[tuple[str, str, int]]]


def _mtu(nic: str, said: str, line: int, runs: bool = False) -> Reading:
    return Reading(nic, "mtu_bytes", MTU.read(said), line, runs)


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
            yield rule(name, said["From"], said["Table"], said.get("Priority", ""), line)
        if section == "Route" and ":" not in said.get("Gateway", ":"):
            prefix = said.get("Destination", _DEFAULT)
            yield route(name, said.get("Table", ""), prefix, said["Gateway"], line)
    if held:
        yield Reading(name, "addresses", sorted_addresses([text for text, _ in held]), held[0][1])


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
        yield Reading(name, "addresses", sorted_addresses(words), held[0][1])
    for key, (value, at) in ipv4.items():
        if key.startswith("routing-rule"):
            words = value.split()
            said = dict(zip(words[::2], words[1::2], strict=False))
            yield rule(name, said.get("from", "all"), said["table"], said.get("priority", ""), at)
        table = re.search(r"table=(\d+)", ipv4.get(f"{key}_options", ("", 0))[0])
        if re.fullmatch(r"route\d+", key):
            prefix, via, *_ = (*value.split(","), "")
            yield route(name, table[1] if table else "", prefix, via, at)


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
                yield Reading(name, "addresses", sorted_addresses([words[1]]), number)
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
                yield rule("", said["from"], table, priority, number)
        elif found := _IP_ROUTE.search(line):
            said = _pairs(found[2])
            if "table" in said:
                dev, via = said.get("dev", ""), said.get("via", "")
                yield route(dev, said["table"], found[1], via, number)


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(pairwise(words))


def _own_list(chunk: Chunk) -> Iterator[Reading]:
    """What the role roce_nic writes for railbed-network; each line is of an interface in it."""
    lines_of_heads = set(re.findall(r"(?m)^(?:nic|bond|vlan) (\S+) (.*)", chunk.text))
    heads = [name for name, _ in lines_of_heads]
    for number, line in chunk.lines():
        words = line.split()
        is_known = words[1:2] and (words[1] in heads or words[0] == "tool")
        found = tuple(_own_line(words, number)) if is_known else ()
        if not found and words and line[0] != "#":
            yield not_understood("routing", line, number)
        yield from found
    for name, count in Counter(heads).items():
        if count > 1:
            raise Unreadable(f"{name} is there {count} times")


def _own_line(words: list[str], number: int) -> Iterator[Reading]:
    match words:
        case ["tool", "netplan" | "networkd" | "networkmanager" | "ifupdown2" as tool]:
            yield Reading("", f"{OPTION}network tool", tool, number)
        case ["nic" | "bond" | "vlan" as kind, name, "mtu", mtu, "uuid", _]:
            yield _mtu(name, mtu, number)
            yield Reading(name, f"{OPTION}list kind", kind, number)
        case ["pci", name, address] if PCI.match(address):
            yield Reading(name, "pci", address, number)
        case ["master", name, bond]:
            yield Reading(name, "bond", bond, number)
            yield Reading(name, f"{OPTION}list master", bond, number)
        case ["parent", name, parent]:
            yield Reading(name, f"{OPTION}list parent", parent, number)
        case ["address", name, address]:
            yield Reading(name, "addresses", (address,), number)
            yield Reading(name, f"{OPTION}list address", True, number)
        case ["rule", name, priority, source, table]:
            yield rule(name, source, table, priority, number)
            yield Reading(name, f"{OPTION}list rule {priority}", table, number)
        case ["route", name, table, prefix, via, metric] if metric.isdigit():
            yield route(name, table, prefix, via, number)
            bits = "0" if prefix == "default" else prefix.partition("/")[2]
            shape = f"{OPTION}list route {table} /{bits} metric {metric}"
            yield Reading(name, shape, bool(via), number)


READERS: tuple[Reader, ...] = (
    (re.compile(r"(?m)^\[Match\][ \t]*$"), _networkd),
    (re.compile(r"(?m)^\[connection\][ \t]*$"), _keyfile),
    (re.compile(r"(?m)^\s*iface \S+"), _ifupdown),
    (re.compile(r"\bip(?: -\S+)* (?:rule add|route (?:add|replace)) "), _ip_commands),
    (re.compile(r"(?m)^(?:nic|bond|vlan) \S+ mtu \d+ uuid "), _own_list),
)
