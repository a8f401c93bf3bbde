"""The text of perftest's latency tools (ib_write_lat and its kin), in microseconds.

A figure of write and send is half of a round trip, of read and atomic a whole one (perftest,
src/perftest_parameters.c, print_report_lat). With -D only an average is printed, and no
percentile: that is no answer here. With -e the tool sleeps between messages, which is another
measurement: `events` says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real

from .perftest_text import ITERATIONS, SIZE_BYTES, Settings, one_each, page

_TITLE = re.compile(r"^\s*(\w+) Latency Test\s*$")
_COLUMNS = ("t_min", "t_max", "t_typical", "t_avg", "t_stdev", "99% percentile", "99.9% percentile")
_HEAD = re.compile(
    r"^\s*#bytes\s+#iterations\s+"
    + r"\s+".join(re.escape(one).replace(r"\ ", " ") + r"\[(\S+)\]" for one in _COLUMNS)
    + r"(?:\s+CPU_Util\[%+\])?\s*$"
)
_ROW = re.compile(r"^\s*(\d+)\s+(\d+)" + r"\s+(\d+\.\d+)" * len(_COLUMNS) + r"(?:\s+\d+\.\d+)?\s*$")
_AVERAGES = re.compile(r"^\s*#bytes\s+#iterations\s+t_avg\[\S+\]\s+tps average", re.MULTILINE)
_EVENTS = re.compile(r"^\s*Test with events\.", re.MULTILINE)
_PRINTED_US = 0.01
_TIME_US = Real("time", "us", 0, 1e10)


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One size; times in microseconds."""

    size_bytes: int
    iterations: int
    median_us: float
    p99_us: float


@dataclass(frozen=True, slots=True)
class Latency:
    """A whole result: what ran, over what, and its rows, smallest size first."""

    test: str
    events: bool
    settings: Settings
    rows: tuple[LatencyRow, ...]

    def row(self, size_bytes: int) -> LatencyRow:
        """The row of a size that was asked for; Unreadable where it is missing."""
        for row in self.rows:
            if row.size_bytes == size_bytes:
                return row
        raise Unreadable(f"perftest printed no row for {size_bytes} bytes")


def latency(text: str) -> Latency:
    """One run of one side, from its title to the rule that closes its table.

    Raises Unreadable for errors, output cut short, two runs in one text, and runs by time.
    """
    if _AVERAGES.search(text):
        raise Unreadable("perftest printed averages alone: it ran with -D")
    found = page(text, _TITLE, _HEAD, _ROW)
    units = {found.head[number] for number in range(1, len(_COLUMNS) + 1)}
    if units != {"usec"}:
        raise Unreadable(f"perftest counts in {', '.join(sorted(units))}, not in usec")
    rows = tuple(_row(line) for line in found.rows)
    one_each([row.size_bytes for row in rows])
    return Latency(found.title[1], bool(_EVENTS.search(text)), found.settings, rows)


def _row(line: str) -> LatencyRow:
    """A row whose figures stand in their order."""
    match = _ROW.match(line)
    assert match  # noqa: S101 # `page` kept only such lines
    size, iterations = SIZE_BYTES.read(match[1]), ITERATIONS.read(match[2])
    least, most, median, average, _, p99, p999 = (
        _TIME_US.read(match[number]) for number in range(3, 3 + len(_COLUMNS))
    )
    rising = [least, median, p99, p999, most]
    if any(one > other + _PRINTED_US for one, other in pairwise(rising)):
        raise Unreadable(f"perftest's times at {size} bytes are not in their order")
    if not least - _PRINTED_US <= average <= most + _PRINTED_US:
        raise Unreadable(f"perftest's average at {size} bytes lies outside its times")
    return LatencyRow(size, iterations, median, p99)
