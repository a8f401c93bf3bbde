"""Runs on a node, with nothing but python3: a paced stream of small packets, and its echo.

    stream.py serve TOKEN SECONDS PORT ADDRESS...   echo in the background, print the pid
    stream.py send JSON                             send, count, print the result as JSON

The echo answers only packets that carry this run's token, and adds its host's name. It ends by
itself. A gap is only counted where packets were lost: a sender that had to wait for its processor
does not look like a broken path.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import sys
import time
from typing import Any

Ask = dict[str, Any]
LATE_S = 1.0
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

    def worst_gap_s(self, since: float, until: float) -> float:
        """The longest time between two answered packets with a lost one between them."""
        worst, last, lost = 0.0, since, False
        for number, at in enumerate(self.sent):
            if number not in self.back:
                lost = lost or since <= at < until
            else:
                if lost:
                    worst = max(worst, at - last)
                last, lost = at, False
        return max(worst, until - last) if lost else worst


def run(ask: Ask) -> Ask:
    """Send round the source ports until the time is over, and count."""
    token, names = ask["token"].encode(), set[str]()
    flows = [Flow(ask, ask["first_port"] + n) for n in range(ask["ports"])]
    step = ask["gap_ms"] / 1000 / len(flows)
    begin = time.monotonic()
    count = int(ask["seconds"] / step)
    by_wire = {flow.wire: flow for flow in flows}
    for number in range(count + 1):
        due = begin + number * step if number < count else time.monotonic() + LATE_S
        while (left := due - time.monotonic()) > 0:
            for one in select.select(list(by_wire), [], [], left)[0]:
                by_wire[one].hear(token, names)
        if number < count:
            flows[number % len(flows)].send(ask, token, time.monotonic())
    asked = {key: ask[key] for key in ("id", "source", "target", "seconds", "gap_ms", "interval_s")}
    return {**asked, "names": sorted(names), **_told(ask, flows, begin)}


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
    mine = [(flow, n) for flow in flows for n, at in enumerate(flow.sent) if since <= at < until]
    trips = sorted(one.back[n] - one.sent[n] for one, n in mine if n in one.back)
    p99 = trips[min(len(trips) - 1, int(0.99 * len(trips)))] if trips else 0.0
    return {
        "sent": len(mine),
        "received": len(trips),
        "p99_ms": round(1000 * p99, 3),
        "worst_gap_ms": round(1000 * max(flow.worst_gap_s(since, until) for flow in flows), 1),
    }


def main(words: list[str]) -> int:
    """The two commands above."""
    if words[0] == "serve":
        return serve(words[1], int(words[2]), int(words[3]), words[4:])
    print(json.dumps(run(json.loads(words[1]))))  # noqa: T201 - the answer of this command
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
