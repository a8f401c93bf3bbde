"""What soak and drills leave: streams (`on_node/stream.py`), states before and after, drills."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from inventory.reading.fields import Unreadable, document, full_lines, mapping, sequence, text_of
from inventory.reading.numbers import Real, Whole, count
from switch_configs.answers.linux.state import whole
from switch_configs.answers.steady import Held
from validation.parse.host.kernel_log import WORDS, Event, whole_log

_AT = re.compile(r"(pulled|restored) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})")
_ROUTE = re.compile(r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})\] (.+)")
_CROSSING = re.compile(r"crossing (\d+) (\d+)")
_SECONDS = Whole("seconds", "s", 1, 10**8)
_GAP_MS = Whole("gap", "ms", 1, 10**6)
_INTERVAL_S = Whole("interval", "s", 1, 10**8)
_COMPLAINT = re.compile(WORDS)
_SENT = Whole("packets sent", "1", 1, 10**15)
_RECEIVED = count("packets received")
_PORT = Whole("source port", "1", 1, 65535)
_P99_MS = Real("P99", "ms", 0, 1e9)
_WORST_MS = Real("worst gap", "ms", 0, 1e9)
_CARRIER = count("carrier changes")
_ESTABLISHED = count("sessions established")
_CROSSED = count("packets", "packets/s")


@dataclass(frozen=True, slots=True)
class Interval:
    """Some seconds of a stream; times in milliseconds, of the packets that came back."""

    sent: int
    received: int
    p99_ms: float
    worst_gap_ms: float


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream as its sender counted it. `flows` are (source port, sent, received, worst gap)."""

    id: str
    source: str
    target: str
    seconds: int
    gap_ms: int
    interval_s: int
    names: tuple[str, ...]
    intervals: tuple[Interval, ...]
    flows: tuple[tuple[int, int, int, float], ...]

    @property
    def worst_gap_ms(self) -> float:
        """Of all source ports: each may take another path."""
        return max(flow[3] for flow in self.flows)


@dataclass(frozen=True, slots=True)
class Steady:
    """What must stay: ports and sessions, failed units, the kernel's complaints."""

    held: Held
    failed: tuple[str, ...] = ()
    kernel: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Drilled:
    """A drill by the device's own clock. `detected_ms` is None where no route changed.

    `before` and `during` are packets a second over what was pulled.
    """

    detected_ms: float | None
    held_ms: float
    before: int
    during: int


def stream(text: str) -> Stream:
    """Raises Unreadable."""
    root = mapping(document(text, "the stream"), "the stream's result")
    intervals = tuple(
        _interval(mapping(one, "interval")) for one in sequence(root.get("intervals"), "intervals")
    )
    flows = tuple(_flow(mapping(one, "flow")) for one in sequence(root.get("flows"), "flows"))
    names = tuple(str(one) for one in sequence(root.get("names"), "names"))
    if not intervals or not flows:
        raise Unreadable("the stream sent nothing")
    sent, received = (
        sum(getattr(interval, key) for interval in intervals) for key in ("sent", "received")
    )
    if (sent, received) != (sum(flow[1] for flow in flows), sum(flow[2] for flow in flows)):
        raise Unreadable("the stream's intervals are not the sum of its flows")
    seconds, gap_ms, interval_s = (
        kind.of(root, key, "the stream")
        for key, kind in (("seconds", _SECONDS), ("gap_ms", _GAP_MS), ("interval_s", _INTERVAL_S))
    )
    name, source, target = (text_of(root, key, "the stream") for key in ("id", "source", "target"))
    return Stream(name, source, target, seconds, gap_ms, interval_s, names, intervals, flows)


def _interval(fields: dict[str, object]) -> Interval:
    sent, received = _counts(fields, "interval")
    p99 = _P99_MS.of(fields, "p99_ms", "interval")
    return Interval(sent, received, p99, _WORST_MS.of(fields, "worst_gap_ms", "interval"))


