"""What each port must do with the lossless class, from what the site asks and from nothing else.

The renderers take a port's numbers from `switch_configs.qos`, and what is wanted of a readback is
made there too: a slip there would be printed and then found as wanted. Here the same is worked
out again from the site's own words (DSCPs, priorities, rates, lengths) and from `arithmetic`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from inventory.plan import PortBuffers, Switch, SwitchPort, TrafficClass
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import EcnFacts

from .arithmetic import (
    Room,
    floor_bytes,
    is_wide,
    packet_bytes,
    pause_point_bytes,
    published_room,
)
from .published import ALPHA, ECN, MEMORY, PLAIN_RELEASES, SPECTRUM

_KIB = 1024
# HPCC, SIGCOMM 2019, 5.1: all is marked from 16 KB for each Gb/s on, some from a quarter of it.
_KMAX_BYTES_PER_GBPS, _KMIN_PART, _PERCENT = 16_000, 4, 5


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a port does with one DSCP; names as in `switch_configs.readback.facts.ClassFacts`."""

    pfc_priority: int | None
    strict: bool
    weight_percent: int | None
    rate_cap_percent: int | None
    ecn: EcnFacts | None


def carries(asked: SwitchIntent, port: SwitchPort) -> bool:
    """Whether the class is let in there: never from users, never between a pair of leaves."""
    is_open = port.plane != "business" and port.direction != "peer"
    return is_open and asked.lossless.mode != "marking-only" and asked.switch.buffers is not None


def behaviour(asked: SwitchIntent, port: SwitchPort, dscp: int) -> Behaviour:
    """What a port that carries the class does with a DSCP."""
    site = asked.lossless
    own = _class(asked, dscp)
    if dscp in (site.dscp, *site.also_dscps):
        priority = site.priority if site.mode == "full" else None
        return Behaviour(priority, False, own.weight_percent, None, marking(asked, port))
    if dscp in (site.cnp_dscp, *site.cnp_also_dscps):
        return Behaviour(None, True, None, own.rate_cap_percent, None)
    return Behaviour(None, False, own.weight_percent, None, None)


def _class(asked: SwitchIntent, dscp: int) -> TrafficClass:
    """Shares and caps are the site's wish: nothing else says what they must be."""
    for one in asked.lossless.classes:
        if dscp in one.dscps:
            return one
    (rest,) = [
        traffic_class for traffic_class in asked.lossless.classes if len(traffic_class.dscps) == 0
    ]
    return rest


def kind(switch: Switch, port: SwitchPort) -> PortBuffers | None:
    """The kind of port that it is: of its rate, length and lanes, or the next that is enough."""
    lanes, best = switch.hardware.lanes // max(port.ways, 1), None
    for one in switch.buffers.ports if switch.buffers else ():
        if one.rate_gbps < port.rate_gbps or one.cable_m < port.cable_m or one.lanes < lanes:
            continue
        mine = one.rate_gbps, one.cable_m, one.lanes
        if best is None or mine < (best.rate_gbps, best.cable_m, best.lanes):
            best = one
    return best


def room(asked: SwitchIntent, found: PortBuffers) -> Room | None:
    """The headroom of a kind of port: published, or the site's own; None if left to the system."""
    buffers, policy = asked.switch.buffers, asked.lossless.headroom
    if buffers is None or policy is None or found.headroom is None:
        return None
    own = found.headroom
    said = Room(own.xoff_bytes, own.xon_bytes, own.size_bytes, own.xon_offset_bytes)
    if own.source.startswith("fabric.yml"):
        return said
    packet = packet_bytes(asked.lossless.host_ip_mtu_bytes)
    known = published_room(
        buffers.asic,
        found.rate_gbps,
        found.cable_m,
        asked.lossless.switch_ip_mtu_bytes,
        packet,
        policy.small_packet_percentage,
        shared=policy.form == "shared",
        lanes=found.lanes,
        plain=asked.switch.release in PLAIN_RELEASES,
    )
    return known or said


def least_bytes(asked: SwitchIntent, found: PortBuffers) -> int:
    """Below this no room for what still arrives can be right, whoever supplied it."""
    packet = packet_bytes(asked.lossless.host_ip_mtu_bytes)
    mtu = asked.lossless.switch_ip_mtu_bytes
    return floor_bytes(found.rate_gbps, found.cable_m, mtu, packet)


def pool_bytes(asked: SwitchIntent) -> int | None:
    """What ports share of headroom; 0 where each has its own, None where nothing is known."""
    buffers, policy = asked.switch.buffers, asked.lossless.headroom
    if buffers is None or policy is None or buffers.asic not in MEMORY:
        return None
    if policy.form != "shared":
        return 0
    private = MEMORY[buffers.asic].private_bytes
    needs = [(room(asked, one), one.ports) for one in buffers.ports]
    drawn = sum((one.xoff_bytes - private) * count for one, count in needs if one)
    return max(0, -(-drawn // policy.over_subscription))


def marking(asked: SwitchIntent, port: SwitchPort) -> EcnFacts | None:
    """From where the class is marked: as asked, as published, or by rate below the pause."""
    site, buffers = asked.lossless, asked.switch.buffers
    if site.ecn is not None:
        wish = site.ecn
        return EcnFacts(wish.kmin_bytes, wish.kmax_bytes, wish.probability_percent)
    found = kind(asked.switch, port)
    if buffers is None or found is None:
        return None
    if site.mode == "full" and buffers.asic in ECN:
        return EcnFacts(*ECN[buffers.asic])
    most = _KMAX_BYTES_PER_GBPS * found.rate_gbps
    if site.mode == "full":
        point = pause_point(asked)
        if point is None:
            # Thresholds of an ASIC that only the site knows: of these there is no second source.
            return EcnFacts(
                found.ecn.kmin_bytes, found.ecn.kmax_bytes, found.ecn.probability_percent
            )
        most = min(most, point)
    kmax = max(1, math.floor(most / _KIB)) * _KIB
    return EcnFacts(max(1, kmax // _KMIN_PART // _KIB) * _KIB, kmax, _PERCENT)


@dataclass(frozen=True, slots=True)
class Division:
    """One buffer divided, in bytes: of ports alone, shared headroom, what the class may take."""

    own_bytes: int
    pool_bytes: int
    shared_bytes: int


def division(asked: SwitchIntent) -> Division | None:
    """The buffer of the switch; None where nobody published what it holds."""
    buffers, policy = asked.switch.buffers, asked.lossless.headroom
    if buffers is None or policy is None or buffers.asic not in MEMORY:
        return None
    memory, pool = MEMORY[buffers.asic], pool_bytes(asked) or 0
    cells = SPECTRUM.get(buffers.asic)
    private = memory.private_bytes if policy.form == "shared" else 0
    own = reserved = 0
    for one in buffers.ports:
        needs = room(asked, one)
        wide = cells is not None and is_wide(cells, one.rate_gbps, one.lanes)
        own += one.ports * ((needs.size_bytes if needs else 0) + private)
        reserved += one.ports * (memory.wide_port_bytes if wide else memory.port_bytes)
    left = memory.total_bytes - memory.once_bytes - own - pool - reserved
    return Division(own, pool, left // memory.lossless_pools)


def pause_point(asked: SwitchIntent) -> int | None:
    """Bytes at which a port asks for a pause while so many are congested as the site says."""
    policy, divided = asked.lossless.headroom, division(asked)
    if policy is None or divided is None:
        return None
    return pause_point_bytes(divided.shared_bytes, ALPHA, policy.congested_ports)
