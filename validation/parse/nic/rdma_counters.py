"""The counters of an RDMA port in sysfs, one `FOLDER/NAME VALUE` a line.

Source of the names: Documentation/ABI/stable/sysfs-class-infiniband of the kernel; what the
hardware adds is under `hw_counters` (mlx5: the driver's counters.c). `lifespan` is a setting, in
milliseconds: values are as old as that at most.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import count

_COUNT = count("RDMA counter")
_LINE = re.compile(r"(counters|hw_counters)/([A-Za-z0-9_]+) (\d+)")
# What a 1:1 load at line rate must not raise: each is a packet that was lost or came too late.
LOSSES = ("out_of_sequence", "packet_seq_err", "local_ack_timeout_err")


@dataclass(frozen=True, slots=True)
class RdmaCounters:
    """One port's counters. None: this hardware has none of that name.

    `losses` holds those of LOSSES that there are. NP is the notification point, the receiver
    that sends CNPs; RP the reaction point, the sender that slows down (DCQCN).
    """

    np_cnp_sent: int | None
    np_ecn_marked: int | None
    rp_cnp_handled: int | None
    losses: Mapping[str, int]


def counters(text: str) -> Mapping[str, int]:
    """Every counter by `FOLDER/NAME`. Unreadable for another line, or one told twice."""
    found: dict[str, int] = {}
    if not text.endswith("\n"):
        raise Unreadable("the RDMA counters were cut short")
    for line in text.splitlines():
        one = _LINE.fullmatch(line.strip())
        if one is None or f"{one[1]}/{one[2]}" in found:
            raise Unreadable(f"{line.strip()[:80]!r} is no RDMA counter, or there twice")
        found[f"{one[1]}/{one[2]}"] = _COUNT.read(one[3])
    if not found:
        raise Unreadable("the RDMA port counts nothing")
    return found


def rdma_counters(found: Mapping[str, int]) -> RdmaCounters:
    """What matters to a load. Unreadable where one of LOSSES is lost: a device has all or none."""
    hardware = {
        name.removeprefix("hw_counters/"): value
        for name, value in found.items()
        if name.startswith("hw_counters/")
    }
    lost = [name for name in LOSSES if name not in hardware]
    if lost and len(lost) < len(LOSSES):
        raise Unreadable(f"the RDMA port counts no {lost[0]}, and its like")
    return RdmaCounters(
        np_cnp_sent=hardware.get("np_cnp_sent"),
        np_ecn_marked=hardware.get("np_ecn_marked_roce_packets"),
        rp_cnp_handled=hardware.get("rp_cnp_handled"),
        losses={name: hardware[name] for name in LOSSES if name in hardware},
    )
