"""iproute2's `ip -j`: links, routes and next-hop objects as the kernel has them.

A route shows its next hops itself, or, with next-hop objects, names them by `nhid`
(ip-route(8), ip-nexthop(8)). A next hop that is `dead` or `linkdown` carries nothing.
"""

from __future__ import annotations

from ipaddress import IPv4Network

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from inventory.reading.numbers import Whole
from switch_configs.answers.forms import Fib, FibRoute, Link, Links

NextHops = dict[int, tuple[str, ...]]
MTU = Whole("MTU", "byte", 0, 1 << 31)  # `lo` has 65536, a device without a limit more
BITS = Whole("length of a prefix", "bit", 0, 32)
_METRIC = Whole("metric of a route", "1", 0, (1 << 32) - 1)
_NEXTHOP = Whole("next-hop object", "1", 1, (1 << 32) - 1)
_UNUSABLE = {"dead", "linkdown"}


def links(text: str) -> Links:
    """`ip -j link show`. Raises Unreadable."""
    found: Links = {}
    for entry in sequence(document(text, "ip"), "links"):
        one = mapping(entry, "link")
        name = text_of(one, "ifname", "link")
        flags = sequence(one.get("flags", []), f"{name}: flags")
        up = "UP" in flags and "LOWER_UP" in flags and "NO-CARRIER" not in flags
        found[name] = Link(name, MTU.of(one, "mtu", name), "UP" in flags, up)
    return found


def addresses(text: str) -> dict[str, tuple[str, ...]]:
    """`ip -j -4 address show`: the addresses of each port, sorted. Raises Unreadable."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in sequence(document(text, "ip"), "ports"):
        if not entry:  # iproute2 6.1 prints {} for a port without an IPv4 address
            continue
        one = mapping(entry, "port")
        name = text_of(one, "ifname", "port")
        held = [mapping(item, name) for item in sequence(one.get("addr_info", []), name)]
        found[name] = tuple(
            sorted(f"{text_of(a, 'local', name)}/{BITS.of(a, 'prefixlen', name)}" for a in held)
        )
    return found


def routes(text: str) -> Fib:
    """`ip -j -4 route show`: the main table; of equal prefixes the lowest metric wins."""
    best: dict[IPv4Network, tuple[int, FibRoute]] = {}
    for entry in sequence(document(text, "ip"), "routes"):
        one = mapping(entry, "route")
        prefix = _prefix(text_of(one, "dst", "route"))
        metric = _METRIC.of(one, "metric", str(prefix)) if "metric" in one else 0
        if prefix not in best or metric < best[prefix][0]:
            best[prefix] = (metric, _route(one, str(prefix)))
    return {prefix: route for prefix, (_, route) in sorted(best.items())}


def _prefix(text: str) -> IPv4Network:
    try:
        return IPv4Network("0.0.0.0/0" if text == "default" else text)
    except ValueError:
        raise Unreadable(f"{text!r} is not an IPv4 prefix") from None


def _route(one: dict[str, object], what: str) -> FibRoute:
    protocol = str(one.get("protocol", "boot"))
    hops = sequence(one["nexthops"], what) if "nexthops" in one else [one]
    ports = {_port(mapping(hop, what)) for hop in hops} - {""}
    if not ports and "nhid" in one:
        return FibRoute(protocol, (), _NEXTHOP.of(one, "nhid", what))
    return FibRoute(protocol, tuple(sorted(ports)))


def _port(hop: dict[str, object]) -> str:
    flags = sequence(hop.get("flags", []), "flags")
    usable = "dev" in hop and not _UNUSABLE & {str(flag) for flag in flags}
    return text_of(hop, "dev", "next hop") if usable else ""


def nexthops(text: str) -> NextHops:
    """`ip -j nexthop show`: id -> usable ports, groups resolved. Raises Unreadable."""
    entries = [mapping(one, "next hop") for one in sequence(document(text, "ip"), "next hops")]
    single = {
        _NEXTHOP.of(entry, "id", "next hop"): {_port(entry)} - {""}
        for entry in entries
        if "group" not in entry
    }
    found = {number: tuple(sorted(ports)) for number, ports in single.items()}
    for one in entries:
        if "group" in one:
            number = _NEXTHOP.of(one, "id", "next hop")
            members = sequence(one["group"], f"group {number}")
            ids = [_NEXTHOP.of(mapping(member, "member"), "id", "member") for member in members]
            found[number] = tuple(sorted({port for key in ids for port in single.get(key, ())}))
    return dict(sorted(found.items()))
