"""The text of perftest's bandwidth tools (ib_write_bw and its kin), read by its labels.

Versions and vendors move lines and add some, so nothing is read by line number. `MB/sec`
(to 24.04) and `MiB/sec` (from 24.07) both count 2^20 bytes, `Gb/sec` 10^9 bits (perftest,
man page, --report_gbits). With -b the figure is the sum of both directions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fields import Unreadable

# What perftest says when a run came to nothing; its exit status is not kept by every launcher.
_ERRORS = re.compile(
    r"couldn't connect|completion with error|failed status|failed to|unable to|"
    r"couldn't |can't |error:|scnt=|segmentation fault|not supported",
    re.IGNORECASE,
)
_TITLE = re.compile(r"^\s*(\w+) (Bidirectional )?BW Test\s*$")
_HEAD = re.compile(
    r"^\s*#bytes\s+#iterations\s+BW peak\[(\S+)\]\s+BW average\[(\S+)\]\s+MsgRate\[Mpps\]\s*$"
)
_ROW = re.compile(r"^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s*$")
_RULE = re.compile(r"^\s*-{20,}\s*$")
_FIELD = re.compile(r"(\S[^:\t]*?)\s*:\s*(\S+)")
_GBPS = {"Gb/sec": 1.0, "MB/sec": 8 * 2**20 / 1e9, "MiB/sec": 8 * 2**20 / 1e9}
_SAME = 0.05
_PRINTED_MPPS = 1e-6  # the last digit of MsgRate
_PRINTED_BW = 0.01


@dataclass(frozen=True, slots=True)
class Row:
    """One size. `average_gbps` is in 10^9 bits per second, of all directions together."""

    size_bytes: int
    iterations: int
    average_gbps: float


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """A whole result: what ran, over what, and its rows, smallest size first."""

    test: str
    both_ways: bool
    device: str
    link_type: str
    qps: int
    rows: tuple[Row, ...]

    def row(self, size_bytes: int) -> Row:
        """The row of a size that was asked for; Unreadable where it is missing."""
        for one in self.rows:
            if one.size_bytes == size_bytes:
                return one
        raise Unreadable(f"perftest printed no row for {size_bytes} bytes")


def bandwidth(text: str) -> Bandwidth:
    """One run of one side, from its title to the rule that closes its table.

    Raises Unreadable for errors, for output that is cut short, and for two runs in one text.
    """
    lines = text.splitlines()
    if said := next((line.strip() for line in lines if _ERRORS.search(line)), ""):
        raise Unreadable(f"perftest: {said[:160]}")
    titles = [found for line in lines if (found := _TITLE.match(line))]
    heads = [number for number, line in enumerate(lines) if _HEAD.match(line)]
    if len(titles) != 1 or len(heads) != 1:
        raise Unreadable(f"perftest printed {len(titles)} titles and {len(heads)} tables, not one")
    fields = _fields(lines[: heads[0]])
    return Bandwidth(
        titles[0][1],
        bool(titles[0][2]),
        _said(fields, "Device"),
        _said(fields, "Link type"),
        _count(fields, "Number of qps"),
        _rows(lines[heads[0]], lines[heads[0] + 1 :]),
    )


def _fields(lines: list[str]) -> dict[str, str]:
    return {found[1]: found[2] for line in lines for found in _FIELD.finditer(line)}


def _said(fields: dict[str, str], label: str) -> str:
    if label not in fields:
        raise Unreadable(f"perftest did not say its {label!r}")
    return fields[label]


def _count(fields: dict[str, str], label: str) -> int:
    said = _said(fields, label)
    if not said.isdecimal():
        raise Unreadable(f"perftest's {label!r} is not a number")
    return int(said)


def _rows(head: str, lines: list[str]) -> tuple[Row, ...]:
    found = _HEAD.match(head)
    unit = found[1] if found else ""
    if found is None or unit not in _GBPS or found[2] != unit:
        raise Unreadable(f"perftest counts in {unit or 'no known unit'}")
    closed = next((number for number, line in enumerate(lines) if _RULE.match(line)), None)
    if closed is None:
        raise Unreadable("perftest's table has no end: it was cut short")
    rows = [_row(match, unit) for line in lines[:closed] if (match := _ROW.match(line))]
    sizes = [one.size_bytes for one in rows]
    if not rows or sizes != sorted(set(sizes)):
        raise Unreadable(f"perftest's table holds {len(rows)} rows, which are not one each size")
    if any(_ROW.match(line) for line in lines[closed:]):
        raise Unreadable("perftest printed rows after the end of its table")
    return tuple(rows)


def _row(match: re.Match[str], unit: str) -> Row:
    """A row whose rate is its messages times their size."""
    size, rate, messages = int(match[1]), float(match[4]) * _GBPS[unit], float(match[5])
    counted = messages * 1e6 * size * 8 / 1e9
    rounding = (_PRINTED_MPPS * 1e6 * size * 8 / 1e9) + _PRINTED_BW * _GBPS[unit]
    if abs(counted - rate) > _SAME * max(counted, rate) + rounding:
        raise Unreadable(f"perftest's rate at {size} bytes is not its message rate times the size")
    return Row(size, int(match[2]), rate)
