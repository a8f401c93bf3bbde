"""What a configuration says of the lossless class otherwise than the second sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from inventory.plan import PortBuffers, SwitchBuffers, SwitchPort
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import (
    HeadroomFacts,
    QosFacts,
    ReservedFacts,
    SwitchFacts,
    WatchdogFacts,
)

from . import expected
from .arithmetic import Room, packet_bytes
from .asked import unlike_itself
from .expected import Behaviour
from .published import ALPHA, MEMORY, SPECTRUM
from .shares import wrong_shares


def otherwise(
    asked: SwitchIntent, found: SwitchFacts, said: ReservedFacts | None, unsaid: frozenset[str]
) -> Iterator[str]:
    """Sentences on what no sum of this folder agrees with.

    `said` is what the text has of headroom in numbers, None where its system has no words for
    it. What a system never says (`unsaid`) is not asked of it.
    """
    held = {one.name: one.qos for one in found.ports}
    alike: dict[tuple[object, ...], list[QosFacts | None]] = {}
    for port in asked.switch.ports:
        qos = held.get(port.name)
        # Ports of one kind say one thing: what holds for many is told of the first.
        told = alike.setdefault((port.plane, port.direction, port.rate_gbps, port.cable_m), [])
        if qos not in told:
            told.append(qos)
            yield from (f"lossless class: {one}" for one in _of_port(asked, port, qos, unsaid))
    yield from (f"lossless class: {one}" for one in unlike_itself(asked))
    yield from (f"headroom: {one}" for one in _planned(asked))
    if said is not None:
        yield from (f"headroom: {one}" for one in _of_text(asked, found, said))


def _of_port(
    asked: SwitchIntent, port: SwitchPort, qos: QosFacts | None, unsaid: frozenset[str]
) -> Iterator[str]:
    name = port.name
    if not expected.carries(asked, port):
        if qos is not None:
            yield f"{name} sorts packets by DSCP, and must trust none"
        return
    if qos is None:
        yield f"{name} does nothing by DSCP"
        return
    yield from (f"{name}: {class_}" for class_ in _classes(asked, port, qos, unsaid))
    paused = (asked.lossless.priority,) if asked.lossless.mode == "full" else ()
    if "qos.pfc_priorities" not in unsaid and qos.pfc_priorities != paused:
        yield f"{name} pauses {qos.pfc_priorities}, and must pause {paused}"
    if "qos.cable_m" not in unsaid and qos.cable_m != port.cable_m:
        yield f"{name} has a cable of {qos.cable_m} m, and not of {port.cable_m:g} m"
    yield from (f"{name}: {one}" for one in _watchdog(asked, qos.watchdog, unsaid))


def _classes(
    asked: SwitchIntent, port: SwitchPort, qos: QosFacts, unsaid: frozenset[str]
) -> Iterator[str]:
    seen = sorted(dscp for traffic_class in qos.classes for dscp in traffic_class.dscps)
    if "class.dscps" not in unsaid and seen != list(range(64)):
        yield "not each of the 64 DSCPs is in one class"
    for one in qos.classes:
        for dscp in one.dscps:
            want = expected.behaviour(asked, port, dscp)
            for each in fields(Behaviour):
                mine, other = getattr(one, each.name), getattr(want, each.name)
                if mine != other and f"class.{each.name}" not in unsaid:
                    yield f"DSCP {dscp} has {each.name} {mine}, and must have {other}"


def _watchdog(
    asked: SwitchIntent, found: WatchdogFacts | None, unsaid: frozenset[str]
) -> Iterator[str]:
    want = asked.lossless.watchdog
    if "qos.watchdog" in unsaid or (found is None and want is None):
        return
    if found is None or want is None:
        yield f"PFC watchdog {found}, and asked is {want}"
        return
    for each in fields(WatchdogFacts):
        mine, other = getattr(found, each.name), getattr(want, each.name)
        if mine != other and f"watchdog.{each.name}" not in unsaid:
            yield f"PFC watchdog {each.name} {mine}, and asked is {other}"


def _planned(asked: SwitchIntent) -> Iterator[str]:
    """The plan's own sums, of which thresholds come even where no text says them."""
    buffers = asked.switch.buffers
    if buffers is None:
        return
    for one in buffers.ports:
        want, own = expected.room(asked, one), one.headroom
        if want is None or own is None:
            continue
        held = Room(own.xoff_bytes, own.xon_bytes, own.size_bytes, own.xon_offset_bytes)
        if held != want:
            yield f"{_kind(one)}: the plan has {held}, published is {want}"
        least = expected.least_bytes(asked, one)
        if own.xoff_bytes < least:
            yield f"{_kind(one)}: {own.xoff_bytes} bytes, and {least} arrive after a pause at least"
    yield from _divided(asked, buffers)


