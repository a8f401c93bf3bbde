"""Writes down each packet that a switch's data ports take: time, port, DSCP, kind.

Run inside a switch's network by any Python: `witness.py FILE`. It ends with its input, and
prints how many packets the kernel could not keep for it (packet(7), PACKET_STATISTICS). The time is
the kernel's (socket(7), SO_TIMESTAMPNS).
"""

from __future__ import annotations

import select
import socket
import struct
import sys
from pathlib import Path

ETH_P_IP, SOL_PACKET, PACKET_STATISTICS, OUTGOING = 0x0800, 263, 6, 4
SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33
UDP = 17
KINDS = {(4791, 0x0A): "data", (4791, 0x81): "cnp", (47911, 0): "rest"}


def line(taken: socket.socket) -> str:
    """What one packet is; empty for one that is none of ours."""
    data, more, _, (port, _, way, *_) = taken.recvmsg(64, 256)
    if way == OUTGOING or not port.startswith("swp") or data[9] != UDP:
        return ""
    at = (data[0] & 15) * 4
    kind = KINDS.get((int.from_bytes(data[at + 2 : at + 4]), data[at + 8]))
    if kind is None:
        return ""
    [(seconds, nanoseconds)] = [struct.unpack("ll", one) for _, _, one in more]
    return f"{seconds * 10**9 + nanoseconds} {port} {data[1] >> 2} {kind}\n"


def main() -> None:
    taken = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
    taken.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64_000_000)
    taken.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    print("ready", flush=True)
    with Path(sys.argv[1]).open("w") as out:
        while True:
            ready, _, _ = select.select([taken, sys.stdin], [], [])
            if taken in ready:
                out.write(line(taken))
            elif ready:
                break
    _, drops = struct.unpack("II", taken.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    print(drops, flush=True)


if __name__ == "__main__":
    main()
