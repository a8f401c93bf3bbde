"""QoS: one classification, one network policy, and a queuing policy for each kind of port.

Numbers of queues are local to the box. NX-OS wants a strict queue to be the highest one and
more of them beside it (Cisco Nexus 9000 NX-OS QoS guide 10.5(x), queuing and scheduling), so
CNPs are in queue 7; a lossless class is in the queue of its PFC priority, because system class
`c-8q-nqN` is that of qos-group N.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.plan import EcnMarking, Headroom, SwitchPort, TrafficClass, Watchdog
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.qos import PortQos, port_qos

from . import words

CLASSIFY = "classify-dscp"
MARK_DOWN = "untrusted"
"""The policy of users' ports: their DSCPs become 0, for the next switch trusts what it reads."""
_QUEUES = range(7, -1, -1)
# Input queuing has these classes beside its default.
_INPUT_QUEUES = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class QosClass:
    """A named class: its DSCPs as NX-OS lists them, and its qos-group."""

    name: str
    dscps: str
    group: int


@dataclass(frozen=True, slots=True)
class NetworkClass:
    """A system class of the network policy; `pause` is the PFC priority or None."""

    name: str
    pause: int | None


@dataclass(frozen=True, slots=True)
class Ecn:
    """Marking of a queue."""

    kmin_bytes: int
    kmax_bytes: int
    percent: int


@dataclass(frozen=True, slots=True)
class Queue:
    """One output queue; `level` is for strict ones, `weight` for all others."""

    name: str
    level: int | None
    cap_mbps: int | None
    weight: int
    ecn: Ecn | None


@dataclass(frozen=True, slots=True)
class Input:
    """Buffers of one lossless class on input."""

    name: str
    size: int
    pause: int
    resume: int


@dataclass(frozen=True, slots=True)
class Output:
    """A queuing policy of one kind of port."""

    name: str
    queues: tuple[Queue, ...]


@dataclass(frozen=True, slots=True)
class InputPolicy:
    """A queuing policy for input."""

    name: str
    classes: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class Dog:
    """The PFC watchdog: NX-OS counts in intervals."""

    interval_ms: int
    shutdown: int
    restore: int


@dataclass(frozen=True, slots=True)
class PortUse:
    """What one port is given; "" where nothing."""

    output: str
    input: str
    watchdog: bool


@dataclass(frozen=True, slots=True)
class Qos:
    """All of a switch. `ports` are by name; a port that is not in it pauses nothing.

    What `untrusted` ports send loses its DSCP; between the leaves of a pair all keep theirs.
    """

    classes: tuple[QosClass, ...]
    network: tuple[NetworkClass, ...]
    mtu_bytes: int
    outputs: tuple[Output, ...]
    inputs: tuple[InputPolicy, ...]
    dog: Dog | None
    ports: Mapping[str, PortUse]
    untrusted: frozenset[str]


def qos(intent: SwitchIntent) -> Qos | None:
    """The QoS of a switch; None where no port has any."""
    switch = intent.switch
    found = {one.name: (one, port_qos(switch, intent.lossless, one)) for one in switch.ports}
    own = {name: (port, said) for name, (port, said) in found.items() if said is not None}
    if not own:
        return None
    classes = next(iter(own.values()))[1].classes
    groups = _groups(classes, switch.name)
    outputs: dict[str, Output] = {}
    inputs: dict[str, InputPolicy] = {}
    ports: dict[str, PortUse] = {}
    # Most ports of a switch are alike.
    kinds: dict[tuple[float, EcnMarking], Output] = {}
    for name, (port, said) in own.items():
        kind = (port.rate_gbps, said.ecn)
        if kind not in kinds:
            kinds[kind] = _output(port, said, groups, switch.name)
        made = kinds[kind]
        room = _inputs(said, groups, switch.name)
        outputs[made.name] = made
        inputs |= {room.name: room} if room else {}
        ports[name] = PortUse(made.name, room.name if room else "", said.watchdog is not None)
    dogs = {said.watchdog for _, said in own.values()}
    return Qos(
        classes=tuple(
            QosClass(
                words.name(traffic_class.name, "traffic class", switch.name, 40),
                ",".join(map(str, sorted(traffic_class.dscps))),
                groups[traffic_class.name],
            )
            for traffic_class in sorted(classes, key=lambda one: groups[one.name])
            if traffic_class.dscps
        ),
        network=_network(classes, groups),
        mtu_bytes=max(one.ip_mtu_bytes for one in switch.ports),
        outputs=tuple(outputs[name] for name in sorted(outputs, key=words.natural)),
        inputs=tuple(inputs[name] for name in sorted(inputs, key=words.natural)),
        dog=_dog(dogs.pop(), switch.name),
        ports=ports,
        untrusted=frozenset(
            one.name for one in switch.ports if one.name not in own and one.direction != "peer"
        ),
    )


