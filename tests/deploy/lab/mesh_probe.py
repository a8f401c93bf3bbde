"""Sends datagrams from every own address to every other one, without end, and counts answers.

Run inside a network namespace by any Python. It reads one JSON line (`own`, `others`, `flows`,
`rate`, `bytes`), then sends until the next line, prints what became of it as a JSON line, and
answers others until its input ends. Each flow has its own source port, so that they take
different paths; datagrams carry DF and ignore what the kernel thinks of the path's MTU.
"""

from __future__ import annotations

import json
import select
import socket
import struct
import time
from io import FileIO
from pathlib import Path
from typing import Any

PORT = 47911
_MTU_DISCOVER, _PROBE = 10, 3  # ip(7): IP_MTU_DISCOVER, IP_PMTUDISC_PROBE
_LATE_S = 1.0
_NUMBER = struct.Struct("!Q")


def listening(address: str, port: int) -> socket.socket:
    """A socket that takes bursts and never fragments."""
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.IPPROTO_IP, _MTU_DISCOVER, _PROBE)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
    one.bind((address, port))
    one.setblocking(False)
    return one


class Probe:
    """All flows of one namespace; `open` are the numbers that nobody has answered."""

    def __init__(self, asked: dict[str, Any]) -> None:
        own, others, flows = asked["own"], asked["others"], asked["flows"]
        self.servers = [listening(one, PORT) for one in own]
        self.flows = [
            (listening(one, 0), one, other)
            for _ in range(flows)
            for one in own
            for other in others + own
            if other != one
        ]
        self.gap_s = 1 / asked["rate"]
        self.filler = b"\0" * (asked["bytes"] - _NUMBER.size)
        self.poll = select.poll()
        self.by_fd = {one.fileno(): one for one in self.servers + [one for one, _, _ in self.flows]}
        for number in self.by_fd:
            self.poll.register(number, select.POLLIN)
        self.served = {one.fileno() for one in self.servers}
        self.open: dict[int, str] = {}
        self.sent = 0

    def send(self) -> None:
        """The next datagram of the next flow."""
        flow, own, other = self.flows[self.sent % len(self.flows)]
        self.open[self.sent] = f"{own}:{flow.getsockname()[1]} to {other}"
        flow.sendto(_NUMBER.pack(self.sent) + self.filler, (other, PORT))
        self.sent += 1

    def take(self, wait_s: float) -> bool:
        """Answer and count what comes within the time; whether the input has a line or ended."""
        for number, _ in self.poll.poll(max(0, int(wait_s * 1000))):
            if number not in self.by_fd:
                return True
            try:
                data, sender = self.by_fd[number].recvfrom(10_000)
            except BlockingIOError:
                continue
            if number in self.served:
                self.by_fd[number].sendto(data, sender)
            else:
                self.open.pop(_NUMBER.unpack_from(data)[0], None)
        return False


def main() -> None:
    """Send until told to stop, then answer until the input ends."""
    # Unbuffered: nothing is read ahead, so poll sees every line.
    with Path("/dev/stdin").open("rb", buffering=0) as told:
        run(told)


def run(told: FileIO) -> None:
    """The same, told by this."""
    probe = Probe(json.loads(told.readline()))
    print("ready", flush=True)
    told.readline()
    probe.poll.register(told, select.POLLIN)
    due = time.monotonic()
    while True:
        now = time.monotonic()
        if now >= due:
            probe.send()
            due = max(due + probe.gap_s, now - 0.1)
        if probe.take(due - time.monotonic()):
            break
    told.readline()
    probe.poll.unregister(told)
    end = time.monotonic() + _LATE_S
    while time.monotonic() < end:
        probe.take(0.05)
    lost = [probe.open[one] for one in sorted(probe.open)]
    print(json.dumps({"sent": probe.sent, "lost": lost}), flush=True)
    probe.poll.register(told, select.POLLIN)
    while not probe.take(1):
        pass


if __name__ == "__main__":
    main()
