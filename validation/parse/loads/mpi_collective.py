"""What `on_node/mpi_collective.py` prints: a collective over MPI, with its results checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole, count

from .collective_rows import (
    ELEMENTS,
    ITERATIONS,
    PID,
    RANK,
    RATE_GBS,
    SIZE_BYTES,
    TIME_US,
    CollectiveRow,
    Printed,
    Rank,
    Side,
    Table,
    check_ranks,
    check_rows,
)
from .launched import Line, failure, lines

_HEAD = re.compile(
    r"^railbed-collective 1 (\w+) ranks (\d+) iterations (\d+) sizes (\d+) type int32 "
    r"library .+?\s*$"
)
_RANK = re.compile(r"^rank (\d+) host (\S+) pid (\d+)$")
_ROW = re.compile(
    r"^row asked (\d+) size (\d+) us (\S+) (\S+) (\S+) (\S+) algbw (\S+) busbw (\S+) "
    r"wrong (\d+) sent (\d+)$"
)
_END = re.compile(r"^end (\d+)$")
_OURS = re.compile(r"^(railbed-collective|rank|row|end)\b")
_RANKS = Whole("ranks", "1", 1, 1 << 24)
_SIZES = Whole("sizes", "1", 1, 1000)
_SENT = count("bytes sent", "B")
_ELEMENT_BYTES = 4
_WIRE = 0.9  # of what must leave the hosts at least: the rest of a port's bytes is other traffic


def table(text: str, collective: str) -> Table:
    """One whole run of `collective`; its ports carried what it moved between hosts.

    Raises Unreadable for a run that failed, was cut short, or moved its data another way, and
    WrongResult where a result was wrong.
    """
    found = lines(text)
    if said := failure(found):
        raise Unreadable(f"the run failed: {said}")
    mine = [line for line in found if _OURS.match(line.text)]
    if len(mine) < 4 or len({line.rank for line in mine}) != 1:
        raise Unreadable("it is not one run of one process that prints")
    head, end = _HEAD.match(mine[0].text), _END.match(mine[-1].text)
    if not head or not end or head[1] != collective or end[1] != head[4]:
        raise Unreadable(f"it is no whole run of {collective}")
    number, sizes = _RANKS.read(head[2]), _SIZES.read(head[4])
    if len(mine) != 2 + number + sizes:
        raise Unreadable(f"{number} ranks and {sizes} sizes are not all listed")
    ranks = _ranks(mine[1 : 1 + number])
    iterations = ITERATIONS.read(head[3])
    rows = tuple(_row(line.text, ranks, iterations) for line in mine[1 + number : -1])
    if len({row.asked_bytes for row in rows}) != len(rows):
        raise Unreadable("a size is there twice")
    check_rows(collective, number, rows)
    return Table(collective, ranks, rows, iterations, frozenset({"rails"}))


def _ranks(said: Sequence[Line]) -> tuple[Rank, ...]:
    found: list[Rank] = []
    for line in said:
        one = _RANK.match(line.text)
        if not one:
            raise Unreadable(f"this names no rank: {line.text[:80]}")
        pid = PID.read(one[3])
        found.append(Rank(RANK.read(one[1]), one[2], pid, pid, "CPU"))
    check_ranks(found)
    return tuple(found)


def _row(text: str, ranks: Sequence[Rank], iterations: int) -> CollectiveRow:
    one = _ROW.match(text)
    if not one:
        raise Unreadable(f"this is no row: {text[:80]}")
    least, average, p99, most = (TIME_US.read(one[at]) for at in (3, 4, 5, 6))
    if not least <= average <= most:
        raise Unreadable("the average does not lie between the fastest and the slowest iteration")
    side = Side(
        Printed.of(one[4], TIME_US),
        Printed.of(one[7], RATE_GBS),
        Printed.of(one[8], RATE_GBS),
        ELEMENTS.read(one[9]),
        least,
        most,
        p99,
    )
    size, hosts = SIZE_BYTES.read(one[2]), len({rank.host for rank in ranks})
    crossing = size * (hosts - 1) * iterations * _WIRE
    if _SENT.read(one[10]) < crossing:
        raise Unreadable(f"the rails sent {one[10]} bytes, less than was moved: another network")
    return CollectiveRow(SIZE_BYTES.read(one[1]), size, size // _ELEMENT_BYTES, side, None)
