"""The lossless class in EOS's words: traffic classes, transmit queues, profiles, watchdog.

A class keeps the number of its PFC priority as traffic class, because EOS pauses by traffic
class. Best effort is traffic class 1: EOS puts DSCP 0, untagged and untrusted packets there
(EOS User Manual, Quality of Service: default maps).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from inventory.plan import Lossless, Switch, SwitchPort, TrafficClass, Watchdog
from switch_configs.errors import DialectError
from switch_configs.qos import PortQos, class_of_dscp, port_qos

BEST_EFFORT = 1
CONTROL = 7
"""Traffic class and queue of the switch's own packets; EOS binds them for good."""
_QUEUES = range(8)
# EOS User Manual, Quality of Service: the default DSCP map is the same on all platforms.
_DEFAULT_CLASS_OF_BLOCK = (1, 0, 2, 3, 4, 5, 6, 7)
# The same manual, by platform: which has queues for unicast apart.
_UNICAST_APART = ("tomahawk", "trident")
_ONE_SET = ("jericho", "qumran", "arad")


@dataclass(frozen=True, slots=True)
class DscpLine:
    """DSCPs that must leave EOS's default class."""

    dscps: str
    traffic_class: int


@dataclass(frozen=True, slots=True)
class QueueLine:
    """A traffic class that leaves by another queue than that of its number."""

    traffic_class: int
    queue: int


@dataclass(frozen=True, slots=True)
class Queue:
    """A transmit queue of a profile; `percent` is None for a strict one, `cap` a share."""

    number: int
    percent: int | None
    cap_percent: int | None
    ecn: str | None


@dataclass(frozen=True, slots=True)
class Profile:
    """A `qos profile`: what ports of one kind do."""

    name: str
    queues: tuple[Queue, ...]
    priorities: tuple[int, ...]
    watchdog: bool


@dataclass(frozen=True, slots=True)
class Timers:
    """The watchdog's times in seconds, as text."""

    detect_s: str
    restore_s: str
    poll_s: str
    action: str


@dataclass(frozen=True, slots=True)
class Qos:
    """All of a switch. `profile_of` is by port; a port that is not there trusts nothing.

    `clears` is the policy that takes the DSCPs of users away, "" where nobody trusts any: whoever
    is in best effort here would else enter the lossless class at the next switch.
    """

    queue_word: str
    dscp_lines: tuple[DscpLine, ...]
    queue_lines: tuple[QueueLine, ...]
    profiles: tuple[Profile, ...]
    profile_of: dict[str, str]
    timers: Timers | None
    clears: str = ""


NOTHING = Qos("tx-queue", (), (), (), {}, None)
USERS = "users"
"""The policy on ports that users are behind."""


def qos_view(switch: Switch, lossless: Lossless) -> Qos:
    """The QoS of one switch; `DialectError` for a class that EOS cannot hold."""
    found = _found(switch, lossless)
    kinds = {id(qos): qos for qos in found.values() if qos is not None}
    if not kinds:
        return NOTHING
    classes = lossless.classes
    _refuse(switch.name, classes)
    _refuse_mixed_bonds(switch, found)
    names = {at: _name(qos) for at, qos in kinds.items()}
    profiles = {names[at]: _profile(qos) for at, qos in kinds.items()}
    timers = lossless.watchdog
    return Qos(
        queue_word=_queue_word(switch),
        dscp_lines=_dscp_lines(classes),
        queue_lines=tuple(
            QueueLine(number(traffic_class), queue(traffic_class))
            for traffic_class in classes
            if number(traffic_class) != queue(traffic_class)
        ),
        profiles=tuple(profiles[name] for name in sorted(profiles)),
        profile_of={name: names[id(qos)] for name, qos in found.items() if qos is not None},
        timers=None if timers is None else _timers(switch.name, timers),
        clears=USERS if any(_is_of_users(port, found) for port in switch.ports) else "",
    )


def _is_of_users(port: SwitchPort, found: dict[str, PortQos | None]) -> bool:
    """Between the leaves of a pair DSCPs stay: the other leaf has cleared those of its users."""
    return found[port.name] is None and port.direction != "peer"


def _found(switch: Switch, lossless: Lossless) -> dict[str, PortQos | None]:
    """By port. Ports alike share one object, so that nobody has to compare what is in it."""
    made: dict[tuple[object, ...], PortQos | None] = {}
    out = {}
    for port in switch.ports:
        kind = port.direction, port.plane, port.rate_gbps, port.cable_m
        if kind not in made:
            made[kind] = port_qos(switch, lossless, port)
        out[port.name] = made[kind]
    return out


def number(one: TrafficClass) -> int:
    """The traffic class of a class of the plan."""
    return one.priority if one.dscps else BEST_EFFORT


def queue(one: TrafficClass) -> int:
    """Its transmit queue."""
    return one.queue if one.dscps else BEST_EFFORT


_KEPT = {BEST_EFFORT: "untrusted packets", CONTROL: "its own packets"}


