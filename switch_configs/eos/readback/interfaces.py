"""Interface blocks (EOS User Manual: Ethernet Ports, Port Channels, VLANs, Private VLAN)."""

from __future__ import annotations

import re

from .qos import queue, setting
from .reading import EosReading, Interface, Vlan
from .tree import Node

_SPEED = re.compile(r"(?:auto |forced )?(\d+)(g|gfull|full)(?:-([1248]))?")
_QUEUES = ("tx-queue", "uc-tx-queue")


def interface(node: Node, found: EosReading) -> bool:
    """One `interface NAME` block."""
    one = found.interfaces.setdefault(node.words[1], Interface(node.words[1]))
    one.said = one.said or bool(node.below)
    for below in node.below:
        words = below.words
        if words[0] in _QUEUES and len(words) == 2 and words[1].isdecimal():
            queue(one.own, below, found)
        elif words == ["evpn", "ethernet-segment"]:
            one.segment = True
            found.unread += below.paths()
        elif words == ["encapsulation", "vlan"]:
            one.tag = next((tag for inner in below.below if (tag := _client(inner.words))), None)
            found.unread += below.paths()
        elif below.below or not _line(one, words):
            found.unread += below.paths()
    return True


def _client(words: list[str]) -> int | None:
    """The tag of `client dot1q 1000 network client` (EOS: flexible encapsulation)."""
    is_one = words[:2] == ["client", "dot1q"] and len(words) > 2 and words[2].isdecimal()
    return int(words[2]) if is_one else None


def _line(one: Interface, words: list[str]) -> bool:
    return _physical(one, words) or _switched(one, words) or _routed(one, words) or _qos(one, words)


def _physical(one: Interface, words: list[str]) -> bool:
    match words:
        case ["description", *rest] if rest:
            one.description = " ".join(rest)
        case ["mtu", size] if size.isdecimal():
            one.mtu_bytes = int(size)
        case ["speed", *rest]:
            rate = _SPEED.fullmatch(" ".join(rest))
            if rate is None:
                return False
            one.rate_gbps = int(rate[1]) / (1000 if rate[2] == "full" else 1)
            # Up to 1 Gb/s copper always negotiates (IEEE 802.3, clauses 28 and 40).
            one.autoneg = True if rest[0] == "auto" and one.rate_gbps > 1 else None
        case ["error-correction", "encoding", "reed-solomon"]:
            one.fec = "rs"
        case ["error-correction", "encoding", "fire-code"]:
            one.fec = "fc"
        case ["no", "error-correction", "encoding"]:
            one.fec = "none"
        case ["channel-group", number, "mode", mode] if number.isdecimal():
            one.channel, one.lacp = int(number), mode in ("active", "passive")
            one.waits_for_lacp = mode == "passive"
            return mode in ("active", "passive", "on")
        case ["mlag", number] if number.isdecimal():
            one.mlag = int(number)
        case ["no", "shutdown"]:
            pass
        case ["link", "tracking", "group", name, "upstream" | "downstream" as side]:
            one.tracking.append((name, side))
        case ["no", "autostate"]:
            one.stays_up = True
        case _:
            return False
    return True


def _switched(one: Interface, words: list[str]) -> bool:
    match words:
        case ["switchport"]:
            one.routed = False
        case ["no", "switchport"]:
            one.routed = True
        case ["switchport", "mode", "access" | "trunk" as mode]:
            one.trunk = mode == "trunk"
        case ["switchport", "access", "vlan", number] if number.isdecimal():
            one.access = int(number)
        case ["switchport", "trunk", "native", "vlan", number] if number.isdecimal():
            one.native = int(number)
        case ["switchport", "trunk", "allowed", "vlan", text]:
            one.allowed = numbers(text)
            return one.allowed is not None
        case ["switchport", "vlan", "translation", "out", text, outside] if outside.isdecimal():
            inside = numbers(text)
            again = set(inside or ()) & set(one.outward)
            one.outward |= dict.fromkeys(inside or (), int(outside))
            return inside is not None and not again
        case ["switchport", "trunk", "group", name]:
            one.groups.add(name)
        case ["spanning-tree", "portfast"] | ["spanning-tree", "portfast", "edge"]:
            one.edge = True
        case ["vxlan", "vlan", text, "vni", _]:
            one.overlaid |= set(numbers(text) or ())
            return False
        case ["encapsulation", "dot1q", "vlan", number] if number.isdecimal():
            one.tag = int(number)
        case ["pvlan", "mapping", text]:
            one.isolated = text
        case _:
            return False
    return True


def numbers(text: str) -> tuple[int, ...] | None:
    """`10-12,20`; None where it is none."""
    out: list[int] = []
    for part in text.split(","):
        ends = part.split("-")
        if not all(end.isdecimal() for end in ends) or len(ends) > 2:
            return None
        first, last = int(ends[0]), int(ends[-1])
        if not 1 <= first <= last <= 4094:
            return None
        out += range(first, last + 1)
    return tuple(sorted(set(out)))


def _routed(one: Interface, words: list[str]) -> bool:
    match words:
        case ["vrf", name]:
            one.vrf = name
        case ["ip", "address", "virtual", address] if "/" in address:
            one.addresses.append(address)
            one.gateway = address.split("/")[0]
        case ["ip", "address", address] if "/" in address:
            one.addresses.append(address)
        case ["ip", "virtual-router", "address", address]:
            one.gateway = address
        case ["ip", "access-group", name, "in"]:
            one.acl = name
        case ["ipv6", "enable"]:
            one.ipv6 = True
        case _:
            return False
    return True


def _qos(one: Interface, words: list[str]) -> bool:
    match words:
        case ["service-profile", name]:
            one.service_profile = name
        case _:
            return setting(one.own, words)
    return True


def vlan(node: Node, found: EosReading) -> bool:
    """One `vlan NUMBER` block."""
    ids = numbers(node.words[1])
    if ids is None:
        return False
    for number in ids:
        one = found.vlans.setdefault(number, Vlan())
        for below in node.below:
            match below.words:
                case ["name", name]:
                    one.name = name
                case ["private-vlan", "isolated", "primary", "vlan", above] if above.isdecimal():
                    one.isolated_of = int(above)
                case ["trunk", "group", name]:
                    one.groups.add(name)
                case _:
                    found.unread.append(below.path)
    return True
