"""What stages ask of a device: the command line, and the reader of its answer.

Lines are the same on every device of a kind, so that what one device was asked, all of
its kind can be asked in their first trip.
"""

from __future__ import annotations

from testinfra.host import Host

from .counters import read as switches
from .counters.carried import Carried
from .pairing.coverage import CoverageExpected, Lane, seen
from .pairing.latency import LatencyProbe
from .pairing.latency_result import Waited, waited
from .pairing.load_result import Measured, measured
from .pairing.loads import LoadProbe
from .parse.df_probe import ProbeResult, result
from .parse.fields import Unreadable, document, mapping, sequence, text_of
from .parse.frr import Bgp, Rib, bgp_summary, daemon_down, ip_route
from .parse.iproute import Fib, FibRoute, Links, addresses, links, nexthops, routes
from .parse.lldpcli import Neighbours, neighbours
from .probes import RESPONDER_PORT, Probe
from .trust import MissingEvidence

LLDP = "lldpcli -f json0 show neighbors"
BGP = "vtysh -c 'show bgp summary json'"
RIB = "vtysh -c 'show ip route json'"
FIB = "ip -j -4 route show"
NEXTHOPS = "ip -j nexthop show"
LINKS = "ip -j link show"
ADDRESSES = "ip -j -4 address show"


def _answer(host: Host, line: str) -> str:
    told = host.run(line)
    if told.rc != 0 and not daemon_down(told.stdout + told.stderr):
        said = " ".join((told.stderr or told.stdout).split())[:160] or "nothing"
        raise Unreadable(f"`{line}` ended with status {told.rc} and said: {said}")
    return str(told.stdout or told.stderr)


def lldp(host: Host) -> Neighbours:
    """What each port hears by LLDP."""
    return neighbours(_answer(host, LLDP))


def bgp(host: Host) -> Bgp:
    """The switch's BGP sessions."""
    return bgp_summary(_answer(host, BGP))


def rib(host: Host) -> Rib:
    """The routes that FRR selected."""
    return ip_route(_answer(host, RIB))


def fib(host: Host) -> Fib:
    """The kernel's own routes, next-hop objects resolved."""
    found = routes(_answer(host, FIB))
    if all(route.nexthop_id is None for route in found.values()):
        return found
    hops = nexthops(_answer(host, NEXTHOPS))
    return {
        prefix: route if route.nexthop_id is None else _resolved(route, hops)
        for prefix, route in found.items()
    }


def _resolved(route: FibRoute, hops: dict[int, tuple[str, ...]]) -> FibRoute:
    return FibRoute(route.protocol, hops.get(route.nexthop_id or 0, ()), route.nexthop_id)


def ports(host: Host) -> Links:
    """The device's ports as the kernel has them."""
    return links(_answer(host, LINKS))


def ipv4(host: Host) -> dict[str, tuple[str, ...]]:
    """The IPv4 addresses of each port, as `address/bits`."""
    return addresses(_answer(host, ADDRESSES))


def probe(host: Host, one: Probe) -> ProbeResult:
    """The result that a probe run left with the sender."""
    return result(_answer(host, one.command))


def load(host: Host, one: LoadProbe) -> Measured:
    """The rate that a load run left with the sender."""
    told = host.run(one.command)
    return measured(one, told.rc, str(told.stdout), str(told.stderr))


def latency(host: Host, one: LatencyProbe) -> Waited:
    """How long messages took in a probe that a run left with the sender."""
    told = host.run(one.command)
    return waited(one, told.rc, str(told.stdout), str(told.stderr))


def uplinks_loaded(host: Host, one: CoverageExpected, dialect: str) -> frozenset[Lane]:
    """What the counters of a switch say that the rounds loaded."""

    def read(command: str) -> Carried | None:
        try:
            return carried(host, command, dialect)
        except MissingEvidence:
            return None

    return seen(one, read)


def carried(host: Host, command: str, dialect: str) -> Carried:
    """The bytes of a switch's ports in one frame."""
    return switches.carried(dialect, _answer(host, command))


def port_taken(host: Host, one: Probe, arrives_at: str, source_port: int) -> str:
    """The port by which a switch's kernel forwards one flow of a probe.

    `ip route get` with `iif` and ports hashes as forwarding does (ip-route(8)); 17 is UDP,
    by number because a minimal system has no /etc/protocols.
    """
    line = (
        f"ip -j route get {one.target} from {one.source} iif {arrives_at} "
        f"ipproto 17 sport {source_port} dport {RESPONDER_PORT}"
    )
    found = sequence(document(_answer(host, line), "ip"), "route get")
    return text_of(mapping(found[0] if found else None, "route get"), "dev", "route get")
