"""`router bgp` (EOS User Manual, Border Gateway Protocol)."""

from __future__ import annotations

from collections.abc import Callable

from .reading import EosReading, Neighbour, Table
from .tree import Node


def bgp(node: Node, found: EosReading) -> bool:
    """The instance, or more lines of it; another one is not read."""
    asn = as_number(node.words[2])
    if asn is None or found.asn not in (None, asn):
        return False
    found.asn = asn
    _table(node, "", found)
    return True


def as_number(word: str) -> int | None:
    """An AS number in either notation of RFC 5396: 4259905636, or 65001.100 as asdot."""
    high, dot, low = word.partition(".")
    if not high.isdecimal() or (dot and not low.isdecimal()):
        return None
    return int(high) * 65536 + int(low) if dot else int(high)


def _table(node: Node, vrf: str, found: EosReading) -> None:
    table = found.tables.setdefault(vrf, Table())
    for below in node.below:
        match below.words:
            case ["vrf", "default"] if not vrf:
                _table(below, vrf, found)
            case ["vrf", name] if not vrf:
                _table(below, name, found)
            case ["address-family", "ipv4"]:
                _each(below, found, lambda words: _family(table, found, words))
            case ["address-family", *_]:
                _other_family(below, table, found)
                found.unread += below.paths()
            case words:
                if below.below or not (
                    _instance(table, found, words, vrf) or _neighbour(table, found, words)
                ):
                    found.unread += below.paths()


def _other_family(node: Node, table: Table, found: EosReading) -> None:
    """Who speaks EVPN, VPNs or IPv6; all else of it is beside the plan."""
    for one in node.below:
        match one.words:
            case ["neighbor", key, "activate"]:
                _of(table, found, key).others = True


def _each(node: Node, found: EosReading, line: Callable[[list[str]], bool]) -> None:
    found.unread += [one.path for one in node.below if one.below or not line(one.words)]


def _instance(table: Table, found: EosReading, words: list[str], vrf: str) -> bool:
    match words:
        case ["router-id", address]:
            table.router_id = address
        case ["maximum-paths", paths, "ecmp", wide] if paths.isdecimal() and wide.isdecimal():
            table.paths = int(paths), int(wide)
        case ["maximum-paths", paths] if paths.isdecimal():
            table.paths = int(paths), int(paths)
        case ["no", "bgp", "default", "ipv4-unicast"] if not vrf:
            found.default_ipv4 = False
        case ["no", "bgp", "bestpath", "as-path", "multipath-relax"] if not vrf:
            found.relaxed = False
        case ["bgp", "missing-policy", "direction", "in" | "out" as way, "action", action]:
            found.missing[way] = action
            return not vrf and action in ("permit", "deny", "deny-in-out")
        case ["network", prefix]:
            table.networks.append(prefix)
        case _:
            return False
    return True


def _of(table: Table, found: EosReading, key: str) -> Neighbour:
    """A peer group is of all tables; a neighbour of one."""
    if key in found.groups:
        return found.groups[key]
    return table.neighbours.setdefault(key, Neighbour())


def _neighbour(table: Table, found: EosReading, words: list[str]) -> bool:
    match words:
        case ["neighbor", "interface", port, "peer-group", group, *asn]:
            if asn and (asn[0] != "remote-as" or as_number(asn[-1]) is None):
                return False
            own = as_number(asn[-1]) if asn else None
            table.neighbours[port] = Neighbour(group=group, is_port=True, asn=own)
        case ["neighbor", name, "peer", "group"]:
            found.groups.setdefault(name, Neighbour())
        case ["neighbor", key, "peer", "group", group]:
            _of(table, found, key).group = group
        case ["neighbor", key, *rest]:
            return _attribute(_of(table, found, key), rest)
        case _:
            return False
    return True


def _attribute(one: Neighbour, words: list[str]) -> bool:
    match words:
        case ["remote-as", asn] if as_number(asn) is not None:
            one.asn = as_number(asn)
        case ["description", *rest] if rest:
            pass
        case ["bfd"]:
            one.bfd = True
        case ["bfd", "interval", send, "min-rx", hear, "multiplier", times]:
            if not (send.isdecimal() and hear.isdecimal() and times.isdecimal()):
                return False
            one.bfd_times = int(send), int(hear), int(times)
        case ["timers", keepalive, hold] if keepalive.isdecimal() and hold.isdecimal():
            one.times = int(keepalive), int(hold)
        case ["send-community"] | ["send-community", "standard"]:
            one.communities = True
        case ["maximum-routes", most] if most.isdecimal():
            one.maximum = int(most), False
        case ["maximum-routes", most, "warning-only"] if most.isdecimal():
            one.maximum = int(most), True
        case _:
            return _policy(one, words)
    return True


def _policy(one: Neighbour, words: list[str]) -> bool:
    match words:
        case ["route-map", name, "in"]:
            one.policy_in = name
        case ["route-map", name, "out"]:
            one.policy_out = name
        case _:
            return False
    return True


def _family(table: Table, found: EosReading, words: list[str]) -> bool:
    match words:
        case ["neighbor", key, "activate"]:
            _of(table, found, key).active = True
        case ["no", "neighbor", key, "activate"]:
            _of(table, found, key).active = False
        case ["neighbor", key, "next-hop", "address-family", "ipv6", "originate"]:
            _of(table, found, key).ipv6_next_hop = True
        case ["neighbor", key, *rest]:
            return _policy(_of(table, found, key), rest)
        case ["network", prefix]:
            table.networks.append(prefix)
        case _:
            return False
    return True
