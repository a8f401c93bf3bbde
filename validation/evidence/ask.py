"""What stages ask of a device: the command line, and the reader of its answer.

Lines are the same on every device of a kind, so that what one device was asked, all of
its kind can be asked in their first trip.
"""

from __future__ import annotations

from collections.abc import Iterable

from testinfra.host import Host

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from switch_configs.answers.carried import Carried
from switch_configs.answers.forms import Bgp, Fib, Links, Neighbours, Rib
from switch_configs.answers.linux.routing import (
    ADDRESSES,
    BGP,
    FIB,
    LINKS,
    LLDP,
    NEXTHOPS,
    RIB,
    answer,
)
from switch_configs.answers.routing import Addresses, Read
from switch_configs.answers.said import Said
from validation.counters import read as switches
from validation.pairing.coverage import CoverageExpected, Lane, seen
from validation.pairing.latency import LatencyProbe
from validation.pairing.latency_result import Waited, waited
from validation.pairing.load_result import Measured, measured
from validation.pairing.loads import LoadProbe
from validation.parse.loads.df_probe import ProbeResult, result
from validation.probes.planned import RESPONDER_PORT, Probe
from validation.routing.systems import system

from .trust import MissingEvidence

__all__ = ["ADDRESSES", "BGP", "FIB", "LINKS", "LLDP", "NEXTHOPS", "RIB"]


def _read(host: Host) -> Read:
    def said(line: str) -> Said:
        told = host.run(line)
        return Said(line, told.rc, str(told.stdout), str(told.stderr))

    return said


def _answer(host: Host, line: str) -> str:
    return answer(_read(host)(line))


def lldp(host: Host, dialect: str = "") -> Neighbours:
    """What each port hears by LLDP. Raises FeatureOff where the switch says that it is off."""
    return system(dialect).lldp(_read(host))


def bgp(host: Host, dialect: str, vrfs: Iterable[str] = ()) -> Bgp:
    """The switch's BGP sessions: those of the default routing table, and at least of `vrfs`."""
    known = system(dialect)
    found = known.bgp(_read(host))
    peers = dict(found.peers)
    if known.vrf_bgp is not None:
        for vrf in sorted(set(vrfs)):
            peers |= known.vrf_bgp(_read(host), vrf).peers
    return Bgp(found.asn, peers)


def rib(host: Host, dialect: str) -> Rib:
    """The routes that routing selected."""
    return system(dialect).rib(_read(host))


def fib(host: Host, dialect: str) -> Fib:
    """The routes that forwarding has: the kernel's own, or the hardware's."""
    return system(dialect).fib(_read(host))


def ports(host: Host, dialect: str = "") -> Links:
    """The device's ports as its system has them."""
    return system(dialect).ports(_read(host))


def ipv4(host: Host, dialect: str = "") -> Addresses:
    """The IPv4 addresses of each port, as `address/bits`."""
    return system(dialect).addresses(_read(host))


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


def port_taken(host: Host, one: Probe, arrives_at: str, source_port: int, dialect: str = "") -> str:
    """The port by which a switch's kernel forwards one flow of a probe.

    Raises Unreadable where its kernel forwards nothing, and so tells nothing.

    `ip route get` with `iif` and ports hashes as forwarding does (ip-route(8)); 17 is UDP,
    by number because a minimal system has no /etc/protocols.
    """
    if not system(dialect).kernel_forwards:
        raise Unreadable("nobody tells which port the hardware takes for one flow")
    line = (
        f"ip -j route get {one.target} from {one.source} iif {arrives_at} "
        f"ipproto 17 sport {source_port} dport {RESPONDER_PORT}"
    )
    found = sequence(document(_answer(host, line), "ip"), "route get")
    return text_of(mapping(found[0] if found else None, "route get"), "dev", "route get")
