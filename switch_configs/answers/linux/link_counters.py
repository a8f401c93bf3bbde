"""Linux port counters: `ip -s -j link show` and `tc -s -j qdisc show` (iproute2).

`stats64` is the kernel's rtnl_link_stats64. A queueing discipline counts `drops`; red(8) counts
`marked` besides. Disciplines under another one repeat its figures, so only roots are added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from inventory.reading.numbers import count

_BYTES = count("bytes of a port", "byte")
_PACKETS = count("packets of a port")


@dataclass(frozen=True, slots=True)
class LinkCounters:
    """Bytes and dropped packets of a port, each way, as its kernel counts them."""

    rx_bytes: int
    tx_bytes: int
    rx_dropped: int
    tx_dropped: int


@dataclass(frozen=True, slots=True)
class QueueCounters:
    """What left a port's queues otherwise than by its wire; None: no discipline there marks."""

    drops: int
    marked: int | None


def links(text: str) -> Mapping[str, LinkCounters]:
    """The counters of each port by name. Raises Unreadable."""
    found: dict[str, LinkCounters] = {}
    for entry in sequence(document(text, "ip"), "links"):
        one = mapping(entry, "link")
        name = text_of(one, "ifname", "link")
        if name in found:
            raise Unreadable(f"ip tells {name} twice")
        told = mapping(one.get("stats64"), f"{name}: stats64")
        rx, tx = (mapping(told.get(way), f"{name}: {way}") for way in ("rx", "tx"))
        found[name] = LinkCounters(
            _BYTES.of(rx, "bytes", name),
            _BYTES.of(tx, "bytes", name),
            _PACKETS.of(rx, "dropped", name),
            _PACKETS.of(tx, "dropped", name),
        )
    return found


def queues(text: str) -> Mapping[str, QueueCounters]:
    """What the queues of each port dropped and marked. Raises Unreadable."""
    drops: dict[str, int] = {}
    marked: dict[str, int] = {}
    for entry in sequence(document(text, "tc"), "qdiscs"):
        one = mapping(entry, "qdisc")
        port = text_of(one, "dev", "qdisc")
        if one.get("root"):
            drops[port] = drops.get(port, 0) + _PACKETS.of(one, "drops", port)
        if "marked" in one:
            marked[port] = marked.get(port, 0) + _PACKETS.of(one, "marked", port)
    return {port: QueueCounters(drops[port], marked.get(port)) for port in sorted(drops)}
