"""Expectations: what a plan says must be found, each with a stable id. Pure.

A link counts once both its ends are configured, a path once every switch on it is, and a
probe once its nodes and the switches between them are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import ClassVar

from inventory.plan import BgpSession, Cable, Node, Plan, PortRef

from .expectation import Expectation
from .host_state.expect import host_expectations
from .manifest.device import manifests
from .pairing.matchings import Matchings
from .parse.host.node_tools import limit_bytes
from .probes.planned import Probe, probes
from .routing.paths import Ports, ports_towards
from .topics import topics

# Logs of two nodes fit together to a tenth of a second: below any timeout that they are read
# for.
CLOCK_S = 0.1
_BASE = "os_base"


@dataclass(frozen=True, slots=True)
class AnswersExpected(Expectation):
    """A device answers over the OOB plane as itself, and has its planned addresses there.

    `addresses` are (port, address/bits); the leases of a zone are the OOB server's work,
    so they count once that is configured.
    """

    stage: ClassVar[int] = 10
    check: ClassVar[str] = "answers"
    addresses: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LinkExpected(Expectation):
    """A cabled data port is up."""

    stage: ClassVar[int] = 20
    check: ClassVar[str] = "up"
    port: str
    cable: Cable


@dataclass(frozen=True, slots=True)
class LldpExpected(Expectation):
    """A cabled data port sees the port at the other end of its cable, and no other."""

    stage: ClassVar[int] = 20
    check: ClassVar[str] = "lldp"
    port: str
    peer: PortRef
    cable: Cable


@dataclass(frozen=True, slots=True)
class BgpExpected(Expectation):
    """A session is established between the planned ASNs. `key` is the switch's name of it."""

    stage: ClassVar[int] = 20
    check: ClassVar[str] = "bgp"
    port: str
    key: str
    asn: int
    peer: PortRef
    peer_asn: int


@dataclass(frozen=True, slots=True)
class RouteExpected(Expectation):
    """A prefix is reached over all of `ports`, in routing and in forwarding alike.

    `may` are the ports it has once every device is configured; no other is right.
    """

    stage: ClassVar[int] = 20
    check: ClassVar[str] = "route"
    prefix: IPv4Network
    origin: str
    ports: tuple[str, ...]
    may: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoMoreRoutesExpected(Expectation):
    """Inside the pools, a switch knows the planned prefixes and no more."""

    stage: ClassVar[int] = 20
    check: ClassVar[str] = "routes"
    pools: tuple[IPv4Network, ...]
    allowed: frozenset[IPv4Network]


@dataclass(frozen=True, slots=True)
class StateExpected(Expectation):
    """All that a role owns on a device is as its manifest says."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "state"
    role: str


@dataclass(frozen=True, slots=True)
class RebootExpected(Expectation):
    """The kernel runs with the arguments that are planned; a gate lets go without it."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "reboot"


@dataclass(frozen=True, slots=True)
class UnitsExpected(Expectation):
    """No unit of a server has failed."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "units"


@dataclass(frozen=True, slots=True)
class WayOut:
    """How what `address` sends leaves by `port` alone: a rule, and a route to `far` in its table.

    The main table has `near`, what is reached by this port whoever sends it.
    """

    port: str
    address: IPv4Address
    gateway: IPv4Address
    table: int
    rule_priority: int
    near: IPv4Network
    far: IPv4Network


@dataclass(frozen=True, slots=True)
class RailExpected(Expectation):
    """The kernel sends a NIC's traffic by that NIC: one rule, and a route in each table.

    Rails, and storage NICs that have an address of their own.
    """

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "rail"
    way: WayOut


@dataclass(frozen=True, slots=True)
class ClockExpected(Expectation):
    """A server's clock is synchronised, and at most `most_s` seconds off."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "clock"
    most_s: float


@dataclass(frozen=True, slots=True)
class MemlockExpected(Expectation):
    """Logins and services may lock this much memory; -1: any."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "memlock"
    limit_bytes: int


@dataclass(frozen=True, slots=True)
class MtuExpected(Expectation):
    """A data port carries the planned IP MTU, and so at least the hosts'."""

    stage: ClassVar[int] = 40
    check: ClassVar[str] = "mtu"
    port: str
    ip_mtu_bytes: int
    host_ip_mtu_bytes: int


