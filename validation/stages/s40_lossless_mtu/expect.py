"""What must be true of MTU, markings and the lossless class. Pure.

A probe counts once its nodes and the switches between them are configured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from inventory.switches.abilities import how, uncompensated
from validation.expectation import Expectation
from validation.host_state.expect import nic_expectations
from validation.probes.planned import Probe, probes

from . import pfc


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
    plan: Plan, configured: frozenset[str], of: frozenset[str] | None = None
) -> Iterator[Expectation]:
    """Of every data port in `configured`, and of the paths between nodes there."""
    yield from _mtus(plan, configured)
    yield from _lossless(plan, configured)
    if of is None or not of.isdisjoint(plan.node):
        yield from _probes(plan, configured)
    yield from pfc.expectations(plan, configured)
    yield from nic_expectations(plan, configured)


def _mtus(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    hosts = plan.lossless.host_ip_mtu_bytes
    ports = [
        (switch.name, port.name, port.ip_mtu_bytes)
        for switch in plan.switches
        for port in switch.ports
    ]
    nics = [(node.name, nic.port, nic.ip_mtu_bytes) for node in plan.nodes for nic in node.rails]
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
    for probe in probes(plan, configured):
        way = f"from {probe.sender} at {probe.receiver}"
        says = f"{probe.ip_bytes} bytes with DF arrive {way}"
        yield DfExpected(f"df:{probe.id}", probe.sender, says, probe)
        says = f"TOS {probe.tos} arrives unchanged {way}"
        yield TosExpected(f"tos:{probe.id}", probe.sender, says, probe)


def unasked(plan: Plan) -> Iterator[str]:
    """Where a port may have too little headroom and no comparison with the plan shows it.

    Some images give less than the plan reckons, which names releases alone; and where a release
    works out less than its maker has since found to be needed, the plan reckons with that. Each
    is said once, of however many ASICs.
    """
    yield from dict.fromkeys(_unasked(plan))


def _unasked(plan: Plan) -> Iterator[str]:
    boxes = {
        (one.dialect, one.release, one.buffers.asic)
        for one in plan.switches
        if one.buffers is not None and one.buffers.headroom_bytes is not None
    }
    for dialect, release, asic in sorted(boxes):
        setting = how("headroom", dialect)
        older = setting.older if setting else None
        if older and asic in older.asics and (said := older.images.get(release)):
            yield f"finds too little headroom on some images of {dialect} {release}: {said}"
        if older and asic in older.asics:
            yield from _uncompensated(plan, dialect, release)


def _uncompensated(plan: Plan, dialect: str, release: str) -> Iterator[str]:
    asked, source = plan.lossless.headroom, uncompensated(dialect, release)
    if asked and source and asked.form != "shared" and asked.small_packet_percentage != 100:
        yield (
            f"accepts the PFC headroom that {dialect} {release} computes; later releases add 2 "
            f"KiB, because it was too small at times ({source}): `small_packet_percentage: 100` "
            "covers the worst case"
        )
