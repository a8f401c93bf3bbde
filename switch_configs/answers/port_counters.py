"""What a switch port has counted, in one form for every switch system, and deltas. Pure.

Counters run since a start that nobody knows, so only what was added between two snapshots says
anything. What a system does not tell is None, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.delta import difference
from inventory.reading.fields import Unreadable

PRIORITIES = 8
Counts = Mapping[int, int]  # priority, queue or priority group -> packets


@dataclass(frozen=True, slots=True)
class PortCounters:
    """One port. Bytes and packets, as its switch counts them.

    `rx_pause` and `tx_pause` are pause frames received and sent, by priority. `global_pause` are
    those without a priority (IEEE 802.3x), both ways. `queue_drops` are by egress queue,
    `group_drops` by ingress priority group, `ingress_drops` those of all groups together where a
    system tells no more, `drops` those of the whole port where it tells no more.
    `storms` says how often a watchdog found a queue stuck, of the queues that it watches.
    """

    port: str
    rx_bytes: int
    tx_bytes: int
    drops: int | None = None
    ecn_marked: int | None = None
    global_pause: int | None = None
    rx_pause: Counts | None = None
    tx_pause: Counts | None = None
    queue_drops: Counts | None = None
    group_drops: Counts | None = None
    ingress_drops: int | None = None
    storms: Counts | None = None


Ports = Mapping[str, PortCounters]


def delta(before: Ports, after: Ports, port: str) -> PortCounters:
    """What was counted between two snapshots.

    Unreadable where a snapshot lacks the port, or a counter went back (`delta.difference`).
    """
    for name, found in (("first", before), ("second", after)):
        if port not in found:
            raise Unreadable(f"the {name} snapshot has no counters of {port}")
    return difference(before[port], after[port], port)
