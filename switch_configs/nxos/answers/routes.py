"""`show ip route | json` of Cisco NX-OS: the routes that routing selected in the default table.

Form: recorded in allenrobel/nxapi-netbox (lib/nxapi_netbox/nxapi) and CiscoTestAutomation/
genieparser (nxos ShowIpRoute, as text). `ubest` marks the paths in use, `ucast-nhops` counts them.
A path of a numbered BGP session has a next hop and no port: its port is that of the attached prefix
in the same table. Where there is none, it is told by its next hop, which is no planned port. NX-OS
also shows its own addresses and its neighbours' as routes; these are no
routes here.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network

from inventory.reading.fields import Unreadable, needed, text_of
from switch_configs.answers.forms import Rib, RibRoute
from switch_configs.answers.said import Said, count

from .cli import port_name, rows, shown

_OWN = {"am", "broadcast", "hmm", "hsrp", "local"}
_HERE = {"broadcast", "local"}
_DROPS = "Null0"
Row = tuple[IPv4Network, bool, list[dict[str, object]]]


def selected(said: Said) -> Rib:
    """The routes by prefix. Raises Unreadable."""
    table = list(_prefixes(said))
    attached = _attached(table)
    found: Rib = {}
    for prefix, _, paths in table:
        clients = {text_of(path, "clientname", str(prefix)) for path in paths}
        if prefix in found:
            raise Unreadable(f"NX-OS tells {prefix} twice")
        if not clients <= _OWN:
            ports = {_port(path, attached, str(prefix)) for path in paths}
            told = () if ports == {_DROPS} else tuple(sorted(ports))
            found[prefix] = RibRoute(_protocol(clients - _OWN), told)
    return dict(sorted(found.items()))


def _prefixes(said: Said) -> Iterator[Row]:
    for table in rows(shown(said), "vrf"):
        if text_of(table, "vrf-name-out", "vrf") != "default":
            raise Unreadable("NX-OS shows another table than the default one")
        for family in rows(table, "addrf"):
            for row in rows(family, "prefix"):
                what = text_of(row, "ipprefix", "prefix")
                yield network(what), _is_true(row, "attached", what), _best(row, what)


def _best(row: dict[str, object], what: str) -> list[dict[str, object]]:
    best = [path for path in rows(row, "path") if str(path.get("ubest")).lower() == "true"]
    told = count(row, "ucast-nhops", what)
    if len(best) != told:
        raise Unreadable(f"{what}: NX-OS counts {told} paths in use, and shows {len(best)}")
    return best


def _is_true(row: dict[str, object], key: str, what: str) -> bool:
    value = str(needed(row, key, what)).lower()
    if value not in {"true", "false"}:
        raise Unreadable(f"{what}: {key!r} is neither true nor false")
    return value == "true"


def network(text: str) -> IPv4Network:
    """An IPv4 prefix. Raises Unreadable."""
    try:
        return IPv4Network(text)
    except ValueError:
        raise Unreadable(f"{text!r} is not an IPv4 prefix") from None


def _protocol(clients: set[str]) -> str:
    names = {"bgp" if one.startswith("bgp-") else one for one in clients}
    return "+".join(sorted(names))


def _attached(table: list[Row]) -> list[tuple[IPv4Network, str]]:
    """The prefixes that ports have, longest first."""
    found = [
        (prefix, port_name(text_of(path, "ifname", str(prefix))))
        for prefix, is_attached, paths in table
        for path in paths
        if is_attached and text_of(path, "clientname", str(prefix)) not in _HERE
    ]
    return sorted(found, key=lambda one: -one[0].prefixlen)


def _port(path: dict[str, object], attached: list[tuple[IPv4Network, str]], what: str) -> str:
    """Where the path leaves: `Null0` where it drops, its next hop where that is on no port."""
    if "ifname" in path:
        return port_name(text_of(path, "ifname", what))
    try:
        hop = IPv4Address(text_of(path, "ipnexthop", what))
    except ValueError:
        raise Unreadable(f"{what}: a path has neither port nor IPv4 next hop") from None
    return next((port for prefix, port in attached if hop in prefix), str(hop))
