"""Ports by what they do with the classes; those of one kind share their profiles."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.plan import SwitchPort, TrafficClass
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.qos import PortQos, port_qos

LOSSLESS, UNTRUSTED = "ROCE", "UNTRUSTED"
"""The names of the maps: of ports that carry the lossless class, and of all others."""

_NUMBERS = range(8)


def lossless_ports(intent: SwitchIntent) -> Iterator[tuple[SwitchPort, PortQos]]:
    """The ports that carry the lossless class, with what they do."""
    for port, qos in _ports(intent):
        if qos is not None:
            yield port, qos


def untrusted_ports(intent: SwitchIntent) -> Iterator[SwitchPort]:
    """The others: whatever DSCP comes in, it is best effort."""
    for port, qos in _ports(intent):
        if qos is None:
            yield port


def _ports(intent: SwitchIntent) -> Iterator[tuple[SwitchPort, PortQos | None]]:
    """Every port; those alike in all that `port_qos` looks at are asked for once."""
    found: dict[tuple[object, ...], PortQos | None] = {}
    for port in intent.switch.ports:
        kind = (port.plane, port.direction, port.rate_gbps, port.cable_m)
        if kind not in found:
            found[kind] = port_qos(intent.switch, intent.lossless, port)
        yield port, found[kind]


def classes(intent: SwitchIntent) -> tuple[TrafficClass, ...]:
    """The site's classes, if SONiC can hold them apart; `DialectError` if it cannot.

    A class is a TC here, with the number of its priority; a queue and a PG belong to one
    lossless class alone, or a pause would stop others too.
    """
    found = intent.lossless.classes
    for one in found:
        if not {one.priority, one.queue, one.priority_group} <= set(_NUMBERS):
            raise DialectError(
                f"{intent.switch.name}: class '{one.name}' has a priority, queue or priority "
                "group that is not within 0 to 7"
            )
    _apart(intent, [traffic_class.priority for traffic_class in found], "priority")
    _apart(intent, [traffic_class.queue for traffic_class in found], "queue")
    groups = [traffic_class.priority_group for traffic_class in found if traffic_class.lossless]
    others = {traffic_class.priority_group for traffic_class in found if not traffic_class.lossless}
    _apart(intent, [*groups, *others], "priority group")
    for one in found:
        weight = one.weight_percent
        if not one.strict and (weight is None or not 1 <= weight <= 100):
            raise DialectError(
                f"{intent.switch.name}: class '{one.name}' has weight {weight}, and SONiC "
                "takes 1 to 100"
            )
    return found


def _apart(intent: SwitchIntent, numbers: list[int], what: str) -> None:
    twice = {number for number in numbers if numbers.count(number) > 1}
    if twice:
        raise DialectError(
            f"{intent.switch.name}: two classes have {what} {min(twice)}, and SONiC could not "
            "tell them apart"
        )


def best_effort(intent: SwitchIntent) -> TrafficClass:
    """The class of every DSCP that no class names."""
    return next(traffic_class for traffic_class in classes(intent) if not traffic_class.dscps)


def speed(port: SwitchPort) -> int:
    """In Mbit/s, as SONiC says it."""
    return round(port.rate_gbps * 1000)


def metres(intent: SwitchIntent, port: SwitchPort) -> str:
    """The length of a cable as SONiC says it, in whole metres."""
    if port.cable_m != int(port.cable_m) or port.cable_m < 1:
        raise DialectError(
            f"{intent.switch.name}: {port.cable_m:g} m of cable at {port.name}: SONiC takes "
            "whole metres from 1"
        )
    return f"{int(port.cable_m)}m"
