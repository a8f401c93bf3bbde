"""Runs on a node, with nothing but python3: a paced stream of small packets, and its echo.

    stream.py serve TOKEN SECONDS PORT ADDRESS...   echo in the background, print the pid
    stream.py send JSON                             send, count, print the result as JSON
    stream.py watch JSON                            the same until its input ends, gap by gap

The echo answers only packets that carry this run's token, and adds its host's name. It ends by
itself. A gap is only counted where packets were lost: a sender that had to wait for its processor
does not look like a broken path.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import socket
import struct
import sys
import time
from bisect import bisect_left
from typing import Any

Ask = dict[str, Any]
LATE_S = 1.0
MOST_GAPS = 20
BUFFER_BYTES = 4 << 20
SO_RCVBUFFORCE = 33  # asm-generic/socket.h
_SEQUENCE = struct.Struct("!I")


def _socket(address: str, port: int, tos: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
    made.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    made.bind((address, port))
    return made


def serve(token: str, seconds: int, port: int, addresses: list[str], tos: int = 0) -> int:
    """Bind first, so that a printed pid means an answering echo."""
    sockets = [_socket(address, port, tos) for address in addresses]
    pid = os.fork()
    if pid:
        print(pid)  # noqa: T201 - the answer of this command
        return 0
    os.setsid()
    for number in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    signal.alarm(seconds)
    name, mark = socket.gethostname().encode(), token.encode()
    while True:
        for one in select.select(sockets, [], [])[0]:
            data, sender = one.recvfrom(2048)
            if data.startswith(mark):
                one.sendto(data[: len(mark) + 4] + name, sender)


class Flow:
    """One source port: when each packet was sent, and when it was answered."""

    def __init__(self, ask: Ask, port: int) -> None:
        self.port = port
        self.wire = _socket(ask["source"], port, ask["tos"])
        self.wire.setblocking(False)
        self.sent: list[float] = []
        self.back: dict[int, float] = {}

    def send(self, ask: Ask, token: bytes, now: float) -> None:
        """The next packet; one that the kernel refuses is lost."""
        data = token + _SEQUENCE.pack(len(self.sent))
        self.sent.append(now)
        try:
            self.wire.sendto(data, (ask["target"], ask["port"]))
        except OSError:
            return

    def hear(self, token: bytes, names: set[str]) -> None:
        """Everything that has come back."""
        while True:
            try:
                data = self.wire.recv(2048)
            except OSError:
                return
            if data.startswith(token) and len(data) >= len(token) + 4:
                number = _SEQUENCE.unpack_from(data, len(token))[0]
                self.back.setdefault(number, time.monotonic())
                names.add(data[len(token) + 4 :].decode("utf-8", "replace"))

    def gaps(self, begin: float) -> list[list[float]]:
        """Port, seconds since `begin`, milliseconds and packets of each time that lost some."""
        found, last, lost = [], begin, 0
        for number, at in enumerate(self.sent):
            if number not in self.back:
                lost += 1
                continue
            if lost:
                found.append(_gap(self.port, begin, last, at, lost))
            last, lost = at, 0
        if lost:
            found.append(_gap(self.port, begin, last, self.sent[-1], lost))
        return found

    def worst_gap_s(self, since: float, until: float) -> float:
        """The longest time between two answered packets with a lost one between them."""
        first = bisect_left(self.sent, since)
        # The last one before that was answered; an interval is looked at alone, not all before it.
        answered = next((n for n in range(first - 1, -1, -1) if n in self.back), None)
        worst, last, lost = 0.0, since if answered is None else self.sent[answered], False
        for number in range(first, len(self.sent)):
            at = self.sent[number]
            if number in self.back:
                if lost:
                    worst = max(worst, at - last)
                last, lost = at, False
            lost = lost or (number not in self.back and at < until)
            if at >= until and not lost:
                break
        return max(worst, until - last) if lost else worst


def _gap(port: int, begin: float, since: float, until: float, lost: int) -> list[float]:
    return [port, round(since - begin, 3), round(1000 * (until - since), 1), lost]


def run(ask: Ask, watched: tuple[Any, ...] = ()) -> Ask:
    """Send round the source ports until the time is over, or what is `watched` ends, and count."""
    token, names = ask["token"].encode(), set[str]()
    flows = [Flow(ask, ask["first_port"] + n) for n in range(ask["ports"])]
    by_wire = {flow.wire: flow for flow in flows}

    def hear(until: float, ends: tuple[Any, ...] = ()) -> bool:
        while (left := until - time.monotonic()) > 0:
            for one in select.select([*by_wire, *ends], [], [], left)[0]:
                if one in ends:
                    return False
                by_wire[one].hear(token, names)
        return True

    step = ask["gap_ms"] / 1000 / len(flows)
    begin, began = time.monotonic(), time.time()
    for number in range(int(ask["seconds"] / step)):
        if not hear(begin + number * step, watched):
            break
        flows[number % len(flows)].send(ask, token, time.monotonic())
    hear(time.monotonic() + LATE_S)
    if watched:
        ran_s = max(1, math.ceil(time.monotonic() - LATE_S - begin))
        ask = {**ask, "seconds": ran_s, "interval_s": ran_s}
    asked = {key: ask[key] for key in ("id", "source", "target", "seconds", "gap_ms", "interval_s")}
    told = {**asked, "names": sorted(names), **_told(ask, flows, begin)}
    gaps = sorted((gap for flow in flows for gap in flow.gaps(begin)), key=lambda one: -one[2])
    return {**told, "began": began, "gaps": gaps[:MOST_GAPS]} if watched else told


def _told(ask: Ask, flows: list[Flow], begin: float) -> Ask:
    every = ask["interval_s"]
    edges = [begin + start for start in range(0, ask["seconds"], every)]
    # A sender that had to wait may end late: what it sent then belongs to the last interval.
    over = max(begin + ask["seconds"], *(flow.sent[-1] + 0.001 for flow in flows if flow.sent))
    intervals = [
        _interval(flows, since, until)
        for since, until in zip(edges, [*edges[1:], over], strict=True)
    ]
    told = [
        {
            "port": flow.port,
            "sent": len(flow.sent),
            "received": len(flow.back),
            "worst_gap_ms": round(1000 * flow.worst_gap_s(begin, begin + ask["seconds"]), 1),
        }
        for flow in flows
    ]
    return {"intervals": intervals, "flows": told}


def _interval(flows: list[Flow], since: float, until: float) -> Ask:
    mine = [
        (flow, number)
        for flow in flows
        for number in range(bisect_left(flow.sent, since), bisect_left(flow.sent, until))
    ]
    trips = sorted(one.back[n] - one.sent[n] for one, n in mine if n in one.back)
    p99 = trips[min(len(trips) - 1, int(0.99 * len(trips)))] if trips else 0.0
    return {
        "sent": len(mine),
        "received": len(trips),
        "p99_ms": round(1000 * p99, 3),
        "worst_gap_ms": round(1000 * max(flow.worst_gap_s(since, until) for flow in flows), 1),
    }


def main(words: list[str]) -> int:
    """The commands above."""
    if words[0] == "serve":
        return serve(words[1], int(words[2]), int(words[3]), words[4:])
    watched = (sys.stdin,) if words[0] == "watch" else ()
    print(json.dumps(run(json.loads(words[1]), watched)))  # noqa: T201 - as above
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
