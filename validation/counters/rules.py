"""What counters may have done during a load: alone, and many to one. Pure.

A rule says what is bad and where, and what it cannot tell: a counter that a NIC or switch has not
got is never taken for 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from inventory.plan import Lossless, PortRef
from switch_configs.answers.linux.ethtool_stats import NicCounters
from switch_configs.answers.port_counters import Counts, PortCounters
from validation.parse.nic.rdma_counters import LOSSES

from .host import NicReading


@dataclass(frozen=True, slots=True)
class Counted:
    """What NICs and switch ports counted during one load, by place."""

    nics: Mapping[PortRef, NicReading]
    ports: Mapping[PortRef, PortCounters]


@dataclass
class Opinion:
    """What rules found: (place, sentence) for each bad one, and for each that cannot be told."""

    bad: list[tuple[PortRef, str]] = field(default_factory=list)
    unknown: list[tuple[PortRef, str]] = field(default_factory=list)

    def zero(self, place: PortRef, name: str, value: int | None, why: str) -> None:
        """A counter that must not have moved."""
        if value is None:
            self.unknown.append((place, f"{place} has no counter of {name}"))
        elif value:
            self.bad.append((place, f"{place} counted {value} {name}: {why}"))


@dataclass(frozen=True, slots=True)
class _Class:
    """The numbers of the lossless class on the wire and inside a switch."""

    priority: int
    queue: int
    group: int

    @classmethod
    def of(cls, lossless: Lossless) -> _Class:
        mine = next(
            (traffic_class for traffic_class in lossless.classes if traffic_class.lossless), None
        )
        priority = lossless.priority
        return cls(priority, mine.queue, mine.priority_group) if mine else cls(*[priority] * 3)


def alone(counted: Counted, lossless: Lossless, cnps_most: float) -> Opinion:
    """One flow at line rate: nothing is lost or late, and nobody asks anybody to slow down."""
    said = Opinion()
    for place, one in sorted(counted.nics.items()):
        if one.rdma is None:
            continue
        for name in LOSSES:
            said.zero(place, name, one.rdma.losses.get(name), "packets were lost or late")
        for name, value in (
            ("CNPs sent", one.rdma.np_cnp_sent),
            ("CNPs handled", one.rdma.rp_cnp_handled),
            ("ECN marked packets", one.rdma.np_ecn_marked),
        ):
            if value is None:
                said.unknown.append((place, f"{place} has no counter of {name}"))
            elif value > cnps_most:
                why = f"{place} counted {value} {name}: something on the way is congested"
                said.bad.append((place, why))
    no_discards(counted, lossless, said)
    return said


def no_discards(counted: Counted, lossless: Lossless, said: Opinion) -> None:
    """No buffer of the lossless class overflowed, in NICs or switches."""
    mine, why = _Class.of(lossless), "the lossless class was dropped"
    for place, nic in _drivers(counted):
        said.zero(place, "buffer discards", nic.buf_discards.get(mine.priority), why)
        said.zero(place, "congestion discards", nic.cong_discards.get(mine.priority), why)
    for place, port in sorted(counted.ports.items()):
        said.zero(place, f"drops of queue {mine.queue}", _at(port.queue_drops, mine.queue), why)
        if port.group_drops is None and port.ingress_drops is not None:
            _of_all_groups(said, place, port.ingress_drops)
            continue
        said.zero(
            place, f"drops of priority group {mine.group}", _at(port.group_drops, mine.group), why
        )


def _of_all_groups(said: Opinion, place: PortRef, dropped: int) -> None:
    """None of any group is none of the lossless one; of some, nobody tells whose they are."""
    if dropped:
        why = f"{place} dropped {dropped} packets as they came in, and does not tell of which class"
        said.unknown.append((place, why))


def lossless_holds(counted: Counted, lossless: Lossless, far: Mapping[PortRef, PortRef]) -> Opinion:
    """Incast: no drop of the lossless class, pause on its priority only, no storm.

    `far` is the other end of each place's cable: what one end sent, the other received.
    """
    said, mine = Opinion(), _Class.of(lossless)
    no_discards(counted, lossless, said)
    for place, nic in _drivers(counted):
        said.zero(place, "pause storms", nic.storms, "the NIC stopped pausing and drops")
        for way, by, every in (
            ("received", nic.rx_pause, nic.global_rx_pause),
            ("sent", nic.tx_pause, nic.global_tx_pause),
        ):
            _pauses(said, place, way, by or None, mine.priority)
            why = "the port runs global flow control"
            said.zero(place, f"pause frames {way} without a priority", every, why)
    for place, port in sorted(counted.ports.items()):
        _storms(said, place, port.storms, mine.queue)
        _pauses(said, place, "received", port.rx_pause, mine.priority)
        _pauses(said, place, "sent", port.tx_pause, mine.priority)
        if port.global_pause:
            said.bad.append((place, f"{place} saw {port.global_pause} pauses without a priority"))
        elif port.global_pause is None and not _tells_global_pause(counted, far.get(place)):
            why = "nor the other end of its cable counts pauses without a priority"
            said.unknown.append((place, f"neither {place} {why}"))
    return said


def _storms(said: Opinion, place: PortRef, storms: Counts | None, queue: int) -> None:
    """Storms of any queue are bad; that the lossless one had none must be said of itself."""
    found = sum((storms or {}).values()) or _at(storms, queue)
    said.zero(place, "storms found by the watchdog", found, "a queue was stuck")


def _tells_global_pause(counted: Counted, place: PortRef | None) -> bool:
    """Whether this end counts them both ways; how many it did is its own finding."""
    if place is None:
        return False
    port, reading = counted.ports.get(place), counted.nics.get(place)
    nic = reading.nic if reading is not None else None
    if nic is not None:
        return None not in (nic.global_rx_pause, nic.global_tx_pause)
    return port is not None and port.global_pause is not None


def _pauses(said: Opinion, place: PortRef, way: str, counts: Counts | None, priority: int) -> None:
    if counts is None or priority not in counts:
        said.unknown.append((place, f"{place} has no counter of pauses {way} by priority"))
        return
    for other, value in sorted(counts.items()):
        if other != priority and value:
            why = f"{place} counted {value} pauses {way} of priority {other}"
            said.bad.append((place, f"{why}: only {priority} may pause"))


def marks_work(counted: Counted, receiver: PortRef, senders: tuple[PortRef, ...]) -> Opinion:
    """Incast: switches mark, the receiver tells, a sender slows down (DCQCN)."""
    said = Opinion()
    marks = [counters.ecn_marked for counters in counted.ports.values()]
    told = [mark for mark in marks if mark is not None]
    if not any(told):
        if marks and len(told) == len(marks):
            said.bad.append((receiver, "no switch port on the way marked a packet"))
        else:
            said.unknown.append((receiver, "not every switch on the way counts its marks"))
    _moved(said, counted, receiver, "marked packets received", lambda one: one.rdma_marked)
    _moved(said, counted, receiver, "CNPs sent", lambda one: one.cnps_sent)
    handled = [_of(counted, end).cnps_handled for end in senders]
    if not any(handled):
        if None in handled:
            said.unknown.append((senders[0], "not every sender counts the CNPs it handled"))
        else:
            said.bad.append((senders[0], "no sender handled a CNP: none slows down"))
    return said


@dataclass(frozen=True, slots=True)
class _Dcqcn:
    rdma_marked: int | None = None
    cnps_sent: int | None = None
    cnps_handled: int | None = None


def _of(counted: Counted, place: PortRef) -> _Dcqcn:
    found = counted.nics.get(place)
    if found is None or found.rdma is None:
        return _Dcqcn()
    return _Dcqcn(found.rdma.np_ecn_marked, found.rdma.np_cnp_sent, found.rdma.rp_cnp_handled)


def _moved(
    said: Opinion,
    counted: Counted,
    place: PortRef,
    name: str,
    value: Callable[[_Dcqcn], int | None],
) -> None:
    found = value(_of(counted, place))
    if found is None:
        said.unknown.append((place, f"{place} has no counter of {name}"))
    elif not found:
        said.bad.append((place, f"{place} counted no {name} under an incast"))


def _drivers(counted: Counted) -> Iterator[tuple[PortRef, NicCounters]]:
    for place, one in sorted(counted.nics.items()):
        if one.nic is not None:
            yield place, one.nic


def _at(counts: Counts | None, number: int) -> int | None:
    return None if counts is None else counts.get(number)
