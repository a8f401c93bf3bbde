"""`show forwarding ipv4 route | json` of Cisco NX-OS: what its line cards hold.

Form: recorded in allenrobel/nxapi-netbox (lib/nxapi_netbox/nxapi/nxapi_forwarding_route.py and
_route_unicast.py): by module, each path with `ip_nexthop` or `special` (Attached, Receive, Drop),
and a port. Line cards have numbers up to 16, supervisors and fabric modules from 21 on (Nexus 9500
hardware guide); a switch of fixed ports is module 1. A route counts with the ports that all line
cards have. Entries of the switch's own and its neighbours' addresses are no routes here.

Text has a column `Partial Install` (CiscoTestAutomation/genieparser, nxos ShowForwardingIpv4); how
the JSON says so was not found, so anything of that name makes it unreadable.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from inventory.reading.fields import Unreadable, text_of
from switch_configs.answers.forms import Fib, FibRoute
from switch_configs.answers.said import Said, count

from .cli import port_name, rows, shown
from .routes import network

_LAST_LINE_CARD = 16
_DROPS = "Null0"
_NOT_PARTIAL = {"", "0", "no", "false"}
Ports = dict[IPv4Network, frozenset[str]]


def forwarded(said: Said) -> Fib:
    """The routes of the default table by prefix. Raises Unreadable."""
    cards = {count(row, "module_number", "module"): row for row in rows(shown(said), "module")}
    held = [_ports(one) for number, one in sorted(cards.items()) if number <= _LAST_LINE_CARD]
    if not held:
        raise Unreadable("NX-OS shows no line card's routes")
    everything = sorted({prefix for one in held for prefix in one})
    nothing = frozenset[str]()
    return {
        prefix: FibRoute("forwarding", tuple(sorted(_of_all(prefix, held, nothing))))
        for prefix in everything
    }


def _of_all(prefix: IPv4Network, held: list[Ports], nothing: frozenset[str]) -> frozenset[str]:
    return frozenset.intersection(*(one.get(prefix, nothing) for one in held))


def _ports(card: dict[str, object]) -> Ports:
    found: Ports = {}
    for table in rows(card, "vrf"):
        if text_of(table, "vrf_name_out", "vrf") != "default":
            raise Unreadable("NX-OS shows another table than the default one")
        for row in rows(table, "prefix"):
            _whole(row)
            prefix = network(text_of(row, "ip_prefix", "prefix").strip().removeprefix("*"))
            paths = rows(row, "path")
            if prefix in found:
                raise Unreadable(f"NX-OS tells {prefix} twice")
            if not all(_is_own(path, prefix) for path in paths):
                found[prefix] = frozenset(_left_by(paths, str(prefix)))
    return found


def _whole(row: dict[str, object]) -> None:
    for key, value in row.items():
        if "partial" in key.lower() and str(value).strip().lower() not in _NOT_PARTIAL:
            raise Unreadable(f"{row.get('ip_prefix')}: NX-OS says {key} {value}")


def _is_own(path: dict[str, object], prefix: IPv4Network) -> bool:
    """An entry of one address: the switch's own, a neighbour's, or a broadcast address."""
    hop = str(path.get("ip_nexthop", ""))
    return prefix.prefixlen == 32 and ("special" in path or hop == str(prefix.network_address))


def _left_by(paths: list[dict[str, object]], what: str) -> Iterator[str]:
    for path in paths:
        if "special" not in path and "ip_nexthop" not in path:
            raise Unreadable(f"{what}: a path of NX-OS leads nowhere")
        name = port_name(text_of(path, "ifname", what))
        if name != _DROPS and path.get("special") in (None, "Attached"):
            yield name
