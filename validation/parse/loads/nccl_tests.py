"""nccl-tests' text, of every version: `error` column, then `root` and `#wrong`, then `-I`.

github.com/NVIDIA/nccl-tests: src/util.cu (2.19.6), src/common.cu (before). The banner came with
2.16.4; a run that prints its start prints its end. What it calls the average of all sizes says
nothing of any size, and is not read. Everything else a row needs is checked against the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole
from validation.parse.gpu.nccl_network import network

from .collective_rows import (
    ELEMENTS,
    ITERATIONS,
    NO_CHECK_IN_PLACE,
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
    WrongResult,
    asked_sizes,
    check_ranks,
    check_rows,
)
from .launched import Line, failure, lines, row

_CONFIG = re.compile(
    r"^# nThread (\d+) nGpus (\d+) minBytes (\d+) maxBytes (\d+) step: (\d+)\((factor|bytes)\)"
    r" warmup iters: (\d+) iters: (\d+)(?: agg iters: (\d+))? validation: (\d+)(?!\S)"
)
_RANK = re.compile(
    r"^#\s+Rank\s+(\d+)(?:\s+Group\s+(\d+))?\s+Pid\s+(\d+) on\s+(\S+) device\s+(\d+)"
    r" \[[0-9a-fx:.]+\] (.+?)\s*$"
)
_RANKED = re.compile(r"^#\s+Rank\b")
_HEAD = re.compile(r"^#\s+size\s+count\s+type\b")
_UNITS = re.compile(r"^#\s+\(B\)\s+\(elements\)\s")
_ROW = re.compile(r"^\s*\d+(\s|$)")
_BOUNDS = re.compile(r"^# Out of bounds values\s*: (\d+) (OK|FAILED)\s*$")
_START = re.compile(r"^# Collective test starting: (?:\S*/)?(\S+?)_perf\b")
_END = re.compile(r"^# Collective test concluded: (?:\S*/)?(\S+?)_perf\s*$")
_SIDE = {
    "time": "(us)",
    "algbw": "(GB/s)",
    "busbw": "(GB/s)",
    "wrong": "",
    "i_min": "(us)",
    "i_max": "(us)",
    "i_p99": "(us)",
    "i_cv%": "(%)",
}
_STEP = Whole("step", "B, or a factor", 0, 1 << 50)
_DEVICE = Whole("device", "1", 0, 4095)
_WRONG = Real("#wrong", "1", 0, 1e24)
_SPREAD = Real("i_cv%", "%", 0, 1e9)
_SAME = {"cputime": "time", "error": "wrong", "#wrong": "wrong"}


@dataclass(frozen=True, slots=True)
class _Sweep:
    sizes: tuple[int, ...]
    iterations: int


@dataclass(frozen=True, slots=True)
class _Form:
    """The columns of a table: those before the numbers, and those of one side."""

    first: tuple[str, ...]
    side: tuple[str, ...]
    after: int
    by_error: bool

    @property
    def width(self) -> int:
        return len(self.first) + 2 * len(self.side) + self.after


def table(text: str, collective: str) -> Table:
    """One whole, checked run of `collective` (its program's name without `_perf`).

    Raises Unreadable for a run that is incomplete, failed or does not agree with itself, and for
    two runs in one text; WrongResult where the tool found wrong data.
    """
    found = lines(text)
    bounds = [one for line in found if (one := _BOUNDS.match(line.text))]
    if any(match[2] != "OK" or match[1] != "0" for match in bounds):
        raise WrongResult(f"nccl-tests found {bounds[0][1]} values out of bounds")
    if said := failure(found):
        raise Unreadable(f"the run failed: {said}")
    sweep = _sweep(found)
    if len(bounds) != 1:
        raise Unreadable(f"it says {len(bounds)} times whether values were out of bounds")
    _check_banner(found, collective)
    ranks = _ranks(found)
    rows = _rows(found, sweep, collective)
    check_rows(collective, len(ranks), rows)
    over = network(found)
    return Table(
        collective,
        ranks,
        rows,
        sweep.iterations,
        over.names,
        over.hcas,
        over.staged,
    )


def _sweep(found: Sequence[Line]) -> _Sweep:
    said = [one for line in found if (one := _CONFIG.match(line.text))]
    if len(said) != 1:
        raise Unreadable(f"it states its settings {len(said)} times, not once")
    one = said[0]
    if one[10] == "0":
        raise Unreadable("the results were not checked (validation: 0)")
    least, most, step = SIZE_BYTES.read(one[3]), SIZE_BYTES.read(one[4]), _STEP.read(one[5])
    sizes = asked_sizes(least, most, step, by_factor=one[6] == "factor")
    return _Sweep(sizes, ITERATIONS.read(one[8]))


def _check_banner(found: Sequence[Line], collective: str) -> None:
    starts = [one[1] for line in found if (one := _START.match(line.text))]
    ends = [one[1] for line in found if (one := _END.match(line.text))]
    if len(starts) > 1 or len(ends) > len(starts):
        raise Unreadable(f"it starts {len(starts)} times and ends {len(ends)} times")
    for name in (*starts, *ends):
        if name != collective:
            raise Unreadable(f"{name} ran, not {collective}")
    if len(ends) != len(starts):
        raise Unreadable("it does not say that it concluded: it was cut short")


def _ranks(found: Sequence[Line]) -> tuple[Rank, ...]:
    named = [line.text for line in found if _RANKED.match(line.text)]
    said = [one for line in named if (one := _RANK.match(line))]
    if len(said) != len(named):
        raise Unreadable(f"{len(named) - len(said)} of its lines name no rank that can be read")
    if len({match[2] for match in said}) > 1:
        raise Unreadable("its ranks are in several groups: several runs in one table")
    ranks = tuple(
        Rank(RANK.read(match[1]), match[4], PID.read(match[3]), _DEVICE.read(match[5]), match[6])
        for match in said
    )
    check_ranks(ranks)
    return ranks


def _rows(found: Sequence[Line], sweep: _Sweep, collective: str) -> tuple[CollectiveRow, ...]:
    heads = [number for number, line in enumerate(found) if _HEAD.match(line.text)]
    ends = [number for number, line in enumerate(found) if _BOUNDS.match(line.text)]
    if len(heads) != 1 or not heads[0] < ends[0]:
        raise Unreadable(f"it has {len(heads)} tables, not one before its end")
    form = _form(found[heads[0]].text)
    inside = found[heads[0] + 1 : ends[0]]
    units = [line.text for line in inside if _UNITS.match(line.text)]
    if len(units) != 1 or units[0].split()[1:] != _units(form):
        raise Unreadable("its columns are not in us and GB/s")
    printed = [line for line in inside if _ROW.match(line.text)]
    if any(_ROW.match(line.text) for line in found[: heads[0]]):
        raise Unreadable("there are rows before the table's head")
    if len({line.rank for line in (found[heads[0]], *printed)}) > 1:
        raise Unreadable("its rows are of several processes")
    if len(printed) != len(sweep.sizes):
        raise Unreadable(f"{len(sweep.sizes)} sizes were asked, {len(printed)} rows are there")
    return tuple(
        _row(row(line.text), form, asked, collective)
        for line, asked in zip(printed, sweep.sizes, strict=True)
    )


def _form(head: str) -> _Form:
    words = [_SAME.get(word, word) for word in head.lstrip("# ").split()]
    if "timestamp" in words:
        words.remove("timestamp")
    at = words.index("time") if "time" in words else len(words)
    after = 1 if words[-1] == "#iters" else 0
    sides = words[at : len(words) - after]
    side = tuple(sides[: len(sides) // 2])
    known = side in (tuple(_SIDE), tuple(_SIDE)[:4])
    first = tuple(words[:at])
    if not known or sides != [*side, *side] or first[3:] not in _MIDDLES:
        raise Unreadable(f"its columns are {' '.join(words)}")
    return _Form(first, side, after, "error" in head.split())


_MIDDLES = ((), ("redop",), ("root",), ("redop", "root"))


def _units(form: _Form) -> list[str]:
    one = [_SIDE[name] for name in form.side if _SIDE[name]]
    return ["(B)", "(elements)", *one, *one]


def _row(words: list[str], form: _Form, asked: int, collective: str) -> CollectiveRow:
    at = form.first.index("redop") if "redop" in form.first else -1
    if at > 0 and len(words) == form.width - 1 and _is_number(words[at]):
        words = [*words[:at], "", *words[at:]]  # an old alltoall leaves redop blank
    if len(words) != form.width or not (words[0] + words[1]).isdecimal():
        raise Unreadable(f"a row is not whole: {' '.join(words)[:100]}")
    if _is_number(words[2]):
        raise Unreadable(f"a row has no type: {' '.join(words)[:100]}")
    first, width = len(form.first), len(form.side)
    sides = [_side(words[start : start + width], form) for start in (first, first + width)]
    in_place: Side | None = sides[1]
    if sides[1].wrong is None and collective in NO_CHECK_IN_PLACE:
        in_place = None
    return CollectiveRow(
        asked, SIZE_BYTES.read(words[0]), ELEMENTS.read(words[1]), sides[0], in_place
    )


def _is_number(word: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d*)?(e[+-]?\d+)?", word) is not None


def _side(words: list[str], form: _Form) -> Side:
    named = dict(zip(form.side, words, strict=True))
    side = Side(
        Printed.of(named["time"], TIME_US),
        Printed.of(named["algbw"], RATE_GBS),
        Printed.of(named["busbw"], RATE_GBS),
        _wrong(named["wrong"], by_error=form.by_error),
    )
    if "i_p99" not in named:
        return side
    least, most, p99 = (TIME_US.read(named[name]) for name in ("i_min", "i_max", "i_p99"))
    _SPREAD.read(named["i_cv%"])
    return replace(side, min_us=least, max_us=most, p99_us=p99)


def _wrong(word: str, *, by_error: bool) -> int | None:
    """Elements that are wrong. The old column is a size of error, judged by the tool itself."""
    if word == "N/A":
        return None
    found = _WRONG.read(word)
    return 0 if by_error else ceil(found)
