"""Servers, and switches whose shell is Linux with FRR and lldpd."""

from __future__ import annotations

from switch_configs.answers.forms import Bgp, Fib, FibRoute, Links, Neighbours, Rib
from switch_configs.answers.routing import Addresses, Read, System, Words
from switch_configs.answers.said import Said, ended_well
from switch_configs.frr.answers import bgp_summary, daemon_down, ip_route

from .iproute import addresses, links, nexthops, routes
from .lldpcli import neighbours

LLDP = "lldpcli -f json0 show neighbors"
BGP = "vtysh -c 'show bgp summary json'"
RIB = "vtysh -c 'show ip route json'"
FIB = "ip -j -4 route show"
NEXTHOPS = "ip -j nexthop show"
LINKS = "ip -j link show"
ADDRESSES = "ip -j -4 address show"


def answer(said: Said) -> str:
    """What it printed; that a daemon does not run is an answer, whatever the status."""
    if not daemon_down(said.out + said.errors):
        ended_well(said)
    return said.out or said.errors


def _lldp(read: Read) -> Neighbours:
    return neighbours(answer(read(LLDP)))


def _bgp(read: Read) -> Bgp:
    return bgp_summary(answer(read(BGP)))


def _vrf_bgp(read: Read, vrf: str) -> Bgp:
    return bgp_summary(answer(read(f"vtysh -c 'show bgp vrf {vrf} summary json'")))


def _rib(read: Read) -> Rib:
    return ip_route(answer(read(RIB)))


def _fib(read: Read) -> Fib:
    """The kernel's own routes, next-hop objects resolved."""
    found = routes(answer(read(FIB)))
    if all(route.nexthop_id is None for route in found.values()):
        return found
    hops = nexthops(answer(read(NEXTHOPS)))
    return {
        prefix: route if route.nexthop_id is None else _resolved(route, hops)
        for prefix, route in found.items()
    }


def _resolved(route: FibRoute, hops: dict[int, tuple[str, ...]]) -> FibRoute:
    return FibRoute(route.protocol, hops.get(route.nexthop_id or 0, ()), route.nexthop_id)


def _ports(read: Read) -> Links:
    return links(answer(read(LINKS)))


def _addresses(read: Read) -> Addresses:
    return addresses(answer(read(ADDRESSES)))


WORDS = Words(
    routing="FRR",
    forwarding="the kernel",
    routes="kernel routes",
    stale=(
        "the kernel lost a path that FRR believes in: begin frr.conf with"
        " `no zebra nexthop kernel enable` and restart frr"
    ),
    foreign="something else than FRR writes routes here: `ip route` shows which protocol",
    see_routes="`ip route`",
    mtu="`ip link set {port} mtu {bytes}`",
    enable="`ip link set {port} up`",
    no_bgp="see `systemctl status frr`",
    other_asn="somebody changed its frr.conf",
    mute="`systemctl status frr` on {device}: bgpd may hang",
    sessions="`vtysh -c 'show bgp neighbors'`",
    received="`vtysh -c 'show bgp neighbors {peer} received-routes'`",
    lldp="lldpd",
)
LINUX = System(
    cables=(LLDP, LINKS),
    kernel_forwards=True,
    lldp=_lldp,
    bgp=_bgp,
    rib=_rib,
    fib=_fib,
    ports=_ports,
    addresses=_addresses,
    words=WORDS,
    vrf_bgp=_vrf_bgp,
)