def _groups(classes: tuple[TrafficClass, ...], device: str) -> dict[str, int]:
    """A qos-group for each class: best effort 0, strict ones from 7 down, lossless their own."""
    groups = {traffic_class.name: 0 for traffic_class in classes if not traffic_class.dscps}
    strict = (traffic_class for traffic_class in classes if traffic_class.strict)
    groups |= {one.name: 7 - at for at, one in enumerate(strict)}
    for one in classes:
        if one.lossless:
            groups[one.name] = one.priority
    for one in classes:
        if one.name not in groups:
            free = [at for at in (one.queue, 1, 2, 3, 4, 5, 6) if at not in groups.values()]
            groups[one.name] = free[0] if free else 0
    if len(set(groups.values())) != len(groups) or 0 in _lossless(classes, groups):
        raise DialectError(
            f"{device}: no qos-groups for its classes: {_words(classes)}",
            "NX-OS has 8, with best effort in 0 and strict classes from 7 down; a lossless "
            "class has the group of its priority",
        )
    return groups


def _lossless(classes: tuple[TrafficClass, ...], groups: Mapping[str, int]) -> set[int]:
    return {groups[traffic_class.name] for traffic_class in classes if traffic_class.lossless}


def _words(classes: tuple[TrafficClass, ...]) -> str:
    return ", ".join(
        f"{traffic_class.name} of priority {traffic_class.priority}" for traffic_class in classes
    )


def _network(
    classes: tuple[TrafficClass, ...], groups: Mapping[str, int]
) -> tuple[NetworkClass, ...]:
    """Every class in use is named: what is not would have an MTU of 1500."""
    used = sorted(classes, key=lambda one: groups[one.name] or len(_QUEUES))
    return tuple(
        NetworkClass(
            f"c-8q-nq{groups[traffic_class.name]}"
            if groups[traffic_class.name]
            else "c-8q-nq-default",
            traffic_class.priority if traffic_class.lossless else None,
        )
        for traffic_class in used
    )


def _output(port: SwitchPort, said: PortQos, groups: Mapping[str, int], device: str) -> Output:
    by_group = {groups[traffic_class.name]: traffic_class for traffic_class in said.classes}
    ecn = said.ecn
    words.within(ecn.probability_percent, 1, 100, "ECN probability", device)
    rate = f"{port.rate_gbps:g}g".replace(".", "-")
    return Output(
        name=f"out-{rate}-{ecn.kmin_bytes}-{ecn.kmax_bytes}-{ecn.probability_percent}",
        queues=tuple(_queue(at, by_group.get(at), port, said, device) for at in _QUEUES),
    )


def _queue(
    at: int, one: TrafficClass | None, port: SwitchPort, said: PortQos, device: str
) -> Queue:
    name = f"c-out-8q-q{at}" if at else "c-out-8q-q-default"
    if one is None:
        return Queue(name, None, None, 0, None)
    ecn = said.ecn
    return Queue(
        name,
        level=8 - at if one.strict else None,
        cap_mbps=_cap(one, port, device),
        weight=one.weight_percent or 0,
        ecn=Ecn(ecn.kmin_bytes, ecn.kmax_bytes, ecn.probability_percent) if one.lossless else None,
    )


def _cap(one: TrafficClass, port: SwitchPort, device: str) -> int | None:
    if one.rate_cap_percent is None:
        return None
    exact = one.rate_cap_percent * port.rate_gbps * 10
    if exact != int(exact):
        raise DialectError(
            f"{device}: {one.rate_cap_percent} % of {port.name}, {port.rate_gbps:g} Gb/s, is no "
            "whole number of Mb/s",
        )
    return int(exact)


def _inputs(said: PortQos, groups: Mapping[str, int], device: str) -> InputPolicy | None:
    """Only where the plan has numbers: NX-OS has its own up to 100 m of cable."""
    room = said.headroom
    if room is None:
        return None
    own = sorted(
        groups[traffic_class.name] for traffic_class in said.classes if traffic_class.lossless
    )
    wrong = [one for one in own if one not in _INPUT_QUEUES]
    if wrong:
        raise DialectError(
            f"{device}: input queuing has no class for qos-group {wrong[0]}",
            "a lossless class of priority 1, 2 or 3, or cables of at most 100 m",
        )
    made = tuple(_input(one, room) for one in own)
    return InputPolicy(f"in-{made[0].size}-{made[0].pause}-{made[0].resume}", made)


def _input(group: int, room: Headroom) -> Input:
    """It pauses `xoff_bytes` below the end, and goes on at `xon_bytes`."""
    pause = room.size_bytes - room.xoff_bytes
    return Input(f"c-in-q{group}", room.size_bytes, pause, room.xon_bytes)


def _dog(said: Watchdog | None, device: str) -> Dog | None:
    if said is None:
        return None
    if said.action != "drop":
        raise DialectError(
            f"{device}: PFC watchdog: NX-OS drops what a stuck queue holds and cannot "
            f"'{said.action}' it",
            "`watchdog: {action: drop}`",
        )
    words.within(said.poll_ms, 100, 1000, "PFC watchdog interval in ms", device)
    return Dog(
        said.poll_ms,
        _intervals(said.detect_ms, said, 10, "detection", device),
        _intervals(said.restore_ms, said, 100, "restoration", device),
    )


def _intervals(value_ms: int, said: Watchdog, most: int, what: str, device: str) -> int:
    count, rest = divmod(value_ms, said.poll_ms)
    if rest:
        raise DialectError(
            f"{device}: PFC watchdog {what} of {value_ms} ms is no whole number of intervals "
            f"of {said.poll_ms} ms",
            "NX-OS multiplies its interval",
        )
    return words.within(count, 1, most, f"PFC watchdog {what} in intervals", device)
