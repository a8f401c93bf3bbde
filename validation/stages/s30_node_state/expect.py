"""What must be true of nodes and of the OOB server: what roles own, and what runs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import ClassVar

from inventory.plan import Node, Plan
from validation.expectation import Expectation
from validation.host_state.expect import host_expectations
from validation.manifest.ask_node import CLOCK_S
from validation.manifest.device import manifests
from validation.parse.host.node_tools import limit_bytes

_BASE = "os_base"


@dataclass(frozen=True, slots=True)
class StateExpected(Expectation):
    """All that a role owns on a device is as its manifest says."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "state"
    role: str


@dataclass(frozen=True, slots=True)
class RebootExpected(Expectation):
    """The kernel runs with the arguments that are planned; advisory: no gate waits for it."""

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


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Of every server in `configured`; of nodes, also what their host state shows."""
    yield from _states(plan, configured)
    yield from host_expectations(plan, configured)


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
            assert nic.nic_prefix and nic.prefix  # noqa: PT018 # they come with a table
            near, far = nic.nic_prefix, nic.prefix
            rule = nic.rule_priority
            yield WayOut(nic.port, nic.address.ip, nic.gateway, nic.table, rule, near, far)


def _base(device: str, values: Mapping[str, object]) -> Iterator[Expectation]:
    """What the role for the operating system sets, and only a running process shows."""
    # Where chrony only measures it tells the offset all the same, of a clock that others keep.
    if values["os_base_time_servers"]:
        says = f"its clock is synchronised, and less than {CLOCK_S:g} s off"
        yield ClockExpected(f"clock:{device}", device, says, CLOCK_S)
    wanted = str(values["os_base_memlock"])
    says = f"logins and services may lock memory: {wanted}"
    limit = limit_bytes(wanted, unit_bytes=1024)
    yield MemlockExpected(f"memlock:{device}", device, says, limit)
