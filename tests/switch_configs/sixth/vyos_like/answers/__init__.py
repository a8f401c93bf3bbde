"""What the example answers: plain tables, a line an entry, ended by a line of its own.

`vy show ports` prints `PORT MTU ADMIN SIGNAL`, `vy show addresses` `PORT ADDRESS/BITS`, `vy show
lldp` `PORT SYSTEM PORT`, `vy show bgp` `own ASN` and `NEIGHBOUR STATE ASN`, and `vy show routes`
(of routing) and `vy show hardware` (of forwarding) `PREFIX PROTOCOL PORT...`.
"""

from __future__ import annotations

from ipaddress import IPv4Network

from inventory.reading.fields import Unreadable
from switch_configs.answers.contract import Answers
from switch_configs.answers.forms import (
    Bgp,
    Fib,
    FibRoute,
    Link,
    Links,
    Neighbour,
    Neighbours,
    Peer,
    Rib,
    RibRoute,
)
from switch_configs.answers.routing import Addresses, Read, System, Words
from switch_configs.answers.said import asn, ended_well

__all__ = ["ANSWERS"]

_END = "end"
_WAYS = {"up": True, "down": False}
_ENTRY, _ROUTE = 3, 2


def _rows(read: Read, what: str, least: int) -> list[list[str]]:
    """The entries of a table. Raises Unreadable where it is cut, or an entry is."""
    lines = ended_well(read(f"vy show {what}")).splitlines()
    rows = [one.split(" ") for one in lines[:-1]]
    if lines[-1:] != [_END] or any(len(one) < least for one in rows):
        raise Unreadable(f"the answer to `vy show {what}` is cut")
    return rows


def _lldp(read: Read) -> Neighbours:
    found: dict[str, tuple[Neighbour, ...]] = {}
    for here, system, port in _rows(read, "lldp", _ENTRY):
        found[here] = tuple(sorted((*found.get(here, ()), Neighbour(system, port))))
    return found


def _bgp(read: Read) -> Bgp:
    rows = _rows(read, "bgp", _ROUTE)
    if not rows or rows[0][0] != "own":
        raise Unreadable("`vy show bgp` does not begin with its own ASN")
    own = asn(rows[0][1], "own")
    return Bgp(own, {key: Peer(key, state, asn(far, key), own) for key, state, far in rows[1:]})


def _rib(read: Read) -> Rib:
    rows = _rows(read, "routes", _ROUTE)
    return {_network(net): RibRoute(by, tuple(ports)) for net, by, *ports in rows}


def _fib(read: Read) -> Fib:
    rows = _rows(read, "hardware", _ROUTE)
    return {_network(net): FibRoute(by, tuple(ports)) for net, by, *ports in rows}


def _network(text: str) -> IPv4Network:
    try:
        return IPv4Network(text)
    except ValueError:
        raise Unreadable(f"{text!r} is not an IPv4 prefix") from None


def _ports(read: Read) -> Links:
    try:
        return {
            name: Link(name, int(mtu), _WAYS[admin], _WAYS[signal])
            for name, mtu, admin, signal in _rows(read, "ports", _ENTRY)
        }
    except (ValueError, KeyError) as error:
        raise Unreadable(f"`vy show ports` says {error}") from None


def _addresses(read: Read) -> Addresses:
    found: dict[str, tuple[str, ...]] = {}
    for port, address in _rows(read, "addresses", _ROUTE):
        found[port] = tuple(sorted((*found.get(port, ()), address)))
    return found


ANSWERS = Answers(
    system=System(
        cables=("vy show lldp", "vy show ports"),
        kernel_forwards=False,
        lldp=_lldp,
        bgp=_bgp,
        rib=_rib,
        fib=_fib,
        ports=_ports,
        addresses=_addresses,
        words=Words(
            routing="the example's routing",
            forwarding="its hardware",
            routes="hardware routes",
            stale="`vy show hardware` lacks what `vy show routes` has",
            foreign="`vy show hardware` has what `vy show routes` lacks",
            see_routes="`vy show routes`",
            mtu="`set interfaces ethernet {port} mtu {bytes}`",
            enable="`delete interfaces ethernet {port} disable`",
            no_bgp="see `vy show bgp`",
            other_asn="somebody changed its configuration",
            mute="`vy show bgp` on {device}",
            sessions="`vy show bgp`",
            received="`vy show bgp {peer}`",
            lldp="LLDP",
        ),
    ),
)
