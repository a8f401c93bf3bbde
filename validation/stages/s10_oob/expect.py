"""What must be true of the OOB plane: who answers there, as whom, and whose time it has. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import ClassVar

from inventory.plan import OobServer, Plan
from switch_configs.answers import answers
from validation.evidence.trust import CLOCK_SLACK_S
from validation.expectation import Expectation
from validation.manifest.ask_node import CLOCK_S


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
class TimeServedExpected(Expectation):
    """The OOB server tells the time in a zone, where devices ask for it."""

    stage: ClassVar[int] = 10
    check: ClassVar[str] = "time"
    server: IPv4Address


@dataclass(frozen=True, slots=True)
class TimeTakenExpected(Expectation):
    """The OOB server's clock follows one of the site's sources, at most `most_s` seconds off."""

    stage: ClassVar[int] = 10
    check: ClassVar[str] = "time_source"
    most_s: float


@dataclass(frozen=True, slots=True)
class ClockFollowsExpected(Expectation):
    """A switch's clock follows one of these servers, at most `most_s` seconds off."""

    stage: ClassVar[int] = 10
    check: ClassVar[str] = "switch_clock"
    servers: tuple[str, ...]
    most_s: float


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of every device, once the OOB server is in place."""
    if plan.oob.name not in configured:
        return
    yield from _time(plan.oob)
    yield from _clocks(plan, configured)
    owners = [(switch.name, switch.management) for switch in plan.any_switch.values()]
    owners += [(node.name, node.management) for node in plan.nodes]
    held: dict[str, tuple[tuple[str, str], ...]] = {
        name: ((port.port, str(port.address)),) for name, port in owners if port.mac
    }
    zones = plan.oob.zones
    held[plan.oob.name] = tuple((f"br-{zone.name}", str(zone.server_address)) for zone in zones)
    for name, addresses in sorted(held.items()):
        said = " and ".join(f"{address} on {port}" for port, address in addresses)
        yield AnswersExpected(f"answers:{name}", name, f"{name} answers, with {said}", addresses)


def _time(oob: OobServer) -> Iterator[Expectation]:
    """What all clocks of the site hang on."""
    for zone in oob.zones:
        server = zone.server_address.ip
        says = f"{oob.name} tells the time in zone {zone.name}, at {server}"
        yield TimeServedExpected(f"time:{oob.name}:{zone.name}", oob.name, says, server)
    if oob.time.sources:
        says = f"its clock follows {' or '.join(oob.time.sources)}, less than {CLOCK_S:g} s off"
        yield TimeTakenExpected(f"time_source:{oob.name}", oob.name, says, CLOCK_S)


def _clocks(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of switches that have their configuration, which names the servers."""
    servers = plan.switch_services.ntp
    for switch in plan.any_switch.values() if servers else ():
        known = answers(switch.dialect).clocks
        if known and switch.name in configured and switch.management.mac:
            most_s = CLOCK_S if known.tells_offset else CLOCK_SLACK_S
            says = f"its clock follows {' or '.join(servers)}, less than {most_s:g} s off"
            name = f"switch_clock:{switch.name}"
            yield ClockFollowsExpected(name, switch.name, says, servers, most_s)


def unasked(plan: Plan) -> Iterator[str]:
    """The systems whose clocks nobody reads, and those that are known to seconds alone."""
    systems = {one.dialect for one in plan.any_switch.values()} if plan.switch_services.ntp else ()
    for system in sorted(systems):
        known = answers(system).clocks
        if known is None:
            yield f"judges no clock of {system}: which server its switches follow is not read"
        elif not known.tells_offset:
            yield (
                f"judges clocks of {system} to {CLOCK_SLACK_S:g} s instead of {CLOCK_S:g} s: no "
                "show command there tells the offset"
            )
