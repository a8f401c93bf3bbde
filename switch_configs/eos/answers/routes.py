"""`show ip route | json` of Arista EOS: what routing selected, and what forwarding took over.

Form: ANTA's recorded data (aristanetworks/anta, tests/units/anta_tests/routing/test_generic.py).
Each route says whether it is programmed into the hardware and into the kernel, which forwards what
the switch sends itself; the table says so of all its routes. A path may name no port but
the far end of a tunnel (the same data): it is told by that address, which is no planned port.
"""

from __future__ import annotations

from ipaddress import IPv4Network

from inventory.reading.fields import Unreadable, mapping, needed, sequence, text_of
from switch_configs.answers.forms import Fib, FibRoute, Rib, RibRoute
from switch_configs.answers.said import Said

from .cli import port_name, shown

_BGP = {"eBGP", "iBGP"}
_PROGRAMMED = ("hardwareProgrammed", "kernelProgrammed")
_WHOLE = ("allRoutesProgrammedHardware", "allRoutesProgrammedKernel")


def selected(said: Said) -> Rib:
    """The routes of the default table. Raises Unreadable."""
    return {
        prefix: RibRoute(_protocol(row, str(prefix)), _ports(row, str(prefix)))
        for prefix, row in _routes(said).items()
    }


def programmed(said: Said) -> Fib:
    """The same routes; one that hardware or kernel lacks has no port. Raises Unreadable."""
    found: Fib = {}
    for prefix, row in _routes(said).items():
        what = str(prefix)
        flags = [_flag(row, name, what) for name in _PROGRAMMED]
        ports = _ports(row, what) if all(flags) else ()
        found[prefix] = FibRoute(_protocol(row, what), ports)
    return found


def _routes(said: Said) -> dict[IPv4Network, dict[str, object]]:
    tables = mapping(needed(shown(said), "vrfs", "routes"), "vrfs")
    table = mapping(needed(tables, "default", "vrfs"), "default table")
    rows = mapping(needed(table, "routes", "default table"), "routes")
    found = {_network(prefix): mapping(row, prefix) for prefix, row in sorted(rows.items())}
    for whole, each in zip(_WHOLE, _PROGRAMMED, strict=True):
        if table.get(whole) is False and all(row.get(each) is True for row in found.values()):
            raise Unreadable(f"EOS says that {whole} is false, and of each route the contrary")
    return found


def _network(text: str) -> IPv4Network:
    try:
        return IPv4Network(text)
    except ValueError:
        raise Unreadable(f"{text!r} is not an IPv4 prefix") from None


def _flag(row: dict[str, object], name: str, what: str) -> bool:
    value = needed(row, name, what)
    if not isinstance(value, bool):
        raise Unreadable(f"{what}: {name!r} is neither true nor false")
    return value


def _protocol(row: dict[str, object], what: str) -> str:
    kind = text_of(row, "routeType", what)
    return "bgp" if kind in _BGP else kind


def _ports(row: dict[str, object], what: str) -> tuple[str, ...]:
    """The ports it leaves by; none where it drops packets."""
    hops = [mapping(one, what) for one in sequence(needed(row, "vias", what), what)]
    if text_of(row, "routeAction", what) != "forward":
        return ()
    return tuple(sorted({_leaves_by(hop, what) for hop in hops}))


def _leaves_by(via: dict[str, object], what: str) -> str:
    """The port, or else the address that the path leads to. Raises Unreadable."""
    to = via.get("interface") or via.get("nexthopAddr") or via.get("vtepAddr")
    if not to or not isinstance(to, str):
        raise Unreadable(f"{what}: a path of EOS names neither port nor address")
    return port_name(to)