@dataclass(frozen=True, slots=True)
class DfExpected(Expectation):
    """Packets of the hosts' whole MTU arrive unfragmented, from every source port."""

    stage: ClassVar[int] = 40
    check: ClassVar[str] = "df"
    probe: Probe


@dataclass(frozen=True, slots=True)
class TosExpected(Expectation):
    """The TOS byte of RoCE data arrives as it was sent."""

    stage: ClassVar[int] = 40
    check: ClassVar[str] = "tos"
    probe: Probe


@dataclass(frozen=True, slots=True)
class LosslessExpected(Expectation):
    """The lossless class as the switch runs it; asked only where the plan requires it."""

    stage: ClassVar[int] = 40
    check: ClassVar[str] = "lossless"


def expectations(
    plan: Plan,
    configured: frozenset[str],
    through: int = 99,
    leave_out: frozenset[int] = frozenset(),
    matchings: Iterable[Matchings] = (),
) -> tuple[Expectation, ...]:
    """Everything that must be true once `configured` is in place, sorted by stage and id.

    Stages beyond `through`, and those of `leave_out`, are left out. `matchings` were asked beyond
    the plan.
    """
    made: list[Expectation] = [
        *_answers(plan, configured),
        *_links(plan, configured),
        *_sessions(plan, configured),
        *_routes(plan, configured),
        *_states(plan, configured),
        *host_expectations(plan, configured),
        *_mtus(plan, configured),
        *_lossless(plan, configured),
        *_probes(plan, configured),
    ]
    for stage, topic in topics(matchings):
        made += topic(plan, configured) if stage <= through and stage not in leave_out else ()
    kept = (one for one in made if one.stage <= through and one.stage not in leave_out)
    return tuple(sorted(kept, key=lambda one: (one.stage, one.id)))


