"""The text of perftest's bandwidth tools (ib_write_bw and its kin), read by its labels.

`MB/sec` (to 24.04) and `MiB/sec` (from 24.07) both count 2^20 bytes, `Gb/sec` 10^9 bits
(perftest, man page, --report_gbits). With -b the figure is the sum of both directions; with -D
no peak is measured, and 0.00 is printed. A server may print the last size alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real

from .perftest_text import ITERATIONS, SIZE_BYTES, Settings, one_each, page

_TITLE = re.compile(r"^\s*(\w+) (Bidirectional )?BW Test\s*$")
_HEAD = re.compile(
    r"^\s*#bytes\s+#iterations\s+BW peak\[(\S+)\]\s+BW average\[(\S+)\]\s+MsgRate\[Mpps\]"
    r"(?:\s+CPU_Util\[%+\])?\s*$"
)
_ROW = re.compile(r"^\s*(\d+)\s+(\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)(?:\s+\d+\.\d+)?\s*$")
_GBPS = {"Gb/sec": 1.0, "MB/sec": 8 * 2**20 / 1e9, "MiB/sec": 8 * 2**20 / 1e9}
_RATES = {
    "Gb/sec": Real("bandwidth", "Gb/s", 0, 1e5),
    "MB/sec": Real("bandwidth", "MiB/s", 0, 1e7),
    "MiB/sec": Real("bandwidth", "MiB/s", 0, 1e7),
}
_MESSAGES_M = Real("message rate", "million/s", 0, 1e5)
_SAME = 0.05
_PRINTED_MPPS = 1e-6  # the last digit of MsgRate
_PRINTED_BW = 0.01


@dataclass(frozen=True, slots=True)
class BandwidthRow:
    """One size. Its rate is in 10^9 bits per second, of all directions together."""

    size_bytes: int
    iterations: int
    average_gbps: float


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """A whole result: what ran, over what, and its rows, smallest size first."""

    test: str
    both_ways: bool
    settings: Settings
    unit: str
    rows: tuple[BandwidthRow, ...]

    @property
    def device(self) -> str:
        """The RDMA device."""
        return self.settings.device

    @property
    def link_type(self) -> str:
        """Ethernet or IB."""
        return self.settings.link_type

    @property
    def qps(self) -> int:
        """Queue pairs that ran together."""
        return self.settings.qps

    def row(self, size_bytes: int) -> BandwidthRow:
        """The row of a size that was asked for; Unreadable where it is missing."""
        for row in self.rows:
            if row.size_bytes == size_bytes:
                return row
        raise Unreadable(f"perftest printed no row for {size_bytes} bytes")


def bandwidth(text: str) -> Bandwidth:
    """One run of one side, from its title to the rule that closes its table.

    Raises Unreadable for errors, for output that is cut short, and for two runs in one text.
    """
    found = page(text, _TITLE, _HEAD, _ROW)
    unit = found.head[1]
    if unit not in _GBPS or found.head[2] != unit:
        raise Unreadable(f"perftest counts in {unit or 'no known unit'}")
    rows = tuple(_row(line, unit) for line in found.rows)
    one_each([row.size_bytes for row in rows])
    return Bandwidth(found.title[1], bool(found.title[2]), found.settings, unit, rows)


def _row(line: str, unit: str) -> BandwidthRow:
    """A row whose average is its messages times their size, and not above its peak."""
    match = _ROW.match(line)
    assert match  # noqa: S101 # `page` kept only such lines
    size, gbps = SIZE_BYTES.read(match[1]), _GBPS[unit]
    peak, rate = (_RATES[unit].read(match[number]) * gbps for number in (3, 4))
    counted = _MESSAGES_M.read(match[5]) * 1e6 * size * 8 / 1e9
    rounding = (_PRINTED_MPPS * 1e6 * size * 8 / 1e9) + _PRINTED_BW * gbps
    if abs(counted - rate) > _SAME * max(counted, rate) + rounding:
        raise Unreadable(f"perftest's rate at {size} bytes is not its message rate times the size")
    if peak and peak < rate * (1 - _SAME) - rounding:
        raise Unreadable(f"perftest's average at {size} bytes is above its peak")
    return BandwidthRow(size, ITERATIONS.read(match[2]), rate)
