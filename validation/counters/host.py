"""The counters of a node's rail NICs: what to ask, and what came of it. Pure.

The kernel's bytes and drops of every NIC; where a NIC has RDMA, what its driver and its RDMA port
count besides.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.plan import Node
from inventory.reading.delta import difference
from inventory.reading.fields import Unreadable
from inventory.reading.sections import needed, sections, shell
from switch_configs.answers.linux.ethtool_stats import NicCounters, nic_counters, stats
from switch_configs.answers.linux.link_counters import LinkCounters, QueueCounters, links, queues
from validation.parse.nic.rdma_counters import RdmaCounters, counters, rdma_counters

_RDMA = (
    "cd /sys/class/infiniband/{}/ports/1 && for f in counters/* hw_counters/*; do "
    'v=$(cat "$f" 2>/dev/null) && echo "$f $v"; done'
)


@dataclass(frozen=True, slots=True)
class NicReading:
    """One NIC. `nic` and `rdma` are None for a NIC without RDMA."""

    link: LinkCounters
    queue: QueueCounters | None
    nic: NicCounters | None
    rdma: RdmaCounters | None


def ask(node: Node) -> str:
    """POSIX sh that prints the counters of all rail NICs of a node."""
    commands = {"links": "ip -s -j link show", "queues": "tc -s -j qdisc show"}
    for nic in node.rails:
        if nic.rdma_device:
            commands[f"nic:{nic.port}"] = f"ethtool -S {shlex.quote(nic.port)}"
            commands[f"rdma:{nic.port}"] = _RDMA.format(shlex.quote(nic.rdma_device))
    return shell(commands)


def read(node: Node, text: str) -> Mapping[str, NicReading]:
    """The counters of each rail NIC by its port. Raises Unreadable."""
    found = sections(text)
    kernel, kept = links(needed(found, "links")), queues(needed(found, "queues"))
    made: dict[str, NicReading] = {}
    for nic in node.rails:
        if nic.port not in kernel:
            raise Unreadable(f"the kernel counts nothing of {nic.port}")
        driver = rdma = None
        if nic.rdma_device:
            driver = nic_counters(stats(needed(found, f"nic:{nic.port}")))
            rdma = rdma_counters(counters(needed(found, f"rdma:{nic.port}")))
        made[nic.port] = NicReading(kernel[nic.port], kept.get(nic.port), driver, rdma)
    return made


def delta(
    before: Mapping[str, NicReading], after: Mapping[str, NicReading], port: str
) -> NicReading:
    """What a NIC counted between two snapshots of its node. Raises Unreadable."""
    one, other = before[port], after[port]
    return NicReading(
        difference(one.link, other.link, port),
        difference(one.queue, other.queue, port) if one.queue and other.queue else None,
        difference(one.nic, other.nic, port) if one.nic and other.nic else None,
        difference(one.rdma, other.rdma, port) if one.rdma and other.rdma else None,
    )
