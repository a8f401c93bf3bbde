"""A collective benchmark's table, whoever printed it, and what must hold in every such table.

algbw is size over time; busbw is algbw times a factor of the collective and the ranks
(github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md; src/hypercube.cu). A table in which one of
them does not follow from the other was put together from two, or counts in another unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole, count

# What nccl-tests calls them in its programs' names, without `_perf`.
COLLECTIVES = (
    "all_gather",
    "all_reduce",
    "alltoall",
    "broadcast",
    "gather",
    "hypercube",
    "reduce",
    "reduce_scatter",
    "scatter",
    "sendrecv",
)
_SHARES = ("all_gather", "alltoall", "gather", "reduce_scatter", "scatter")
NO_CHECK_IN_PLACE = ("alltoall",)  # nccl-tests, src/alltoall.cu: it has no in-place form
_ALIGNED_BYTES = 32  # a rank's part is cut to whole 16 bytes, and so is its element
RANK = Whole("rank", "1", 0, 1 << 24)
PID = Whole("process", "1", 0, 1 << 31)
SIZE_BYTES = Whole("size", "B", 0, 1 << 50)
ELEMENTS = count("elements")
ITERATIONS = Whole("iterations", "1", 1, 10**9)
TIME_US = Real("time", "us", 0, 1e12)
RATE_GBS = Real("bandwidth", "GB/s", 0, 1e9)
_POWER = Whole("power of ten", "1", -99, 99)
_SLACK = 1e-4  # rounding that a program may do before it prints


class WrongResult(Unreadable):
    """The collective ran and its result is wrong: data was damaged, or a device computes wrong."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed; `digit` is the worth of its last digit."""

    value: float
    digit: float

    @classmethod
    def of(cls, word: str, kind: Real) -> Printed:
        """From its text. Raises Unreadable for what is none of its kind."""
        value = kind.read(word)
        mantissa, _, power = word.lower().partition("e")
        decimals = len(mantissa.partition(".")[2])
        return cls(value, 10.0 ** (_POWER.read(power or "0") - decimals))


@dataclass(frozen=True, slots=True)
class Side:
    """One measurement: times in us, rates in GB/s (10^9). The last three: of single iterations."""

    time_us: Printed
    algbw: Printed
    busbw: Printed
    wrong: int | None
    min_us: float | None = None
    max_us: float | None = None
    p99_us: float | None = None


@dataclass(frozen=True, slots=True)
class CollectiveRow:
    """One size. `asked_bytes` was asked for, `size_bytes` fits the ranks."""

    asked_bytes: int
    size_bytes: int
    count: int
    out_of_place: Side
    in_place: Side | None

    @property
    def busbw_gbs(self) -> float:
        """The slower of both ways, in GB/s."""
        sides = [side for side in (self.out_of_place, self.in_place) if side is not None]
        return min(side.busbw.value for side in sides)

    @property
    def time_us(self) -> float:
        """The slower of both ways."""
        sides = [side for side in (self.out_of_place, self.in_place) if side is not None]
        return max(side.time_us.value for side in sides)

    @property
    def p99_us(self) -> float | None:
        """The worse of both; None where single iterations were not timed."""
        sides = [side for side in (self.out_of_place, self.in_place) if side is not None]
        found = [side.p99_us for side in sides if side.p99_us is not None]
        return max(found) if len(found) == len(sides) else None


@dataclass(frozen=True, slots=True, order=True)
class Rank:
    """A process or device of the run; `device` is its local number."""

    rank: int
    host: str
    pid: int
    device: int
    model: str


@dataclass(frozen=True, slots=True)
class Table:
    """One whole run of one collective: who took part, what was measured, over what.

    `hcas` and `staged` are those of `nccl_network`, empty where the tool does not tell.
    """

    collective: str
    ranks: tuple[Rank, ...]
    rows: tuple[CollectiveRow, ...]
    iterations: int
    networks: frozenset[str]
    hcas: frozenset[tuple[str, str]] = frozenset()
    staged: frozenset[tuple[str, str]] = frozenset()

    def row(self, asked_bytes: int) -> CollectiveRow:
        """The row of a size that was asked for; Unreadable where there is none."""
        for row in self.rows:
            if row.asked_bytes == asked_bytes:
                return row
        raise Unreadable(f"no row for {asked_bytes} bytes")

    @property
    def hosts(self) -> tuple[str, ...]:
        """Who took part, sorted, each once."""
        return tuple(sorted({rank.host for rank in self.ranks}))


