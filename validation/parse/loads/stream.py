"""STREAM (www.cs.virginia.edu/stream), 5.9 and 5.10: the best rate of each kernel, in MB/s of 10^6.

A rate is bytes over the shortest time: Copy and Scale move two arrays, Add and Triad three.
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole

_ARRAYS = {"Copy": 2, "Scale": 2, "Add": 3, "Triad": 3}
_ELEMENT = re.compile(
    r"^This system uses (\d+) bytes per (?:array element|DOUBLE PRECISION word)\."
)
_SIZE = re.compile(r"^Array size = (\d+)(?: \(elements\))?,")
_HEAD = re.compile(r"^Function\s+(?:Best Rate MB/s|Rate \(MB/s\))\s+Avg time\s+Min time\s+Max time")
_ROW = re.compile(
    r"^(Copy|Scale|Add|Triad):\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s+(\d+\.\d+)\s*$"
)
_GOOD = re.compile(r"^Solution Validates(?:: avg error less than \S+ on all three arrays)?\s*$")
_ELEMENT_BYTES = Whole("element", "B", 1, 64)
_ELEMENTS = Whole("array size", "elements", 1, 10**14)
_RATE = Real("rate", "MB/s", 0, 1e9)
_TIME_S = Real("shortest time", "s", 0, 1e7)
_SAME = 0.02
_PRINTED_S = 1e-6  # the last digit of its times


def triad(text: str) -> float:
    """The best rate of Triad in MB/s, of one validated run.

    Raises Unreadable for a cut, repeated or wrong one, and where any kernel's rate is not whole.
    """
    lines = text.splitlines()
    if "Failed Validation" in text:
        raise Unreadable("STREAM computed wrong values")
    if sum(bool(_GOOD.match(line)) for line in lines) != 1:
        raise Unreadable("STREAM does not say that its solution validates")
    size = _ELEMENT_BYTES.read(_one(_ELEMENT, lines)) * _ELEMENTS.read(_one(_SIZE, lines))
    if sum(bool(_HEAD.match(line)) for line in lines) != 1:
        raise Unreadable("STREAM's table has no heading that counts in MB/s")
    rows = [row for line in lines if (row := _ROW.match(line))]
    if [match[1] for match in rows] != list(_ARRAYS):
        raise Unreadable(f"STREAM printed {len(rows)} of its four rates, or not in order")
    return [_rate(match, size) for match in rows][-1]


def _one(pattern: re.Pattern[str], lines: list[str]) -> str:
    found = [match[1] for line in lines if (match := pattern.match(line))]
    if len(found) != 1:
        raise Unreadable("STREAM does not say its array size once")
    return found[0]


def _rate(row: re.Match[str], size: int) -> float:
    rate, shortest = _RATE.read(row[2]), _TIME_S.read(row[4])
    moved = _ARRAYS[row[1]] * size / 1e6
    least, most = moved / (shortest + _PRINTED_S), moved / max(shortest - _PRINTED_S, _PRINTED_S)
    if not least * (1 - _SAME) <= rate <= most * (1 + _SAME):
        raise Unreadable(f"STREAM's rate of {row[1]} is not its bytes over its time")
    return rate
