"""Output of `mlnx_qos -a -i PORT` (github.com/Mellanox/mlnx-tools, python/mlnx_qos).

The order of its parts is fixed; warnings may stand before it. Newer releases print `default
priority:` and `total_size=`, older ones `max_buffer_size=`. Without `-a` it leaves out classes that
have no priority. Then nobody sees that the line of a class is lost, and its priorities count as of
the class before: whoever judges asks for all classes.
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole

from .port_qos import (
    BUFFER,
    BUFFER_SIZE,
    CLASS,
    DSCP,
    PRIORITIES,
    PRIORITY,
    SHARE,
    PortQos,
    dscp_table,
    whole_bandwidth,
)

_DSCPS = re.compile(r"\s+prio:(\d) dscp:((?:\d\d,)+)\s*")
_CLASS = re.compile(
    r"tc: (\d) ratelimit: (?:unlimited|\d+\.\d [GM]bps), tsa: (strict|ets|vendor|unknown)"
    r"(?:, bw: (\d+)%)?\s*"
)
_PRIORITY = re.compile(r"\s+priority:\s+(\d)\s*")
_ON = Whole("PFC of a priority", "1", 0, 1)
_CABLE = Whole("length of the cable", "m", 0, (1 << 16) - 1)
_UNKNOWN_BUFFERS = "Buffers commands are not supported on your system"
_TOOL = "mlnx_qos"


def line(port: str) -> str:
    """The command that prints a port for this reader."""
    return f"mlnx_qos -a -i {port}"


def port_qos(text: str, every_class: bool = True) -> PortQos:
    """What the port does; Unreadable where a part of the output is missing or contradicts.

    `every_class` as `-a` asks for it.
    """
    trust = _after(text, "Priority trust state: ")
    table = dscp_table(_pairs(text), _TOOL)
    if (trust == "dscp") != bool(table and "dscp2prio mapping:" in text) or trust not in (
        "dscp",
        "pcp",
        "none",
    ):
        raise Unreadable(f"{_TOOL}: trust state {trust} with {len(table)} DSCPs mapped")
    prio_tc, tsa, percent = _classes(text, every_class)
    sizes = re.search(
        r"^Receive buffer size \(bytes\): ((?:\d+,){8})(?:(?:total|max_buffer)_size=\d+)?\s*$",
        text,
        re.MULTILINE,
    )
    has_buffers = sizes is not None
    if has_buffers == (_UNKNOWN_BUFFERS in text):
        raise Unreadable(f"{_TOOL} says nothing of buffers")
    return PortQos(
        trust,
        table,
        tuple(bool(one) for one in _row(text, "enabled", _ON)),
        prio_tc,
        tsa,
        percent,
        {"OS controlled": True, "Firmware controlled": False}[_mode(text)],
        tuple(map(BUFFER_SIZE.read, sizes[1].split(",")[:PRIORITIES])) if sizes else None,
        _row(text, "buffer", BUFFER) if has_buffers else None,
        _CABLE.read(_after(text, "Cable len: ")),
    )


def _mode(text: str) -> str:
    mode = _after(text, "DCBX mode: ")
    if mode not in ("OS controlled", "Firmware controlled"):
        raise Unreadable(f"{_TOOL}: DCBX mode {mode}")
    return mode


def _after(text: str, label: str) -> str:
    found = re.findall(rf"^{re.escape(label)}(.*\S)\s*$", text, re.MULTILINE)
    if len(found) != 1:
        raise Unreadable(f"{_TOOL} printed no line `{label.strip()}`")
    return str(found[0])


def _pairs(text: str) -> list[tuple[int, int]]:
    made = []
    for row in _rows_of(text, "prio:", _DSCPS):
        priority = PRIORITY.read(row[1])
        made += [(DSCP.read(one), priority) for one in row[2].rstrip(",").split(",")]
    return made


def _rows_of(text: str, begin: str, form: re.Pattern[str]) -> list[re.Match[str]]:
    """The lines that begin so, each of its form: one that was cut is not passed over."""
    made = []
    for row in text.split("\n"):
        if row.lstrip().startswith(begin):
            match = form.fullmatch(row)
            if match is None:
                raise Unreadable(f"{_TOOL}: `{row.strip()}` cannot be")
            made.append(match)
    return made


def _row(text: str, label: str, kind: Whole) -> tuple[int, ...]:
    """A row of eight numbers below the heading of the PFC table."""
    heading = r"^PFC configuration:\n\s+priority +0   1   2   3   4   5   6   7\s*$"
    found = re.findall(rf"^\s+{label}((?: +\d){{8}})\s*$", text, re.MULTILINE)
    if len(found) != 1 or not re.search(heading, text, re.MULTILINE):
        raise Unreadable(f"{_TOOL} printed no row `{label}` of the PFC table")
    return tuple(map(kind.read, found[0].split()))


def _classes(text: str, every: bool) -> tuple[tuple[int, ...], tuple[str, ...], tuple[int, ...]]:
    """The class of each priority, and how each class is served."""
    tsa, percent, of = ["strict"] * PRIORITIES, [0] * PRIORITIES, dict[int, int]()
    seen: list[int] = []
    _rows_of(text, "tc:", _CLASS)
    _rows_of(text, "priority:", _PRIORITY)
    for line in text.split("\n"):
        if found := _CLASS.fullmatch(line):
            current = CLASS.read(found[1])
            if current in seen or (found[2] == "ets") != bool(found[3]):
                raise Unreadable(f"{_TOOL}: `{line.strip()}` cannot be")
            seen.append(current)
            tsa[current], percent[current] = found[2], SHARE.read(found[3] or "0")
        elif found := _PRIORITY.fullmatch(line):
            priority = PRIORITY.read(found[1])
            if not seen or priority < max((one for one in of if of[one] == seen[-1]), default=0):
                raise Unreadable(f"{_TOOL}: priority {priority} is in no class, or out of order")
            if priority in of:
                raise Unreadable(f"{_TOOL}: priority {priority} is in two classes")
            of[priority] = seen[-1]
    if sorted(of) != list(range(PRIORITIES)):
        raise Unreadable(f"{_TOOL} names the class of {len(of)} priorities, not of {PRIORITIES}")
    if set(seen) != (set(range(PRIORITIES)) if every else set(of.values())):
        raise Unreadable(f"{_TOOL} tells of {len(seen)} traffic classes")
    whole_bandwidth(tuple(tsa), tuple(percent), _TOOL)
    return tuple(of[number] for number in range(PRIORITIES)), tuple(tsa), tuple(percent)
