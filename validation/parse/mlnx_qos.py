"""Output of `mlnx_qos -i PORT` (github.com/Mellanox/mlnx-tools, python/mlnx_qos).

The order of its parts is fixed; warnings may stand before it. Newer releases print `default
priority:` and `total_size=`, older ones `max_buffer_size=`. Traffic classes without a priority are
left out unless `-a` was given, so a class that is missing has none.
"""

from __future__ import annotations

import re

from .fields import Unreadable
from .port_qos import PRIORITIES, PortQos, dscp_table, whole_bandwidth

_DSCPS = re.compile(r"^\s+prio:(\d) dscp:((?:\d\d,)+)\s*$", re.MULTILINE)
_CLASS = re.compile(
    r"^tc: (\d) ratelimit: ([\w. ]+), tsa: (strict|ets|vendor|unknown)(?:, bw: (\d+)%)?\s*$"
)
_PRIORITY = re.compile(r"^\s+priority:\s+(\d)\s*$")
_UNKNOWN_BUFFERS = "Buffers commands are not supported on your system"
_TOOL = "mlnx_qos"


def port_qos(text: str) -> PortQos:
    """What the port does; Unreadable where a part of the output is missing or contradicts."""
    trust = _after(text, "Priority trust state: ")
    table = dscp_table(_pairs(text), _TOOL)
    if (trust == "dscp") != bool(table and "dscp2prio mapping:" in text) or trust not in (
        "dscp",
        "pcp",
        "none",
    ):
        raise Unreadable(f"{_TOOL}: trust state {trust} with {len(table)} DSCPs mapped")
    prio_tc, tsa, percent = _classes(text)
    sizes = re.search(r"^Receive buffer size \(bytes\): ((?:\d+,){8})", text, re.MULTILINE)
    has_buffers = sizes is not None
    if has_buffers == (_UNKNOWN_BUFFERS in text):
        raise Unreadable(f"{_TOOL} says nothing of buffers")
    return PortQos(
        trust,
        table,
        tuple(bool(one) for one in _row(text, "enabled")),
        prio_tc,
        tsa,
        percent,
        {"OS controlled": True, "Firmware controlled": False}[_mode(text)],
        tuple(map(int, sizes[1].split(",")[:PRIORITIES])) if sizes else None,
        _row(text, "buffer") if has_buffers else None,
        int(_after(text, "Cable len: ")),
    )


def _mode(text: str) -> str:
    mode = _after(text, "DCBX mode: ")
    if mode not in ("OS controlled", "Firmware controlled"):
        raise Unreadable(f"{_TOOL}: DCBX mode {mode}")
    return mode


def _after(text: str, label: str) -> str:
    found = re.findall(rf"^{re.escape(label)}(.*\S)\s*$", text, re.MULTILINE)
    if len(found) != 1 or (label == "Cable len: " and not found[0].isdigit()):
        raise Unreadable(f"{_TOOL} printed no line `{label.strip()}`")
    return str(found[0])


def _pairs(text: str) -> list[tuple[int, int]]:
    rows = _DSCPS.findall(text)
    return [(int(dscp), int(prio)) for prio, row in rows for dscp in row.split(",") if dscp]


def _row(text: str, label: str) -> tuple[int, ...]:
    """A row of eight numbers below the heading of the PFC table."""
    heading = r"^PFC configuration:\n\s+priority +0   1   2   3   4   5   6   7\s*$"
    found = re.findall(rf"^\s+{label}((?: +\d){{8}})\s*$", text, re.MULTILINE)
    if len(found) != 1 or not re.search(heading, text, re.MULTILINE):
        raise Unreadable(f"{_TOOL} printed no row `{label}` of the PFC table")
    return tuple(map(int, found[0].split()))


def _classes(text: str) -> tuple[tuple[int, ...], tuple[str, ...], tuple[int, ...]]:
    """The class of each priority, and how each class is served."""
    tsa, percent, of = ["strict"] * PRIORITIES, [0] * PRIORITIES, dict[int, int]()
    current, seen = -1, set[int]()
    for line in text.split("\n"):
        if found := _CLASS.match(line):
            current = int(found[1])
            if current in seen or current >= PRIORITIES or (found[3] == "ets") != bool(found[4]):
                raise Unreadable(f"{_TOOL}: `{line.strip()}` cannot be")
            seen.add(current)
            tsa[current], percent[current] = found[3], int(found[4] or 0)
        elif found := _PRIORITY.match(line):
            if current < 0 or int(found[1]) in of:
                raise Unreadable(f"{_TOOL}: priority {found[1]} is in no class, or in two")
            of[int(found[1])] = current
    if sorted(of) != list(range(PRIORITIES)):
        raise Unreadable(f"{_TOOL} names the class of {len(of)} priorities, not of {PRIORITIES}")
    whole_bandwidth(tuple(tsa), tuple(percent), _TOOL)
    return tuple(of[number] for number in range(PRIORITIES)), tuple(tsa), tuple(percent)
