"""Port counters of a switch that is Linux: no PFC, no watchdog; drops and marks of its queues."""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.sections import Section, needed
from switch_configs.answers.carried import Carried, clock, lines
from switch_configs.answers.port_counters import PortCounters, Ports

from .link_counters import links, queues


def carried(found: Mapping[str, Section]) -> Carried:
    """The bytes of the ports that were asked for: a kernel's own counters are always fresh."""
    return Carried(clock(needed(found, "clock")), lines(needed(found, "bytes")))


def ports(found: Mapping[str, Section]) -> Ports:
    """Every port with its bytes; drops and marks where tc tells them."""
    kept = queues(needed(found, "queues"))
    made: dict[str, PortCounters] = {}
    for name, one in links(needed(found, "links")).items():
        queue = kept.get(name)
        made[name] = PortCounters(
            name,
            one.rx_bytes,
            one.tx_bytes,
            drops=one.rx_dropped + one.tx_dropped + (queue.drops if queue else 0),
            ecn_marked=queue.marked if queue else None,
        )
    return made
