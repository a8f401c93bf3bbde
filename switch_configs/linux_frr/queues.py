"""What Linux does with each class on a port, as lines of tc(8).

What arrives gets the priority of its class by DSCP; what leaves goes to the band of its
priority: strict classes first, the others by weight (tc-ets(8)), RoCE data marked from a length
on (tc-red(8)), CNPs capped (tc-tbf(8)). There is no PFC: a full band drops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inventory.plan import EcnMarking, SwitchPort, TrafficClass
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.qos import PortQos, class_of_dscp, port_qos

from .words import natural

_ECN_BITS = 2
_DSCP_MASK = "0xfc"
_PRIORITIES = 16
_QUANTUM_BYTES_PER_PERCENT = 1000
# tc-red(8): the average follows the queue itself when `burst` is min/avpkt, its least.
_AVERAGE_PACKET_BYTES = 1000
_RED_LIMIT_OF_MAX = 4
# tc(8) keeps this one rate in 32 bits; it only says how fast an idle queue is forgotten.
_RED_BANDWIDTH_MOST_MBIT = 10_000
_KILOBIT_PER_GIGABIT = 1_000_000
_CAP_LIMIT_BYTES = 262_144
# A timer tick's worth at 250 a second, and a frame at least (tc-tbf(8), `burst`).
_TICKS_PER_S = 250
_FRAME_OVERHEAD_BYTES = 22


@dataclass(frozen=True, slots=True)
class PortQueues:
    """The lines of one port, without the word `tc`."""

    port: str
    rate_gbps: float
    lines: tuple[str, ...]


def queues(intent: SwitchIntent) -> tuple[PortQueues, ...]:
    """Every port that has classes, in order; `DialectError` for what tc cannot do."""
    paused = any(traffic_class.lossless for traffic_class in intent.lossless.classes)
    if paused or intent.lossless.mode == "full":
        raise DialectError(
            f"{intent.switch.name}: dialect linux_frr has no PFC and no headroom, "
            "and the plan asks for lossless 'full'",
            "say `mode: ecn` or `mode: marking-only`, or choose another dialect",
        )
    found = []
    for port in sorted(intent.switch.ports, key=lambda one: natural(one.name)):
        qos = port_qos(intent.switch, intent.lossless, port)
        if qos is not None:
            found.append(PortQueues(port.name, port.rate_gbps, tuple(_lines(port, qos))))
    return tuple(found)


def _lines(port: SwitchPort, qos: PortQos) -> Iterator[str]:
    yield f"qdisc replace dev {port.name} clsact"
    yield from _filters(port.name, qos)
    bands = _bands(qos)
    yield _ets(port.name, bands)
    for number, one in enumerate(bands, start=1):
        parent = f"qdisc replace dev {port.name} parent 1:{number} handle {10 + number}:"
        if one.rate_cap_percent is not None:
            yield f"{parent} {_cap(port, one.rate_cap_percent)}"
        elif one.priority in qos.marked_priorities:
            yield f"{parent} {_red(port, qos.ecn)}"


def _filters(name: str, qos: PortQos) -> Iterator[str]:
    """By DSCP, for IPv4 and IPv6; what no filter matches keeps priority 0.

    Each DSCP has its own numbers, so that no other one's filter moves when it comes or goes.
    """
    for dscp, one in enumerate(class_of_dscp(qos.classes)):
        if not one.dscps:
            continue
        for pref, protocol in enumerate(("ip", "ipv6"), start=2 * dscp + 1):
            yield (
                f"filter replace dev {name} ingress pref {pref} handle 1 protocol {protocol} "
                f"flower ip_tos {dscp << _ECN_BITS:#04x}/{_DSCP_MASK} "
                f"action skbedit priority {one.priority}"
            )


def _bands(qos: PortQos) -> tuple[TrafficClass, ...]:
    """Strict ones first, higher priorities before lower ones, best effort last."""
    return tuple(
        sorted(qos.classes, key=lambda one: (not one.strict, not one.dscps, -one.priority))
    )


def _ets(name: str, bands: tuple[TrafficClass, ...]) -> str:
    strict = sum(traffic_class.strict for traffic_class in bands)
    quanta = [
        str((traffic_class.weight_percent or 0) * _QUANTUM_BYTES_PER_PERCENT)
        for traffic_class in bands
        if not traffic_class.strict
    ]
    rest = next(at for at, one in enumerate(bands) if not one.dscps)
    of_priority = {one.priority: at for at, one in enumerate(bands)}
    where = " ".join(str(of_priority.get(one, rest)) for one in range(_PRIORITIES))
    return (
        f"qdisc replace dev {name} root handle 1: ets bands {len(bands)} strict {strict} "
        f"quanta {' '.join(quanta)} priomap {where}"
    )


def _cap(port: SwitchPort, percent: int) -> str:
    """At this share of the port over time; one packet leaves at the port's own rate."""
    rate_kbit = int(port.rate_gbps * _KILOBIT_PER_GIGABIT * percent / 100)
    tick_bytes = rate_kbit * 1000 // 8 // _TICKS_PER_S
    frame = port.ip_mtu_bytes + _FRAME_OVERHEAD_BYTES
    burst = max(tick_bytes, frame)
    peak_kbit = int(port.rate_gbps * _KILOBIT_PER_GIGABIT)
    return (
        f"tbf rate {rate_kbit}kbit burst {burst} limit {burst + _CAP_LIMIT_BYTES} "
        f"peakrate {peak_kbit}kbit mtu {frame}"
    )


def _red(port: SwitchPort, ecn: EcnMarking) -> str:
    """Marks and never drops early; what finds the band full is dropped."""
    bandwidth_mbit = min(int(port.rate_gbps * 1000), _RED_BANDWIDTH_MOST_MBIT)
    return (
        f"red limit {ecn.kmax_bytes * _RED_LIMIT_OF_MAX} min {ecn.kmin_bytes} "
        f"max {ecn.kmax_bytes} avpkt {_AVERAGE_PACKET_BYTES} "
        f"burst {-(-ecn.kmin_bytes // _AVERAGE_PACKET_BYTES)} bandwidth {bandwidth_mbit}mbit "
        f"probability {ecn.probability_percent / 100:g} ecn nodrop"
    )
