"""PFC of the ports of Cisco NX-OS, from the table of `show interface priority-flow-control`.

Columns Port, Mode, `Oper(VL bmap)`, RxPPP, TxPPP, as recorded in paregupt/ucs_traffic_monitor,
telegraf/ucs_traffic_monitor.py (fabric interconnects run NX-OS); the command is that of the Cisco
Nexus 9000 QoS guide, Configuring Priority Flow Control. `On  (8)` pauses priority 3, both ways,
`Off` none; another form of the table is unreadable. The same show as JSON has no bitmap in any
recording. Nobody says whether the bitmap is decimal or hexadecimal, so one of two digits is not
told; a single digit is the same in both. What a port trusts and where its DSCPs end, NX-OS has in
policies and not as a state of ports.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole
from inventory.reading.sections import Section, needed, sections
from switch_configs.answers.lossless import PortLossless, Priorities, of_mask

LINES = {"pfc": "show interface priority-flow-control"}
_HEAD = re.compile(r"Port\s+Mode\s+Oper\(VL bmap\)\s+RxPPP\s+TxPPP")
_BITMAP = Whole("bitmap of priorities", "1", 0, 15, base=16)  # one digit of it
_HEADING = re.compile(r"(?:slot|module)\s+\d+", re.IGNORECASE)
_BESIDE = re.compile(rf"(?:[=-]+|{_HEADING.pattern})?", re.IGNORECASE)
_OPER = r"(On|Off)\s*(?:\(([0-9a-f]+)\))?"
_ROW = re.compile(rf"(\S+)\s+(?:Auto|On|Off)\s+{_OPER}\s+\d+\s+\d+", re.IGNORECASE)
# What to type for each thing that is found wrong. Cisco Nexus 9000 QoS guide, Configuring Priority
# Flow Control.
HINTS = {
    "pfc": "`show policy-map system type network-qos` must have `pause pfc-cos`, and "
    "`interface {port}` the line `priority-flow-control mode on`",
}


def ports(found: Mapping[str, Section]) -> dict[str, PortLossless]:
    """Every port of the table. Raises Unreadable for any line that it cannot have."""
    made: dict[str, PortLossless] = {}
    lines = [line.strip() for line in needed(found, "pfc").splitlines()]
    if not any(_HEAD.fullmatch(line) for line in lines):
        raise Unreadable("NX-OS printed no table of PFC")
    for above, line in pairwise(["", *lines]):
        if re.fullmatch("={2,12}", line) and not _HEADING.fullmatch(above):
            raise Unreadable("NX-OS underlined a heading that is not there")
        if _BESIDE.fullmatch(line) or _HEAD.fullmatch(line):
            continue
        match = _ROW.fullmatch(line)
        if match is None:
            raise Unreadable(f"NX-OS printed a line that is no row of PFC: {line[:80]}")
        if match[1] in made:
            raise Unreadable(f"NX-OS tells PFC of {match[1]} twice")
        paused = _paused(match[2].lower() == "on", match[3], match[1])
        made[match[1]] = PortLossless(match[1], paused, paused)
    return made


def told(texts: Sequence[str], names: Iterable[str]) -> dict[str, PortLossless | str]:
    """What each of these ports does, or why that is not known, by the answer to `LINES`."""
    table = ports(sections(texts[0]))
    return {name: table.get(name, f"NX-OS tells no PFC of {name}") for name in names}


def _paused(is_on: bool, bitmap: str | None, name: str) -> Priorities | None:
    if not is_on:
        return ()
    if bitmap is None or len(bitmap) != 1:
        return None
    return of_mask(_BITMAP.read(bitmap), name)
