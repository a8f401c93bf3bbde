"""Queues, pauses and watchdog of NX-OS ports, from the text of two shows.

Forms of `show queuing interface` (Nexus 9000): a block of each port's egress, then of its ingress.
A row of a QoS group names what it counts, then the counts of unicast and multicast, some with one
between; older line cards put two names into one row. The names are those of the table that the
Nexus 9000 Series NX-OS Command Reference (Show Commands), `show queuing`, gives the same numbers
in: a kind (`Tx`, `ECN`, `Dropped`, `WRED/AFD & Tail Drop`) and its unit (`Pkts`, `Byts`). Published
captures: zartbot's of a 9300 with RoCE, and a test of a collector for Cisco's systems (otelcol
contributions), which also has `show queuing pfc-queue detail`: how often a watchdog shut a group.
Packets that were dropped as they came in are counted by port alone, by what dropped them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from inventory.reading.fields import Unreadable

_PORT = re.compile(r"(Egress|Ingress) Queuing for (Ethernet[0-9/]+)(?: .*)?")
_GROUP = re.compile(r"\|\s*QOS GROUP (\S+)\s*\|")
_COUNT = re.compile(r"[0-9]{1,20}")
_CELL = re.compile(r"[A-Za-z/& ]+ (?:Pkts|Byts)")
# Some line cards tell drops by priority beside those of a full buffer.
_INGRESS = re.compile(r"((?:Hi|Low) Priority|Ingress (?:MMU|Overflow)) Drop Pkts\s+([0-9]{1,20})")
_PAUSE = re.compile(
    r"([0-7])\s+\S+\s+(?:\S+\s+)?(?:Ina|A)ctive\s+([0-9]{1,20})\s+(?:Ina|A)ctive\s+([0-9]{1,20})"
)
_WATCHED = re.compile(r"(Ethernet[0-9/]+) Interface PFC watchdog: \[(\w+)\]")
_WATCHED_GROUP = re.compile(r"\|\s*QOS GROUP ([0-7]) .*")
_SHUT = re.compile(r"\|\s*Shutdown\|\s*([0-9]{1,20})\|")
_DROPS, _MARKS = ("Drop Pkts", "Dropped Pkts"), "ECN Pkts"
_EVERY = range(8)


@dataclass(slots=True)
class Queues:
    """One port: drops and marks by QoS group, pauses by priority, drops as packets came in."""

    drops: dict[int, int] = field(default_factory=dict)
    marks: dict[int, int] = field(default_factory=dict)
    ingress_drops: int | None = None
    rx_pause: dict[int, int] = field(default_factory=dict)
    tx_pause: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Block:
    """What was read of a port: `rows` are those of its QoS groups, by group and name."""

    halves: set[str] = field(default_factory=set)
    rows: dict[str, dict[str, int]] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    pauses: dict[int, tuple[int, int]] = field(default_factory=dict)


def queues(text: str) -> dict[str, Queues]:
    """Every port of `show queuing interface`. Raises Unreadable."""
    found: dict[str, _Block] = {}
    block, group = _Block(), ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if head := _PORT.fullmatch(line):
            block, group = found.setdefault(head[2], _Block()), ""
            if head[1] in block.halves:
                raise Unreadable(f"NX-OS tells the {head[1].lower()} of {head[2]} twice")
            block.halves.add(head[1])
        elif titled := _GROUP.fullmatch(line):
            group = titled[1]
            block.rows.setdefault(group, {})
        elif line.startswith("|"):
            _keep(block, group, line)
        elif refused := _INGRESS.fullmatch(line):
            # Of the port first; what may follow is of the slice of the chip, shared with others.
            block.refused.setdefault(refused[1], int(refused[2]))
        elif row := _PAUSE.fullmatch(line):
            block.pauses[int(row[1])] = int(row[2]), int(row[3])
    if not found:
        raise Unreadable("NX-OS tells the queues of no port")
    return {port: _port(port, one) for port, one in found.items()}


def _keep(block: _Block, group: str, line: str) -> None:
    for name, count in _named(line):
        mine = block.rows.get(group)
        if mine is None or name in mine:
            raise Unreadable(f"NX-OS tells `{name}` of no QoS group, or twice of one")
        mine[name] = count


def _named(line: str) -> Iterator[tuple[str, int]]:
    """Each name of a row, with the sum of its numbers: unicast, multicast and any between."""
    name, values = "", list[int]()
    for cell in [*map(str.strip, line.strip("|").split("|")), "end Pkts"]:
        if _COUNT.fullmatch(cell):
            values.append(int(cell))
        elif _CELL.fullmatch(cell):
            if name and values:
                yield name, sum(values)
            name, values = cell, []
        elif name:
            raise Unreadable(f"NX-OS tells no number of `{name}`: {cell!r}")


def _port(name: str, block: _Block) -> Queues:
    """A port that is told whole: each group's drops, all priorities, what came in and was lost."""
    made = Queues()
    for group, rows in block.rows.items():
        if not group.isdigit():
            continue
        dropped = [count for row, count in rows.items() if row.endswith(_DROPS)]
        if not dropped:
            raise Unreadable(f"NX-OS tells no drops of QoS group {group} of {name}")
        made.drops[int(group)] = sum(dropped)
        if _MARKS in rows:
            made.marks[int(group)] = rows[_MARKS]
    buffers = [one for one in block.refused if one.startswith("Ingress ")]
    if block.halves != {"Egress", "Ingress"} or not buffers:
        raise Unreadable(f"NX-OS tells one half alone of the queues of {name}")
    if made.marks and set(made.marks) != set(made.drops):
        raise Unreadable(f"NX-OS tells the marks of some QoS groups of {name} alone")
    if block.pauses and set(block.pauses) != set(_EVERY):
        raise Unreadable(f"NX-OS tells the pauses of some priorities of {name} alone")
    made.ingress_drops = sum(block.refused.values())
    made.tx_pause = {priority: both[0] for priority, both in block.pauses.items()}
    made.rx_pause = {priority: both[1] for priority, both in block.pauses.items()}
    return made


def storms(text: str) -> dict[str, dict[int, int]]:
    """Port -> QoS group -> how often its watchdog shut it; none of a port whose watchdog is off.

    Raises Unreadable.
    """
    found: dict[str, dict[int, int]] = {}
    port, group = "", -1
    for line in filter(None, map(str.strip, text.splitlines())):
        if head := _WATCHED.fullmatch(line):
            port, group = _ended(head[1], group), -1
            if head[2] == "Enabled":
                found[port] = {}
        elif titled := _WATCHED_GROUP.fullmatch(line):
            group = int(_ended(titled[1], group))
        elif shut := _SHUT.fullmatch(line):
            if group < 0 or group in found.get(port, {group: 0}):
                raise Unreadable("NX-OS tells a watchdog of no QoS group, or twice of one")
            found[port][group] = int(shut[1])
            group = -1
    _ended("", group)
    return found


def _ended(then: str, group: int) -> str:
    if group >= 0:
        raise Unreadable(f"NX-OS does not tell how often QoS group {group} was shut")
    return then