def factor(collective: str, ranks: int) -> float:
    """What makes busbw of algbw. Raises Unreadable for a collective that nobody knows."""
    if collective not in COLLECTIVES:
        raise Unreadable(f"{collective!r} is no collective that is known")
    if collective == "all_reduce":
        return 2 * (ranks - 1) / ranks
    if collective in _SHARES:
        return (ranks - 1) / ranks
    return 1.0


def check_ranks(ranks: Sequence[Rank]) -> None:
    """Every rank from 0 once, no device twice. Raises Unreadable."""
    if not ranks:
        raise Unreadable("it names no device that took part")
    numbers = [rank.rank for rank in ranks]
    if sorted(numbers) != list(range(len(ranks))):
        raise Unreadable(f"{len(ranks)} ranks are listed, which are not each once from 0")
    if len({(rank.host, rank.device) for rank in ranks}) != len(ranks):
        raise Unreadable("two ranks are listed on one device")


def check_rows(collective: str, ranks: int, rows: Iterable[CollectiveRow]) -> None:
    """Every number follows from the others, and every result is right. Raises Unreadable."""
    for row in rows:
        at = f"{row.size_bytes} bytes"
        lost = row.asked_bytes - row.size_bytes
        if not 0 <= lost <= _ALIGNED_BYTES * ranks:
            raise Unreadable(f"{row.asked_bytes} bytes were asked, the row says {at}")
        _check_side(collective, ranks, row.size_bytes, row.out_of_place, at)
        if row.in_place is not None:
            _check_side(collective, ranks, row.size_bytes, row.in_place, f"{at}, in place")


def _check_side(collective: str, ranks: int, size: int, side: Side, at: str) -> None:
    if side.wrong is None:
        raise Unreadable(f"{at}: the result was not checked")
    if side.wrong:
        raise WrongResult(f"{at}: {side.wrong} elements of the result are wrong")
    times = factor(collective, ranks)
    wanted = side.algbw.value * times
    room = side.busbw.digit + side.algbw.digit * times + _SLACK * wanted
    if abs(side.busbw.value - wanted) > room:
        said = f"busbw {side.busbw.value:g} is not algbw {side.algbw.value:g} x {times:.4g}"
        raise Unreadable(f"{at}: {said} of {collective} on {ranks} ranks")
    _check_time(collective, size, side, at)
    if side.p99_us is not None and not (side.min_us or 0) <= side.p99_us <= (side.max_us or 0):
        raise Unreadable(f"{at}: P99 does not lie between the fastest and the slowest iteration")


def _check_time(collective: str, size: int, side: Side, at: str) -> None:
    """Only hypercube counts other bytes than its size."""
    if not side.time_us.value:
        raise Unreadable(f"{at}: it took no time")
    if collective == "hypercube":
        return
    rate = size / side.time_us.value / 1e3  # bytes in a us are MB/s
    room = rate * (side.time_us.digit / side.time_us.value + _SLACK) + side.algbw.digit
    if abs(side.algbw.value - rate) > room:
        raise Unreadable(f"{at}: algbw {side.algbw.value:g} GB/s is not its size over its time")


def asked_sizes(least: int, most: int, step: int, *, by_factor: bool) -> tuple[int, ...]:
    """The sizes of a sweep. Raises Unreadable for one without end."""
    if least < 0 or most < least or step < 1 or (by_factor and (step < 2 or least == 0)):
        raise Unreadable(f"a sweep from {least} to {most} bytes by {step} is none")
    if not by_factor and (most - least) // step > 100_000:
        raise Unreadable(f"a sweep from {least} to {most} bytes by {step} is endless")
    found = [least]
    while (after := found[-1] * step if by_factor else found[-1] + step) <= most:
        found.append(after)
    return tuple(found)