def _flow(fields: dict[str, object]) -> tuple[int, int, int, float]:
    port, (sent, received) = _PORT.of(fields, "port", "flow"), _counts(fields, "flow")
    return port, sent, received, _WORST_MS.of(fields, "worst_gap_ms", "flow")


def _counts(fields: dict[str, object], what: str) -> tuple[int, int]:
    sent, received = _SENT.of(fields, "sent", what), _RECEIVED.of(fields, "received", what)
    if received > sent:
        raise Unreadable(f"{received} of {sent} packets came back")
    return sent, received


def steady(text: str) -> Steady:
    """Raises Unreadable."""
    parts: dict[str, list[str]] = {}
    name = ""
    for line in whole(text):
        if line.startswith("== "):
            name = line[3:]
            if name in parts:
                raise Unreadable(f"{name} is there twice")
            parts[name] = []
        elif not name:
            raise Unreadable("the answer does not begin with a part")
        else:
            parts[name].append(line)
    if not {"carrier", "failed", "kernel"} <= set(parts):
        raise Unreadable("a part is missing")
    carrier = dict(map(_count, parts["carrier"]))
    # A device sends the lines that hold one of the words, and its log's end.
    if cut := next((part for part in parts["kernel"][:-1] if not _COMPLAINT.search(part)), None):
        raise Unreadable(f"the kernel's log has a line that is not whole: {cut[:120]}")
    kernel = whole_log("\n".join(parts["kernel"]))
    sessions = _sessions("\n".join(parts["sessions"])) if "sessions" in parts else {}
    failed = full_lines("\n".join(parts["failed"]), "systemctl")
    return Steady(Held(carrier, sessions), tuple(sorted(failed)), kernel)


def _count(line: str) -> tuple[str, int]:
    port, _, said = line.rpartition(" ")
    if not port:
        raise Unreadable(f"{line[:80]!r} is no count")
    return port, _CARRIER.read(said)


def _sessions(text: str) -> dict[str, tuple[str, float]]:
    """`show bgp vrf all neighbors json`: the state of each, and how often it was established."""
    found: dict[str, tuple[str, float]] = {}
    for vrf, table in mapping(document(text, "vtysh"), "tables").items():
        for key, value in mapping(table, vrf).items():
            if key in ("vrfId", "vrfName"):
                continue
            one = mapping(value, key)
            if key in found:
                raise Unreadable(f"the neighbour {key} is there twice")
            count = _ESTABLISHED.of(one, "connectionsEstablished", key)
            found[key] = text_of(one, "bgpState", key), count
    return found


def drilled(text: str) -> Drilled:
    """Raises Unreadable."""
    times: dict[str, datetime] = {}
    crossing: tuple[int, int] | None = None
    changed: list[datetime] = []
    for line in whole(text):
        if said := _AT.fullmatch(line):
            times[said[1]] = _time(said[2])
        elif said := _CROSSING.fullmatch(line):
            crossing = _CROSSED.read(said[1]), _CROSSED.read(said[2])
        elif said := _ROUTE.fullmatch(line):
            changed += [_time(said[1])] if "proto bgp" in said[2] else []
        elif not line.startswith((" ", "\t")):  # the next hops of a route
            raise Unreadable(f"{line[:80]!r} says nothing of a drill")
    if set(times) != {"pulled", "restored"} or crossing is None:
        raise Unreadable("the drill did not come to its end")
    if times["restored"] <= times["pulled"]:
        raise Unreadable("it was restored before it was pulled")
    first = min((at for at in changed if at >= times["pulled"]), default=None)
    noticed = first is not None and first <= times["restored"]
    detected = _between(times["pulled"], first) if first is not None and noticed else None
    return Drilled(detected, _between(times["pulled"], times["restored"]), *crossing)


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise Unreadable(f"{text!r} is no time") from None


def _between(since: datetime, until: datetime) -> float:
    return (until - since).total_seconds() * 1000