def _divided(asked: SwitchIntent, buffers: SwitchBuffers) -> Iterator[str]:
    divided, policy = expected.division(asked), asked.lossless.headroom
    if divided is None or policy is None:
        return
    total = MEMORY[buffers.asic].total_bytes
    wish = policy.congested_ports
    yield from _differs("bytes of all memory", buffers.total_bytes, total)
    yield from _differs("alpha", buffers.alpha, ALPHA)
    yield from _differs("bytes of ports' own", buffers.headroom_bytes, divided.own_bytes)
    yield from _differs("bytes shared", buffers.headroom_pool_bytes, divided.pool_bytes)
    yield from _differs("bytes of the class", buffers.shared_bytes, divided.shared_bytes)
    yield from _differs("congested ports", buffers.congested_ports, wish)
    mtu = asked.lossless.switch_ip_mtu_bytes
    yield from _differs("bytes of a frame", buffers.port_mtu_bytes, mtu)
    point, held = expected.pause_point(asked), buffers.xoff_point_bytes
    # Divided in another order: one byte may be lost.
    if point is not None and (held is None or abs(held - point) > 1):
        yield f"the plan pauses at {held} bytes, and {point} are free"


def _of_text(asked: SwitchIntent, found: SwitchFacts, said: ReservedFacts) -> Iterator[str]:
    buffers, policy = asked.switch.buffers, asked.lossless.headroom
    ports = [one for one in asked.switch.ports if expected.carries(asked, one)]
    if buffers is None or policy is None or not ports:
        return
    if buffers.asic in MEMORY and found.buffers.alpha != ALPHA:
        yield f"alpha {found.buffers.alpha}, and must be {ALPHA}"
    if buffers.asic in SPECTRUM:
        ratio = policy.over_subscription if policy.form == "shared" else 0
        yield from _differs("promised so many times over", said.over_subscription, ratio)
        packet = packet_bytes(asked.lossless.host_ip_mtu_bytes)
        yield from _differs("packets of so many bytes", said.packet_bytes, packet)
        small = policy.small_packet_percentage
        yield from _differs("percent of small packets", said.small_packet_percentage, small)
        yield from wrong_shares(asked, said, None)
        return
    shared = policy.form == "shared"
    rooms = {port.name: {one for name, one in said.rooms if name == port.name} for port in ports}
    known = {one: expected.room(asked, one) for one in buffers.ports}
    drawn = 0
    for port in ports:
        one = expected.kind(asked.switch, port)
        want = known[one] if one else None
        if want is None:
            continue
        drawn += want.xoff_bytes
        # Room for what still arrives is in the pool here, whoever it is for.
        own = want.size_bytes - (0 if shared else want.xoff_bytes)
        asked_room = HeadroomFacts(want.xon_bytes, want.xoff_bytes, own, want.offset_bytes)
        yield from _differs(port.name, rooms[port.name], {asked_room})
    pool = expected.pool_bytes(asked) if shared else drawn
    yield from wrong_shares(asked, said, pool)


def _differs(what: str, held: object, want: object) -> Iterator[str]:
    if held != want:
        yield f"{what}: found {held}, and must be {want}"


def _kind(one: PortBuffers) -> str:
    return f"{one.rate_gbps:g} Gb/s over {one.cable_m:g} m"
