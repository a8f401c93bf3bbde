"""gpu_burn's output (github.com/wilicc/gpu-burn): per GPU its last rate, heat, and its verdict.

It prints one line again and again, GPUs side by side, and at the end `GPU n: OK` or `FAULTY`. Its
exit status may be 0 all the same (its issues/12), and a GPU that never started is `OK` (issues/14):
so the rate is asked, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole

_NAME = re.compile(r"^GPU (\d+): (\S.*?) \(UUID: (GPU-[0-9a-fA-F-]{36})\)\s*$")
_LINE = re.compile(r"^\s*(\d+\.\d)%\s+proc'd: (.+?)\s+errors: (.+?)\s+temps: (.+?)\s*$")
_DONE = re.compile(r"(-?\d+) \((-?\d+) Gflop/s\)")
_ERRORS = re.compile(r"(-?\d+)(?:\s+\((WARNING|DIED)!\))?")
_HEAT = re.compile(r"(\d+) C|--")
_TESTED = re.compile(r"^Tested (\d+) GPUs?:\s*$")
_VERDICT = re.compile(r"^\s+GPU (\d+): (OK|FAULTY)\s*$")
_INDEX = Whole("GPU", "1", 0, 1023)
_SHARE = Real("share of the run", "%", 0, 100)
_GFLOPS = Whole("rate", "Gflop/s", 0, 10**9)
_WRONG = Whole("errors", "1", -(1 << 63), 1 << 63)  # a signed counter that wraps
_HEAT_C = Whole("heat", "C", 0, 200)
_BETWEEN = re.compile(r"(?<!-)\s?- ")  # GPUs; `--` is a heat, `-1` a count
_BROKEN = re.compile(
    r"couldn't init|no clients are alive|error in \"|cuda_error|cublas_status|no cuda|cannot open",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Burnt:
    """One GPU. `gflops` is what it did at the end, when it was hot; `hottest_c` None: untold."""

    index: int
    name: str
    uuid: str
    gflops: float
    hottest_c: int | None
    faulty: bool


def burnt(text: str) -> tuple[Burnt, ...]:
    """Every GPU of a run that went to its end. Raises Unreadable for any other."""
    lines = re.split(r"[\r\n]+", text)
    if said := next((line.strip() for line in lines if _BROKEN.search(line)), ""):
        raise Unreadable(f"gpu_burn: {said[:160]}")
    names = [found for line in lines if (found := _NAME.match(line))]
    rows = [_row(line) for line in lines if "proc'd:" in line]
    verdicts = _verdicts(lines)
    if [_INDEX.read(match[1]) for match in names] != list(range(len(verdicts))):
        raise Unreadable(f"gpu_burn names {len(names)} GPUs and judges {len(verdicts)}")
    if not rows or rows[-1].share < 100:
        raise Unreadable("gpu_burn did not come to its end")
    if any(len(row.rates) != len(names) for row in rows):
        raise Unreadable("gpu_burn has another number of GPUs from line to line")
    return tuple(_gpu(at, found, rows, verdicts[at]) for at, found in enumerate(names))


@dataclass(frozen=True, slots=True)
class _Row:
    share: float
    rates: tuple[int, ...]
    bad: tuple[bool, ...]
    heat: tuple[int | None, ...]


def _row(line: str) -> _Row:
    """One line; Unreadable where its three lists are not whole, or not of one length."""
    found = _LINE.match(line)
    if found is None:
        raise Unreadable(f"gpu_burn printed a mixed line: {line.strip()[:120]}")
    done, wrong, heat = (
        tuple(_each(pattern, list_))
        for pattern, list_ in ((_DONE, found[2]), (_ERRORS, found[3]), (_HEAT, found[4]))
    )
    if not len(done) == len(wrong) == len(heat):
        raise Unreadable(f"gpu_burn printed a mixed line: {line.strip()[:120]}")
    return _Row(
        _SHARE.read(found[1]),
        tuple(_GFLOPS.read(match[2]) for match in done),
        tuple(bool(_WRONG.read(match[1])) or bool(match[2]) for match in wrong),
        tuple(_HEAT_C.read(match[1]) if match[1] else None for match in heat),
    )


def _each(pattern: re.Pattern[str], list_: str) -> Iterator[re.Match[str]]:
    """One match a GPU."""
    for part in _BETWEEN.split(list_):
        found = pattern.fullmatch(part.strip())
        if found is None:
            raise Unreadable(f"gpu_burn printed {part.strip()[:60]!r} for a GPU")
        yield found


def _verdicts(lines: list[str]) -> list[bool]:
    """Whether each GPU is faulty, in order; Unreadable where the closing list is not whole."""
    starts = [(at, start) for at, one in enumerate(lines) if (start := _TESTED.match(one))]
    if len(starts) != 1:
        raise Unreadable("gpu_burn printed no verdict: it was cut short, or ran twice")
    at, head = starts[0]
    found = [one for line in lines[at + 1 :] if (one := _VERDICT.match(line))]
    if [_INDEX.read(match[1]) for match in found] != list(range(_INDEX.read(head[1]))) or not found:
        raise Unreadable(f"gpu_burn judges {len(found)} of {head[1]} GPUs")
    return [match[2] == "FAULTY" for match in found]


def _gpu(at: int, found: re.Match[str], rows: list[_Row], faulty: bool) -> Burnt:
    rate, heat = rows[-1].rates[at], [one for row in rows if (one := row.heat[at]) is not None]
    if not faulty and any(row.bad[at] for row in rows):
        raise Unreadable(f"gpu_burn counts errors of GPU {at} and calls it OK")
    if not faulty and rate <= 0:
        raise Unreadable(f"gpu_burn calls GPU {at} OK, which has done nothing")
    return Burnt(at, found[2], found[3], rate, max(heat, default=None), faulty)
