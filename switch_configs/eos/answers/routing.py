"""Arista EOS, asked at its own command line."""

from __future__ import annotations

from inventory.reading.fields import Unreadable
from switch_configs.answers.forms import Bgp, Fib, Links, Neighbours, Rib
from switch_configs.answers.routing import Addresses, Read, System, Words
from switch_configs.answers.said import FeatureOff, ended_well

from ..state import SANITIZED
from . import bgp as eos_bgp
from . import lldp as eos_lldp
from . import ports as eos_ports
from . import routes as eos_routes

LLDP = "show lldp neighbors detail | json"
# The list of neighbours of a switch that does not run LLDP has no public record; its configuration
# says so in one line.
LLDP_RUNS = SANITIZED
BGP = "show bgp summary vrf all | json"
ROUTES = "show ip route | json"
PORTS = "show interfaces | json"


def _lldp(read: Read) -> Neighbours:
    said = read(LLDP)
    try:
        found, why = eos_lldp.neighbours(said), None
    except Unreadable as error:
        found, why = {}, error
    if not found and eos_lldp.is_off(ended_well(read(LLDP_RUNS))):
        raise FeatureOff("LLDP", "`no lldp run` is in its configuration")
    if why is not None:
        raise why
    return found


def _bgp(read: Read) -> Bgp:
    return eos_bgp.sessions(read(BGP))


def _rib(read: Read) -> Rib:
    return eos_routes.selected(read(ROUTES))


def _fib(read: Read) -> Fib:
    return eos_routes.programmed(read(ROUTES))


def _ports(read: Read) -> Links:
    return eos_ports.ports(read(PORTS))


def _addresses(read: Read) -> Addresses:
    return eos_ports.addresses(read(PORTS))


EOS = System(
    cables=(LLDP, PORTS),
    kernel_forwards=False,
    lldp=_lldp,
    bgp=_bgp,
    rib=_rib,
    fib=_fib,
    ports=_ports,
    addresses=_addresses,
    words=Words(
        routing="EOS",
        forwarding="its hardware",
        routes="hardware routes",
        stale=(
            "EOS selected it and did not program it into hardware and kernel: `show hardware"
            " capacity` tells whether a table is full, `show logging` what failed"
        ),
        foreign="something else than routing programs the hardware: `show logging`",
        see_routes="`show ip route`",
        mtu="`interface {port}`, `mtu {bytes}`",
        enable="`interface {port}`, `no shutdown`",
        no_bgp="see `show running-config section bgp`",
        other_asn="somebody changed its configuration",
        mute="`show bgp summary vrf all` on {device}: BGP's agent may hang",
        sessions="`show bgp neighbors`",
        received="`show bgp neighbors {peer} received-routes`",
        lldp="LLDP",
    ),
)
