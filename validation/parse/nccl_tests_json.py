"""nccl-tests' report (-J FILE, since 2.17.3): the same table as its text, with more digits.

github.com/NVIDIA/nccl-tests, src/util.cu: booleans are the strings "true" and "false", a rate
that is not a number is "nan", and `okay` of an average that nobody asked for is "unchecked".
"""

from __future__ import annotations

from dataclasses import replace

from .collective_rows import (
    NO_CHECK_IN_PLACE,
    Printed,
    Rank,
    Row,
    Side,
    Table,
    WrongResult,
    asked_sizes,
    check_ranks,
    check_rows,
)
from .fields import Unreadable, document, mapping, needed, number_of, sequence, text_of

_DIGIT = 1e-6  # %lf
_ITERATIONS = {"min_us": "min_us", "max_us": "max_us", "p99_us": "p99_us", "cv_pct": "cv_percent"}


def table(text: str, collective: str) -> Table:
    """One whole, checked run, as `nccl_tests.table` reads it from text. Raises the same."""
    told = mapping(document(text, "nccl-tests"), "nccl-tests' report")
    _check_end(told)
    _check_program(told, collective)
    config = mapping(needed(told, "config", "the report"), "config")
    ranks = _ranks(sequence(config.get("devices", told.get("devices")), "devices"))
    if not number_of(config, "validation", "config"):
        raise Unreadable("the results were not checked (validation: 0)")
    sizes = _sizes(config)
    results = sequence(needed(told, "results", "the report"), "results")
    if len(results) != len(sizes):
        raise Unreadable(f"{len(sizes)} sizes were asked, {len(results)} results are there")
    rows = tuple(
        _row(mapping(one, "a result"), asked, collective)
        for one, asked in zip(results, sizes, strict=True)
    )
    check_rows(collective, len(ranks), rows)
    version = f"NCCL version {told['nccl_version']}" if "nccl_version" in told else ""
    iterations = number_of(config, "iterations", "config")
    return Table(collective, ranks, rows, iterations, frozenset(), tuple(filter(None, [version])))


def _check_end(told: dict[str, object]) -> None:
    bounds = mapping(needed(told, "out_of_bounds", "the report"), "out_of_bounds")
    count, okay = number_of(bounds, "count", "out_of_bounds"), text_of(bounds, "okay", "it")
    if count or okay != "true":
        raise WrongResult(f"nccl-tests found {count} values out of bounds, okay: {okay}")
    average = mapping(needed(told, "average_bus_bandwidth", "the report"), "the average")
    if text_of(average, "okay", "the average") not in ("true", "false", "unchecked"):
        raise Unreadable(f"the average's okay is {average['okay']!r}")
    errors = [one for one in sequence(needed(told, "errors", "the report"), "errors") if one]
    if errors:
        raise Unreadable(f"the run failed: {str(errors[0])[:160]}")
    text_of(told, "end_time", "the report")


def _check_program(told: dict[str, object], collective: str) -> None:
    words = sequence(needed(told, "args", "the report"), "args")
    program = str(words[0] if words else "").rpartition("/")[2]
    if program != f"{collective}_perf":
        raise Unreadable(f"{program or 'nothing'} ran, not {collective}")


def _ranks(devices: list[object]) -> tuple[Rank, ...]:
    found = [mapping(one, "a device") for one in devices]
    if len({one.get("group") for one in found}) > 1:
        raise Unreadable("its ranks are in several groups: several runs in one table")
    ranks = tuple(
        Rank(
            number_of(one, "rank", "a device"),
            text_of(one, "hostname", "a device"),
            number_of(one, "pid", "a device"),
            number_of(one, "device", "a device"),
            text_of(one, "device_info", "a device"),
        )
        for one in found
    )
    check_ranks(ranks)
    return ranks


def _sizes(config: dict[str, object]) -> tuple[int, ...]:
    by_factor = "step_factor" in config
    step = number_of(config, "step_factor" if by_factor else "step_bytes", "config")
    least, most = (number_of(config, f"{one}_bytes", "config") for one in ("minimum", "maximum"))
    return asked_sizes(least, most, step, by_factor=by_factor)


def _row(told: dict[str, object], asked: int, collective: str) -> Row:
    sides = [_side(told, name) for name in ("out_of_place", "in_place")]
    in_place: Side | None = sides[1]
    if sides[1].wrong is None and collective in NO_CHECK_IN_PLACE:
        in_place = None
    size, count = number_of(told, "size", "a result"), number_of(told, "count", "a result")
    return Row(asked, size, count, text_of(told, "redop", "a result"), sides[0], in_place)


def _side(told: dict[str, object], name: str) -> Side:
    one = mapping(needed(told, name, "a result"), name)
    wrong = needed(one, "nwrong", name)
    time = "cpu_time" if "cpu_time" in one else "time"
    counted = None if wrong is None else -int(-_number(one, "nwrong").value // 1)
    side = Side(_number(one, time), _number(one, "alg_bw"), _number(one, "bus_bw"), counted)
    each = told.get(f"{name}_per_iter")
    if each is None:
        return side
    timed = mapping(each, f"{name}_per_iter")
    more = {ours: _number(timed, theirs).value for theirs, ours in _ITERATIONS.items()}
    return replace(side, **more)  # type: ignore[arg-type]


def _number(told: dict[str, object], key: str) -> Printed:
    value = needed(told, key, "a result")
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Unreadable(f"{key} is {value!r}, no number")
    return Printed(Printed.of(repr(value), key).value, _DIGIT)