def _answers(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    if plan.oob.name not in configured:
        return
    owners = [(one.name, one.management) for one in plan.switches]
    owners += [(one.name, one.management) for one in plan.nodes]
    held: dict[str, tuple[tuple[str, str], ...]] = {
        name: ((port.port, str(port.address)),) for name, port in owners if port.mac
    }
    zones = plan.oob.zones
    held[plan.oob.name] = tuple((f"br-{one.name}", str(one.server_address)) for one in zones)
    for name, addresses in sorted(held.items()):
        said = " and ".join(f"{address} on {port}" for port, address in addresses)
        yield AnswersExpected(f"answers:{name}", name, f"{name} answers, with {said}", addresses)


def _links(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    for cable in plan.cables:
        if cable.plane == "oob" or not {cable.a.device, cable.b.device} <= configured:
            continue
        for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
            yield LinkExpected(f"up:{here}", here.device, f"{here} is up", here.port, cable)
            says = f"{here} sees {there}"
            yield LldpExpected(f"lldp:{here}", here.device, says, here.port, there, cable)


def _sessions(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    for switch in plan.switches:
        for one in switch.sessions:
            if {switch.name, one.peer.device} <= configured:
                yield BgpExpected(
                    f"bgp:{switch.name}:{one.port}{_table(one)}",
                    switch.name,
                    f"AS {switch.asn} has a session with {one.peer.device}, AS {one.peer_asn}",
                    one.port,
                    one.key,
                    switch.asn,
                    one.peer,
                    one.peer_asn,
                )


def _table(session: BgpSession) -> str:
    """Tells the sessions of one link apart: those of the default table have no word."""
    return f":{session.vrf}" if session.vrf else ""


def _routes(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    every = frozenset(plan.switch)
    if every.isdisjoint(configured):
        return
    allowed: dict[str, set[IPv4Network]] = {one.name: set() for one in plan.switches}
    for origin in plan.switches:
        whole = ports_towards(plan, origin.name, every)
        now: Ports = ports_towards(plan, origin.name, configured)
        for name in whole:
            allowed[name].update(origin.originates)
        for name, ports in now.items():
            for prefix in origin.originates:
                yield RouteExpected(
                    f"route:{name}:{prefix}",
                    name,
                    f"reaches {prefix} over {', '.join(ports)}",
                    prefix,
                    origin.name,
                    ports,
                    whole[name],
                )
    for name in sorted(every & configured):
        yield _no_more(plan, name, frozenset(allowed[name]))


def _no_more(plan: Plan, name: str, learnt: frozenset[IPv4Network]) -> NoMoreRoutesExpected:
    switch = plan.switch[name]
    own = {port.address.network for port in switch.ports if port.address}
    pools = tuple(pool for pool, _ in switch.tables[0].learns)
    says = "has no route into the pools that the plan lacks"
    allowed = learnt | own | frozenset(switch.originates)
    return NoMoreRoutesExpected(f"routes:{name}", name, says, pools, allowed)


def _states(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    for device, roles in manifests(plan).roles.items():
        if device not in configured:
            continue
        for role in roles:
            says = f"all that role {role} owns is as planned"
            yield StateExpected(f"state:{device}:{role}", device, says, role)
        if any(manifests(plan).has_arguments(role) for role in roles):
            says = "the kernel runs with the planned arguments"
            yield RebootExpected(f"reboot:{device}", device, says)
        yield UnitsExpected(f"units:{device}", device, "no unit has failed")
        if _BASE in roles:
            yield from _base(device, manifests(plan).values(device, _BASE))
    for node in plan.nodes:
        for way in ways_out(node) if node.name in configured else ():
            name = f"rail:{node.name}:{way.port}"
            says = f"what {way.address} sends leaves by {way.port}, through {way.gateway}"
            yield RailExpected(name, node.name, says, way)


def ways_out(node: Node) -> Iterator[WayOut]:
    """How each NIC of a node with a table of its own sends."""
    for one in node.rails:
        near, far = one.rail_prefix, one.fabric_prefix
        rule = one.rule_priority
        yield WayOut(one.port, one.address.ip, one.gateway, one.table, rule, near, far)
    for nic in node.nics:
        if nic.address and nic.gateway and nic.table and nic.rule_priority:
            assert nic.nic_prefix and nic.prefix  # noqa: S101, PT018 # they come with a table
            near, far = nic.nic_prefix, nic.prefix
            rule = nic.rule_priority
            yield WayOut(nic.port, nic.address.ip, nic.gateway, nic.table, rule, near, far)


def _base(device: str, values: Mapping[str, object]) -> Iterator[Expectation]:
    """What the role for the operating system sets, and only a running process shows."""
    # Where chrony only measures, the clock is another machine's to keep.
    if values["os_base_time_servers"] and values["os_base_clock"] == "set":
        says = f"its clock is synchronised, and less than {CLOCK_S:g} s off"
        yield ClockExpected(f"clock:{device}", device, says, CLOCK_S)
    wanted = str(values["os_base_memlock"])
    says = f"logins and services may lock memory: {wanted}"
    limit = limit_bytes(wanted, unit_bytes=1024)
    yield MemlockExpected(f"memlock:{device}", device, says, limit)


def _mtus(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    hosts = plan.lossless.host_ip_mtu_bytes
    ports = [
        (one.name, port.name, port.ip_mtu_bytes) for one in plan.switches for port in one.ports
    ]
    nics = [(one.name, nic.port, nic.ip_mtu_bytes) for one in plan.nodes for nic in one.rails]
    for device, port, size in (*ports, *nics):
        if device in configured:
            name, says = f"mtu:{device}:{port}", f"{device}:{port} has IP MTU {size}"
            yield MtuExpected(name, device, says, port, size, hosts)


def _lossless(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    for switch in plan.switches if plan.lossless.mode == "full" else ():
        if switch.name in configured:
            says = "runs PFC, ECN and buffers of the lossless class as planned"
            yield LosslessExpected(f"lossless:{switch.name}", switch.name, says)


def _probes(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    for one in probes(plan, configured):
        way = f"from {one.sender} at {one.receiver}"
        says = f"{one.ip_bytes} bytes with DF arrive {way}"
        yield DfExpected(f"df:{one.id}", one.sender, says, one)
        says = f"TOS {one.tos} arrives unchanged {way}"
        yield TosExpected(f"tos:{one.id}", one.sender, says, one)
