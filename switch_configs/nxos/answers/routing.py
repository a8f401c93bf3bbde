"""Cisco NX-OS, asked at its own command line."""

from __future__ import annotations

from switch_configs.answers.forms import Bgp, Fib, Links, Neighbours, Rib
from switch_configs.answers.routing import Addresses, Read, System, Words

from . import bgp as nxos_bgp
from . import forwarding as nxos_forwarding
from . import lldp as nxos_lldp
from . import ports as nxos_ports
from . import routes as nxos_routes
from .cli import is_refused, off

LLDP = "show lldp neighbors detail | json"
BGP = "show bgp sessions vrf all | json"
FEATURES = "show feature | json"
RIB = "show ip route | json"
FIB = "show forwarding ipv4 route | json"
PORTS = "show interface | json"


def _lldp(read: Read) -> Neighbours:
    said = read(LLDP)
    if is_refused(said):
        raise off(said, read(FEATURES), "lldp")
    return nxos_lldp.neighbours(said)


def _bgp(read: Read) -> Bgp:
    """Without the feature it runs no BGP."""
    said = read(BGP)
    if not is_refused(said):
        return nxos_bgp.sessions(said)
    off(said, read(FEATURES), "bgp")
    return Bgp(None, {})


def _rib(read: Read) -> Rib:
    return nxos_routes.selected(read(RIB))


def _fib(read: Read) -> Fib:
    return nxos_forwarding.forwarded(read(FIB))


def _ports(read: Read) -> Links:
    return nxos_ports.ports(read(PORTS))


def _addresses(read: Read) -> Addresses:
    return nxos_ports.addresses(read(PORTS))


NXOS = System(
    cables=(LLDP, PORTS),
    kernel_forwards=False,
    lldp=_lldp,
    bgp=_bgp,
    rib=_rib,
    fib=_fib,
    ports=_ports,
    addresses=_addresses,
    words=Words(
        routing="NX-OS",
        forwarding="its line cards",
        routes="forwarding routes",
        stale=(
            "NX-OS selected it and did not program it: `show consistency-checker forwarding ipv4"
            " unicast` tells what differs, `show logging` what failed"
        ),
        foreign="the line cards have what routing did not select: `show forwarding ipv4 route`",
        see_routes="`show ip route`",
        mtu="`interface {port}`, `mtu {bytes}`",
        enable="`interface {port}`, `no shutdown`",
        no_bgp="see `show feature` and `show running-config bgp`",
        other_asn="somebody changed its configuration",
        mute="`show bgp sessions vrf all` on {device}: BGP may hang",
        sessions="`show bgp sessions` and `show bgp ipv4 unicast neighbors`",
        received="`show bgp ipv4 unicast neighbors {peer} routes`",
        lldp="LLDP",
    ),
)
