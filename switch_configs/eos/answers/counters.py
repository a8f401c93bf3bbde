"""Port counters of Arista EOS, from the JSON of six shows.

Forms: `show interfaces PORT` (`interfaceCounters` -> `inOctets`, `outOctets`, and when EOS read
them: `counterRefreshTime`, in seconds of its own clock), one document a port, `show interfaces
counters queue detail` and `show qos interfaces ecn counters queue` as ANTA reads them
(aristanetworks/anta, tests/units/anta_tests/test_interfaces.py), `show priority-flow-control
counters watchdog` as facebook/fboss's test infrastructure does: a queue that was never stuck is
not in it. The clock is that of `show version` (aristanetworks/goeapi): when it booted, and how long
ago. Pause frames are those of `show interfaces PORT priority-flow-control counters detail`, as the
same infrastructure reads them (`priorities` -> `rxFrames`, `txFrames`), one document a port. Those
without a priority stay None: `show interfaces` has `rxPause` and `txPause`, and no source says
whether frames with a priority are among them. So do drops by priority group: of packets that a
full buffer refused as they came in, no JSON could be sourced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from inventory.reading.fields import Unreadable, document, documents, mapping, needed
from inventory.reading.numbers import Real, Whole, count
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.carried import Carried
from switch_configs.answers.port_counters import PRIORITIES, PortCounters, Ports

_TIME = Real("time", "s", 0, 1e12)
_CLASS = Whole("traffic class", "1", 0, 63)
_QUEUE = Whole("transmit queue", "1", 0, PRIORITIES - 1)
_BYTES = count("bytes of a port", "byte")
_DROPPED = count("dropped packets")
_PRIORITY = Whole("priority", "1", 0, PRIORITIES - 1)
_PAUSES = count("pause frames")
_MARKS = replace(count("marked packets"), untold=frozenset({"-"}))
_STUCK = count("times that a queue was stuck")


def carried(found: Mapping[str, Section]) -> Carried:
    """The bytes of the ports that were asked for, all counted since the reading began."""
    (since, _), (until, up_s) = (_clock(section(found, name)) for name in ("since", "until"))
    made: dict[str, tuple[int, int]] = {}
    for port, entry in _interfaces(section(found, "bytes")):
        if port in made:
            raise Unreadable(f"EOS tells {port} twice")
        one = mapping(needed(mapping(entry, port), "interfaceCounters", port), port)
        counted = _TIME.of(one, "counterRefreshTime", port)
        if not since <= counted <= until:
            raise Unreadable(f"EOS counted {port} at {counted:.0f}, not from {since:.0f} on")
        made[port] = _BYTES.of(one, "inOctets", port), _BYTES.of(one, "outOctets", port)
    return Carried(up_s, made)


def ports(found: Mapping[str, Section]) -> Ports:
    """The ports that were asked for."""
    drops = _drops(found)
    marks = _part(found, "marked", "intfQueueCounters")
    stuck = _part(found, "watchdog", "interfaces")
    told = carried(found).ports
    pauses = _pauses(section(found, "pauses"), len(told))
    return {
        port: PortCounters(
            port,
            *both,
            ecn_marked=_marked(marks, port),
            storms=_stuck(stuck, port),
            queue_drops=drops.get(port),
            rx_pause=_paused(pauses, port, "rxFrames"),
            tx_pause=_paused(pauses, port, "txFrames"),
        )
        for port, both in sorted(told.items())
    }


def _clock(text: str) -> tuple[float, float]:
    """The switch's own clock, and for how long it runs."""
    told = mapping(document(text, "EOS"), "show version")
    up_s = _TIME.of(told, "uptime", "show version")
    return _TIME.of(told, "bootupTimestamp", "show version") + up_s, up_s


def _interfaces(text: str) -> Iterator[tuple[str, object]]:
    """The interfaces of one JSON document after the other."""
    for told in documents(text, "EOS"):
        yield from mapping(needed(mapping(told, "EOS"), "interfaces", "EOS"), "EOS").items()


def _part(found: Mapping[str, Section], name: str, key: str) -> dict[str, object]:
    told = mapping(document(section(found, name), "EOS"), name)
    return mapping(needed(told, key, name), key)


def _drops(found: Mapping[str, Section]) -> dict[str, dict[int, int]]:
    """Dropped packets of each port by unicast traffic class, its drop precedences together."""
    root = _part(found, "queues", "egressQueueCounters")
    made: dict[str, dict[int, int]] = {}
    for port, entry in mapping(needed(root, "interfaces", "queues"), "queues").items():
        queues = mapping(needed(mapping(entry, port), "ucastQueues", port), port)
        classes = mapping(needed(queues, "trafficClasses", port), port)
        made[port] = {_class(name): _dropped(one, port) for name, one in classes.items()}
    return made


def _class(name: str) -> int:
    if not name.startswith("TC"):
        raise Unreadable(f"{name!r} is no traffic class")
    return _CLASS.read(name.removeprefix("TC"))


def _dropped(entry: object, port: str) -> int:
    told = mapping(needed(mapping(entry, port), "dropPrecedences", port), port)
    needed(told, "DP0", port)  # every class has packets of the first
    return sum(_DROPPED.of(mapping(one, port), "droppedPackets", port) for one in told.values())


def _pauses(text: str, ports: int) -> dict[str, object]:
    """The entries of all ports: one document for each, which is empty where PFC is off."""
    told = len(list(documents(text, "EOS")))
    if told != ports:
        raise Unreadable(f"EOS tells the pauses of {told} ports, asked were {ports}")
    return dict(_interfaces(text))


def _paused(pauses: Mapping[str, object], port: str, way: str) -> dict[int, int] | None:
    """Pause frames by priority; no entry: not counted there."""
    if port not in pauses:
        return None
    told = mapping(needed(mapping(pauses[port], port), "priorities", port), port)
    return {_PRIORITY.read(n): _PAUSES.of(mapping(one, port), way, port) for n, one in told.items()}


def _marked(marks: Mapping[str, object], port: str) -> int | None:
    """Marks of all queues; `-` or no entry: not counted there."""
    if port not in marks:
        return None
    told = mapping(needed(mapping(marks[port], port), "queueCounters", port), port)
    counts = [_MARKS.maybe(str(one)) for one in told.values()]
    named = [one for one in counts if one is not None]
    return sum(named) if counts and len(named) == len(counts) else None


def _stuck(stuck: Mapping[str, object], port: str) -> dict[int, int]:
    """How often each queue was stuck: one that never was has no entry."""
    queues = mapping(mapping(stuck.get(port, {}), port).get("txQueues", {}), port)
    told = {
        _QUEUE.read(name): _STUCK.of(mapping(one, port), "stuckCount", port)
        for name, one in queues.items()
    }
    return dict.fromkeys(range(PRIORITIES), 0) | told
