"""Sends RoCE data, CNPs and best effort from each own address to each other one; counts both ends.

Run inside a node's network by any Python. It reads one JSON line (`own`, `others`; `tos` and
`cnp_dscp`, the files in which the node's NIC says how it marks; `rates` of each kind a second), and
looks into these files before each packet of theirs. It sends until the next line and answers with
what it sent and heard of each kind, as JSON. Data and CNPs are told apart by the opcode that they
begin with (IBTA, BTH; Annex A17 for CNPs), and not by their marks.
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections import Counter
from pathlib import Path
from typing import Any

# UDP port and first byte: RDMA WRITE only of reliable connections, and a CNP (RoCEv2: 4791).
KINDS = {"data": (4791, b"\x0a"), "cnp": (4791, b"\x81"), "rest": (47911, b"\0")}
LATE_S = 1.5
FLOWS = 2
BYTES = 100


def bound(address: str, port: int) -> socket.socket:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
    one.bind((address, port))
    one.setblocking(False)
    return one


class Mark:
    """The TOS that a file of the NIC says; the last one while it is being written."""

    def __init__(self, path: str, shift: int) -> None:
        self.path, self.shift, self.value = Path(path), shift, -1

    def now(self) -> int:
        text = self.path.read_text().strip()
        self.value = int(text) << self.shift if text.isdigit() else self.value
        return self.value


class Sender:
    def __init__(self, asked: dict[str, Any]) -> None:
        own, others = asked["own"], asked["others"]
        self.marks = {"data": Mark(asked["tos"], 0), "cnp": Mark(asked["cnp_dscp"], 2)}
        self.gaps_s = {kind: 1 / rate for kind, rate in asked["rates"].items()}
        self.flows = [(bound(one, 0), other) for one in own for other in others] * FLOWS
        self.servers = {
            one.fileno(): (one, port)
            for address in own
            for port in {port for port, _ in KINDS.values()}
            for one in [bound(address, port)]
        }
        self.poll = select.poll()
        for number in self.servers:
            self.poll.register(number, select.POLLIN)
        self.sent, self.heard = Counter[str](), Counter[str]()

    def send(self, kind: str) -> None:
        out, other = self.flows[sum(self.sent.values()) % len(self.flows)]
        port, opcode = KINDS[kind]
        tos = self.marks[kind].now() if kind in self.marks else 0
        out.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
        out.sendto(opcode * BYTES, (other, port))
        self.sent[kind] += 1

    def take(self, wait_s: float) -> bool:
        """Count what comes within the time; whether the input has a line or ended."""
        for number, _ in self.poll.poll(max(0, int(wait_s * 1000))):
            if number not in self.servers:
                return True
            one, port = self.servers[number]
            opcode = one.recv(10_000)[:1]
            kind = next((kind for kind, of in KINDS.items() if of == (port, opcode)), "other")
            self.heard[kind] += 1
        return False


def main() -> None:
    with Path("/dev/stdin").open("rb", buffering=0) as told:
        sender = Sender(json.loads(told.readline()))
        print("ready", flush=True)
        told.readline()
        sender.poll.register(told, select.POLLIN)
        due = dict.fromkeys(sender.gaps_s, time.monotonic())
        while True:
            now = time.monotonic()
            for kind, at in due.items():
                if now >= at:
                    sender.send(kind)
                    due[kind] = max(at + sender.gaps_s[kind], now - 0.1)
            if sender.take(min(due.values()) - time.monotonic()):
                break
        told.readline()
        sender.poll.unregister(told)
        end = time.monotonic() + LATE_S
        while time.monotonic() < end:
            sender.take(0.05)
        print(json.dumps({"sent": sender.sent, "heard": sender.heard}), flush=True)


if __name__ == "__main__":
    main()
