"""Port counters of Cisco NX-OS: bytes, from the JSON of `show interface counters`, and queues.

`TABLE_rx_counters` and `TABLE_tx_counters` have two rows of each port, of which one has
`eth_inbytes` (`eth_outbytes`); a table of one row is no list (`cli.clid` on the switch and NX-API:
Nexus 9000 Programmability Guide, Python API and NX-API CLI). Queues, pauses and watchdog are read
by `queuing.py`; pauses without a priority have no form that could be sourced: they stay None. The
clock is that of `clock.py`, in whole seconds.

How often NX-OS refreshes these counters is not published. So they are read several times, and a
port counts only where both counters changed twice: the second change was fetched after the first
reading. Sessions and LLDP make every used port count something every few seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence, text_of
from inventory.reading.numbers import count as counter
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.carried import Carried
from switch_configs.answers.port_counters import PortCounters, Ports
from switch_configs.answers.said import count

from .clock import up_s
from .queuing import queues as _queues
from .queuing import storms as _storms

READS = tuple(f"read:{number}" for number in range(5))
_FRESH = 2  # changes
_BYTES = counter("bytes of a port", "byte")


def carried(found: Mapping[str, Section]) -> Carried:
    """The bytes of every port that was seen refreshed, by the last reading."""
    reads = [_both(section(found, name)) for name in READS]
    last = reads[-1]
    if any(set(one) != set(last) for one in reads):
        raise Unreadable("the readings are not of the same ports")
    fresh = {port: last[port] for port in last if _is_fresh([one[port] for one in reads])}
    return Carried(up_s(section(found, "until")), fresh)


def ports(found: Mapping[str, Section]) -> Ports:
    """Every port by one reading; its bytes, fresh or not, are for reports and judged by no rule."""
    told = _both(section(found, READS[0]))
    queues, storms = _queues(section(found, "queues")), _storms(section(found, "watchdog"))
    made: dict[str, PortCounters] = {}
    for port, both in told.items():
        one = queues.get(port)
        made[port] = PortCounters(
            port,
            *both,
            ecn_marked=sum(one.marks.values()) if one and one.marks else None,
            rx_pause=one.rx_pause if one and one.rx_pause else None,
            tx_pause=one.tx_pause if one and one.tx_pause else None,
            queue_drops=one.drops if one and one.drops else None,
            ingress_drops=one.ingress_drops if one else None,
            storms=storms.get(port),
        )
    return made


def _is_fresh(seen: Sequence[tuple[int, int]]) -> bool:
    pairs = list(pairwise(seen))
    return all(
        sum(before[way] != after[way] for before, after in pairs) >= _FRESH for way in (0, 1)
    )


def _both(text: str) -> dict[str, tuple[int, int]]:
    told = mapping(document(text, "NX-OS"), "show interface counters")
    received, sent = _rows(told, "rx", "eth_inbytes"), _rows(told, "tx", "eth_outbytes")
    if set(received) != set(sent):
        raise Unreadable("NX-OS tells one way alone of some ports")
    return {port: (received[port], sent[port]) for port in sorted(received)}


def _rows(told: dict[str, object], way: str, name: str) -> dict[str, int]:
    table = mapping(needed(told, f"TABLE_{way}_counters", "NX-OS"), way)
    rows = needed(table, f"ROW_{way}_counters", way)
    found: dict[str, int] = {}
    for entry in [rows] if isinstance(rows, dict) else sequence(rows, way):
        row = mapping(entry, way)
        port = text_of(row, f"interface_{way}", way)
        if name not in row:
            continue
        if port in found:
            raise Unreadable(f"NX-OS tells {name} of {port} twice")
        found[port] = count(row, name, port, _BYTES)
    return found
