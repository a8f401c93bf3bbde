"""What must be true of cables, sessions and routes. Pure.

A link counts once both its ends are configured, a path once every switch on it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import ClassVar

from inventory.plan import BgpSession, Cable, Plan, PortRef
from validation.expectation import Expectation
from validation.routing.paths import Ports, ports_towards


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


def expectations(
    plan: Plan, configured: frozenset[str], of: frozenset[str] | None = None
) -> Iterator[Expectation]:
    """Of every cable, session and route between devices of `configured`."""
    yield from _links(plan, configured)
    yield from sessions(plan, configured)
    yield from _routes(plan, configured, of)


def _links(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    for cable in plan.cables:
        if cable.plane == "oob" or not {cable.a.device, cable.b.device} <= configured:
            continue
        for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
            yield LinkExpected(f"up:{here}", here.device, f"{here} is up", here.port, cable)
            says = f"{here} sees {there}"
            yield LldpExpected(f"lldp:{here}", here.device, says, here.port, there, cable)


def sessions(plan: Plan, configured: frozenset[str]) -> Iterator[BgpExpected]:
    """Each end of every session between devices of `configured`."""
    for switch in plan.switches:
        for session in switch.sessions:
            if {switch.name, session.peer.device} <= configured:
                yield BgpExpected(
                    f"bgp:{switch.name}:{session.port}{_table(session)}",
                    switch.name,
                    f"AS {switch.asn} has a session with {session.peer.device}, "
                    f"AS {session.peer_asn}",
                    session.port,
                    session.key,
                    switch.asn,
                    session.peer,
                    session.peer_asn,
                )


def _table(session: BgpSession) -> str:
    """Tells the sessions of one link apart: those of the default table have no word."""
    return f":{session.vrf}" if session.vrf else ""


def _routes(
    plan: Plan, configured: frozenset[str], of: frozenset[str] | None
) -> Iterator[Expectation]:
    every = frozenset(plan.switch)
    if every.isdisjoint(configured):
        return
    allowed: dict[str, set[IPv4Network]] = {switch.name: set() for switch in plan.switches}
    for origin in plan.switches:
        whole = ports_towards(plan, origin.name, every)
        now: Ports = ports_towards(plan, origin.name, configured)
        for name in whole:
            allowed[name].update(origin.originates)
        for name, ports in now.items():
            if of is not None and name not in of:
                continue
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
