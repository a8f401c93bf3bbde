"""One TCP flow as `iperf3 -J` of its client tells it (iperf3(1), JSON output).

What counts is what the receiver got: `end.sum_received`. A client that could not run prints
`error`, with or without figures; then no figure counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address
from math import isclose

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence, text_of
from inventory.reading.numbers import COUNTER_MOST, Real, Whole, count

_SECONDS = Real("time", "s", 0, 1e7)
_RATE = Real("rate", "bit/s", 0, 1e15)
_BYTES = Real("bytes", "B", 0, COUNTER_MOST)
_STREAMS = Whole("streams", "1", 1, 128)  # iperf.h: MAX_STREAMS
_REVERSE = Whole("reverse", "1", 0, 1)
_RETRANSMITS = count("retransmits")
_SAME = 0.01  # figures that say one thing twice may differ by rounding only


@dataclass(frozen=True, slots=True)
class Flow:
    """The received rate in Gb/s (10^9), the time in seconds, and the two ends it ran between."""

    received_gbps: float
    seconds: float
    source: IPv4Address
    target: IPv4Address
    streams: int
    retransmits: int


def flow(text: str) -> Flow:
    """The whole result of one client, sender to receiver. Raises Unreadable."""
    root = mapping(document(text, "iperf3"), "iperf3's result")
    if "error" in root:
        raise Unreadable(f"iperf3: {text_of(root, 'error', 'the result')[:160]}")
    start = mapping(needed(root, "start", "iperf3's result"), "start")
    streams = _streams(mapping(needed(start, "test_start", "start"), "test_start"))
    if not sequence(root.get("intervals"), "intervals"):
        raise Unreadable("iperf3 saw no interval to its end")
    end = mapping(needed(root, "end", "iperf3's result"), "end")
    source, target = _ends(start, streams)
    received = mapping(end.get("sum_received"), "sum_received")
    sent = mapping(end.get("sum_sent"), "sum_sent")
    rate, seconds = _rate(received)
    _sum_of_streams(end, streams, _BYTES.of(received, "bytes", "sum_received"))
    if _BYTES.of(sent, "bytes", "sum_sent") < _BYTES.of(received, "bytes", "sum_received"):
        raise Unreadable("iperf3 says that more was received than sent")
    return Flow(
        rate, seconds, source, target, streams, _RETRANSMITS.of(sent, "retransmits", "sum_sent")
    )


def _streams(test: dict[str, object]) -> int:
    """How many streams ran, all from client to server."""
    if text_of(test, "protocol", "test_start") != "TCP":
        raise Unreadable("iperf3 did not run over TCP")
    if _REVERSE.of(test, "reverse", "test_start") or test.get("bidir"):
        raise Unreadable("iperf3 did not run from its client to its server alone")
    return _STREAMS.of(test, "num_streams", "test_start")


def _ends(start: dict[str, object], streams: int) -> tuple[IPv4Address, IPv4Address]:
    found = [mapping(one, "connected") for one in sequence(start.get("connected"), "connected")]
    if not found or len(found) != streams:
        raise Unreadable(f"iperf3 connected {len(found)} streams of {streams}")
    hosts = {(_address(one, "local_host"), _address(one, "remote_host")) for one in found}
    if len(hosts) > 1:
        raise Unreadable("iperf3's streams ran between different addresses")
    return hosts.pop()


def _address(fields: dict[str, object], key: str) -> IPv4Address:
    said = text_of(fields, key, "connected")
    try:
        return IPv4Address(said)
    except ValueError:
        raise Unreadable(f"iperf3 ran with {said!r}, which is no IPv4 address") from None


def _rate(total: dict[str, object]) -> tuple[float, float]:
    """Gb/s and seconds of a sum that agrees with its own bytes."""
    what = "sum_received"
    seconds, rate = _SECONDS.of(total, "seconds", what), _RATE.of(total, "bits_per_second", what)
    if seconds <= 0:
        raise Unreadable("iperf3 received for no time at all")
    if not isclose(rate, _BYTES.of(total, "bytes", what) * 8 / seconds, rel_tol=_SAME, abs_tol=1):
        raise Unreadable("iperf3's rate is not its bytes over its seconds")
    return rate / 1e9, seconds


def _sum_of_streams(end: dict[str, object], streams: int, total: float) -> None:
    each = [mapping(one, "stream") for one in sequence(end.get("streams"), "streams")]
    got = [_BYTES.of(mapping(one.get("receiver"), "receiver"), "bytes", "receiver") for one in each]
    if len(got) != streams or not isclose(sum(got), total, rel_tol=_SAME, abs_tol=1):
        raise Unreadable("iperf3's sum is not the sum of its streams")
