"""Sends datagrams from every own address to every other one, and says of each lost one when.

Run inside a network namespace by any Python, as `tests/deploy/lab/mesh_probe.py`, whose answering
it shares. It reads lines of JSON: first `own`, `others`, `flows`, `rate`; then any number of
`sizes` (IP bytes by other address, as two ends of a connection agree on them), and `stop`.
"""

from __future__ import annotations

import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.deploy.lab.mesh_probe import _NUMBER, PORT, Probe

_HEADERS = 28  # IPv4 and UDP
_LATE_S = 1.5


class Sized(Probe):
    """All flows of a namespace; `when` each open number was sent, and between whom."""

    def __init__(self, asked: dict[str, Any]) -> None:
        super().__init__({**asked, "bytes": 64})
        own = set(asked["own"])
        # A node's own rails do not meet over the fabric.
        self.flows = [flow for flow in self.flows if flow[2] not in own]
        self.sizes: dict[str, int] = dict.fromkeys(asked["others"], 1000)
        self.when: dict[int, tuple[float, str, str]] = {}

    def send(self) -> None:
        """The next datagram of the next flow; one that the kernel refuses to send is lost."""
        flow, own, other = self.flows[self.sent % len(self.flows)]
        self.open[self.sent] = other
        self.when[self.sent] = (time.time(), own, other)
        filler = b"\0" * (self.sizes[other] - _HEADERS - _NUMBER.size)
        with suppress(OSError):
            flow.sendto(_NUMBER.pack(self.sent) + filler, (other, PORT))
        self.sent += 1

    def take(self, wait_s: float) -> bool:
        """As it was; an answer that cannot be sent is an open number of somebody else."""
        try:
            return super().take(wait_s)
        except OSError:
            return False


def main() -> None:
    """Send until told to stop, then answer until the input ends."""
    with Path("/dev/stdin").open("rb", buffering=0) as told:
        probe = Sized(json.loads(told.readline()))
        print("ready", flush=True)
        told.readline()
        probe.poll.register(told)
        due = time.monotonic()
        while True:
            now = time.monotonic()
            if now >= due:
                probe.send()
                due = max(due + probe.gap_s, now - 0.1)
            if probe.take(due - time.monotonic()):
                said = json.loads(told.readline())
                if "stop" in said:
                    break
                probe.sizes.update(said["sizes"])
                print("sized", flush=True)
        probe.poll.unregister(told)
        end = time.monotonic() + _LATE_S
        while time.monotonic() < end:
            probe.take(0.05)
        print(json.dumps([probe.sent, list(probe.when.values()), sorted(probe.open)]), flush=True)
        probe.poll.register(told)
        while not probe.take(1):
            pass


if __name__ == "__main__":
    main()