def _refuse(device: str, classes: tuple[TrafficClass, ...]) -> None:
    taken: dict[int, str] = {}
    for traffic_class in classes:
        for what in {number(traffic_class), queue(traffic_class)}:
            if traffic_class.dscps and what in (BEST_EFFORT, CONTROL):
                raise DialectError(
                    f"{device}: class {traffic_class.name} has priority or queue {what}, "
                    f"which EOS keeps for {_KEPT[what]}",
                    "choose a priority of 0 or 2 to 6",
                )
        if queue(traffic_class) in taken or queue(traffic_class) not in _QUEUES:
            other = taken.get(queue(traffic_class), "none of EOS")
            raise DialectError(
                f"{device}: queue {queue(traffic_class)} of class {traffic_class.name} "
                f"is that of {other}",
                "give every class a queue of its own",
            )
        taken[queue(traffic_class)] = traffic_class.name


def _refuse_mixed_bonds(switch: Switch, found: dict[str, PortQos | None]) -> None:
    """On EOS a Port-Channel has the QoS, not its ports."""
    kinds: dict[int, PortQos | None] = {}
    for port in switch.ports:
        if (
            port.bond is not None
            and kinds.setdefault(port.bond, found[port.name]) != found[port.name]
        ):
            raise DialectError(
                f"{switch.name}: the ports of bond {port.bond} differ in QoS at {port.name}",
                "ports of one bond need one rate and cable length",
            )


def _queue_word(switch: Switch) -> str:
    asic = switch.hardware.asic
    if asic.startswith(_UNICAST_APART):
        return "uc-tx-queue"
    if asic.startswith(_ONE_SET):
        return "tx-queue"
    raise DialectError(
        f"{switch.name}: nobody looked up what the queues of ASIC '{asic}' are called on EOS",
        "known are those of Trident, Tomahawk, Jericho, Qumran and Arad",
    )


@lru_cache(maxsize=64)
def _dscp_lines(classes: tuple[TrafficClass, ...]) -> tuple[DscpLine, ...]:
    moved: dict[int, list[int]] = {}
    for dscp, one in enumerate(class_of_dscp(classes)):
        if number(one) != _DEFAULT_CLASS_OF_BLOCK[dscp // 8]:
            moved.setdefault(number(one), []).append(dscp)
    return tuple(DscpLine(" ".join(map(str, moved[tc])), tc) for tc in sorted(moved))


def _name(qos: PortQos) -> str:
    ecn = qos.ecn
    word = "lossless" if qos.pfc_priorities else "marked"
    return f"{word}-{ecn.kmin_bytes}-{ecn.kmax_bytes}-{ecn.probability_percent}"


def _profile(qos: PortQos) -> Profile:
    queues = sorted(
        (_queue(qos, traffic_class) for traffic_class in qos.classes), key=lambda one: one.number
    )
    return Profile(_name(qos), tuple(queues), qos.pfc_priorities, qos.watchdog is not None)


def _queue(qos: PortQos, one: TrafficClass) -> Queue:
    return Queue(
        number=queue(one),
        percent=None if one.strict else one.weight_percent,
        cap_percent=one.rate_cap_percent,
        ecn=_ecn(qos) if one.priority in qos.marked_priorities else None,
    )


def _ecn(qos: PortQos) -> str:
    """Weight 0 is the queue as it is now, not an average of it."""
    ecn = qos.ecn
    return (
        f"minimum-threshold {ecn.kmin_bytes} bytes maximum-threshold {ecn.kmax_bytes} bytes "
        f"max-mark-probability {ecn.probability_percent} weight 0"
    )


def _timers(device: str, timers: Watchdog) -> Timers:
    """EOS: timeout and recovery 0.01 to 60 s, polling 0.005 to 30 s and at most half of both."""
    shorter = min(timers.detect_ms, timers.restore_ms)
    longer = max(timers.detect_ms, timers.restore_ms)
    if shorter < 10 or longer > 60000 or not 5 <= timers.poll_ms <= shorter / 2:
        raise DialectError(
            f"{device}: EOS takes no watchdog of {timers.detect_ms} ms, restored after "
            f"{timers.restore_ms} ms and polled every {timers.poll_ms} ms",
            "10 ms to 60 s, polled from 5 ms to half of the shorter one",
        )
    action = "drop" if timers.action == "drop" else "no-drop"
    times = timers.detect_ms, timers.restore_ms, timers.poll_ms
    detect, restore, poll = map(_seconds, times)
    return Timers(detect, restore, poll, action)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:g}"


def policy_of(qos: Qos, port: SwitchPort) -> str | None:
    """The policy that packets pass as they come in at a port."""
    is_of_users = untrusted(qos, port) and port.direction != "peer"
    return qos.clears if qos.clears and is_of_users else None


def untrusted(qos: Qos, port: SwitchPort) -> bool:
    """Whether a port trusts neither DSCP nor CoS."""
    return port.name not in qos.profile_of
