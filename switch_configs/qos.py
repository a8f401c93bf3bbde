"""What a port of a switch shall do with each class: the plan's numbers, put together.

The plan keeps them apart because they are shared: classes by site, buffers by kind of switch.
Every dialect prints a port's QoS from here, so that none picks a number of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from inventory.plan import (
    EcnMarking,
    Headroom,
    Lossless,
    PortBuffers,
    Switch,
    SwitchPort,
    TrafficClass,
    Watchdog,
)
from switch_configs.errors import DialectError

EVERY_DSCP = range(64)


@dataclass(frozen=True, slots=True)
class PortQos:
    """QoS of one port that carries the lossless class.

    `ecn` marks the queues of `marked_priorities`: the lossless ones, or that of RoCE data where
    nothing is paused. `headroom` is None where the switch OS finds it.
    """

    classes: tuple[TrafficClass, ...]
    pfc_priorities: tuple[int, ...]
    marked_priorities: tuple[int, ...]
    ecn: EcnMarking
    watchdog: Watchdog | None
    cable_m: float
    headroom: Headroom | None


def port_qos(switch: Switch, lossless: Lossless, port: SwitchPort) -> PortQos | None:
    """A port's QoS; None where it carries no lossless class, so that it trusts no DSCP.

    That is so on every port in marking-only fabrics, on ports towards users, who would else put
    what they like into the lossless class, and between the leaves of a pair: a lossless class
    over them could close a cycle of buffers that wait for each other. `DialectError` for a port
    that the plan has no numbers for.
    """
    if switch.buffers is None or port.plane == "business" or port.direction == "peer":
        return None
    found = _buffers(switch, switch.buffers.ports, port)
    if found is None:
        raise DialectError(
            f"{switch.name}: the plan has no buffers for {port.name}, "
            f"{port.rate_gbps:g} Gb/s with {port.cable_m:g} m of cable"
        )
    paused = tuple(
        sorted(
            traffic_class.priority for traffic_class in lossless.classes if traffic_class.lossless
        )
    )
    return PortQos(
        classes=lossless.classes,
        pfc_priorities=paused,
        marked_priorities=(lossless.priority,) if lossless.mode == "ecn" else paused,
        ecn=found.ecn,
        watchdog=lossless.watchdog,
        cable_m=port.cable_m,
        headroom=found.headroom,
    )


def _buffers(
    switch: Switch, kinds: tuple[PortBuffers, ...], port: SwitchPort
) -> PortBuffers | None:
    """Those of its rate, cable and lanes; a slower node's port has the fastest one's beside it."""
    lanes = switch.hardware.lanes // max(port.ways, 1)
    enough = [
        buffers
        for buffers in kinds
        if buffers.rate_gbps >= port.rate_gbps
        and buffers.cable_m >= port.cable_m
        and buffers.lanes >= lanes
    ]
    return min(enough, key=lambda one: (one.rate_gbps, one.cable_m, one.lanes), default=None)


def class_of_dscp(classes: tuple[TrafficClass, ...]) -> tuple[TrafficClass, ...]:
    """The class of each DSCP from 0 to 63; one that no class names is best effort."""
    rest = next(traffic_class for traffic_class in classes if not traffic_class.dscps)
    named = {dscp: traffic_class for traffic_class in classes for dscp in traffic_class.dscps}
    return tuple(named.get(dscp, rest) for dscp in EVERY_DSCP)


def dscps_of(classes: tuple[TrafficClass, ...], one: TrafficClass) -> tuple[int, ...]:
    """All DSCPs that end in a class, sorted: for best effort, every one that is left."""
    return tuple(dscp for dscp, other in enumerate(class_of_dscp(classes)) if other == one)
