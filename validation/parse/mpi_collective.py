"""What `on_node/mpi_collective.py` prints: a collective over MPI, with its results checked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .collective_rows import Printed, Rank, Row, Side, Table, check_ranks, check_rows
from .fields import Unreadable
from .launched import Line, failure, lines

_HEAD = re.compile(
    r"^railbed-collective 1 (\w+) ranks (\d+) iterations (\d+) sizes (\d+) type int32 "
    r"library (.+?)\s*$"
)
_RANK = re.compile(r"^rank (\d+) host (\S+) pid (\d+)$")
_ROW = re.compile(
    r"^row asked (\d+) size (\d+) us (\S+) (\S+) (\S+) (\S+) algbw (\S+) busbw (\S+) "
    r"wrong (\d+) sent (\d+)$"
)
_END = re.compile(r"^end (\d+)$")
_OURS = re.compile(r"^(railbed-collective|rank|row|end)\b")
_ELEMENT_BYTES = 4
_WIRE = 0.9  # of what must leave the hosts at least: the rest of a port's bytes is other traffic


def table(text: str, collective: str) -> Table:
    """One whole run of `collective`; its ports carried what it moved between hosts.

    Raises Unreadable for a run that failed, was cut short, or moved its data another way, and
    WrongResult where a result was wrong.
    """
    if said := failure(text):
        raise Unreadable(f"the run failed: {said}")
    mine = [one for one in lines(text) if _OURS.match(one.text)]
    if len(mine) < 4 or len({one.rank for one in mine}) != 1:
        raise Unreadable("it is not one run of one process that prints")
    head, end = _HEAD.match(mine[0].text), _END.match(mine[-1].text)
    if not head or not end or head[1] != collective or end[1] != head[4]:
        raise Unreadable(f"it is no whole run of {collective}")
    count, sizes = int(head[2]), int(head[4])
    if len(mine) != 2 + count + sizes:
        raise Unreadable(f"{count} ranks and {sizes} sizes are not all listed")
    ranks = _ranks(mine[1 : 1 + count])
    iterations = int(head[3])
    rows = tuple(_row(one.text, ranks, iterations) for one in mine[1 + count : -1])
    if len({one.asked_bytes for one in rows}) != len(rows):
        raise Unreadable("a size is there twice")
    check_rows(collective, count, rows)
    return Table(collective, ranks, rows, iterations, frozenset({"rails"}), (head[5],))


def _ranks(said: Sequence[Line]) -> tuple[Rank, ...]:
    found: list[Rank] = []
    for line in said:
        one = _RANK.match(line.text)
        if not one:
            raise Unreadable(f"this names no rank: {line.text[:80]}")
        found.append(Rank(int(one[1]), one[2], int(one[3]), int(one[3]), "CPU"))
    check_ranks(found)
    return tuple(found)


def _row(text: str, ranks: Sequence[Rank], iterations: int) -> Row:
    one = _ROW.match(text)
    if not one:
        raise Unreadable(f"this is no row: {text[:80]}")
    least, average, p99, most = (Printed.of(one[at], "a time").value for at in (3, 4, 5, 6))
    if not least <= average <= most:
        raise Unreadable("the average does not lie between the fastest and the slowest iteration")
    side = Side(
        Printed.of(one[4], "the average"),
        Printed.of(one[7], "algbw"),
        Printed.of(one[8], "busbw"),
        int(one[9]),
        least,
        most,
        p99,
    )
    size, hosts = int(one[2]), len({rank.host for rank in ranks})
    crossing = size * (hosts - 1) * iterations * _WIRE
    if int(one[10]) < crossing:
        raise Unreadable(f"the rails sent {one[10]} bytes, less than was moved: another network")
    return Row(int(one[1]), size, size // _ELEMENT_BYTES, "sum", side, None)
