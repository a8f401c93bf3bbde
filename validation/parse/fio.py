"""fio 3's `--output-format=json`: what each group of jobs read and wrote.

Rates are checked against bytes and time of the same group, because the names of fio's fields have
changed their unit before: `bw` counts KiB/s, `bw_bytes` bytes/s (fio(1), HOWTO "JSON output").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import Literal

from .fields import Unreadable, document, mapping, needed, number_of, sequence, text_of

Way = Literal["read", "write"]
WAYS: tuple[Way, ...] = ("read", "write")
_VERSION = re.compile(r"fio-(\d+)\.\d+\S*")
_SAME = 0.05
_KIB = 1024
_P99 = "99.000000"


@dataclass(frozen=True, slots=True)
class Done:
    """One direction of one group: its mean rate in bytes/s, how long it ran, its slow I/Os."""

    job: str
    way: Way
    bytes_per_s: float
    iops: float
    seconds: float
    p99_us: float


@dataclass(frozen=True, slots=True)
class Fio:
    """A whole run. `ended_at_s` is the node's clock in Unix seconds, after its last job.

    `options` are those that all jobs share, as fio understood them.
    """

    version: str
    ended_at_s: float
    options: tuple[tuple[str, str], ...]
    done: tuple[Done, ...]

    def of(self, job: str, way: Way) -> Done:
        """What the job of this name did; Unreadable where there is not exactly one."""
        found = [one for one in self.done if (one.job, one.way) == (job, way)]
        if len(found) != 1:
            raise Unreadable(f"fio tells {len(found)} times what its job {job!r} has {way}")
        return found[0]


def run(text: str) -> Fio:
    """Read a report. Raises Unreadable for errors, short I/O, or figures that do not agree."""
    whole = mapping(document(text, "fio"), "fio")
    version = _VERSION.fullmatch(text_of(whole, "fio version", "fio"))
    if version is None or int(version[1]) < 3:
        raise Unreadable(f"fio is {whole['fio version']!r}: its fields have other units")
    options = mapping(whole.get("global options", {}), "fio's global options")
    jobs = sequence(needed(whole, "jobs", "fio"), "fio's jobs")
    done = [one for job in jobs for one in _job(mapping(job, "a job of fio"))]
    if not done:
        raise Unreadable("fio has read nothing and written nothing")
    return Fio(
        version[0],
        number_of(whole, "timestamp_ms", "fio") / 1000,
        tuple(sorted((key, str(value)) for key, value in options.items())),
        tuple(done),
    )


def _job(job: dict[str, object]) -> list[Done]:
    name = text_of(job, "jobname", "a job of fio")
    if error := number_of(job, "error", f"fio's job {name}"):
        raise Unreadable(f"fio's job {name} ended with error {error}")
    ways = [(way, mapping(needed(job, way, name), f"{name}: {way}")) for way in WAYS]
    return [_done(name, way, said) for way, said in ways if number_of(said, "io_bytes", name)]


def _done(name: str, way: Way, said: dict[str, object]) -> Done:
    what = f"fio's job {name}, {way}"
    size, rate = number_of(said, "io_bytes", what), number_of(said, "bw_bytes", what)
    millis = number_of(said, "runtime", what)
    if number_of(said, "short_ios", what) or number_of(said, "drop_ios", what):
        raise Unreadable(f"{what}: I/O came short")
    if millis <= 0 or not _close(rate, size * 1000 / millis):
        raise Unreadable(f"{what}: its rate is not its bytes over its time")
    if not _close(number_of(said, "bw", what) * _KIB, rate):
        raise Unreadable(f"{what}: `bw` and `bw_bytes` do not agree")
    return Done(name, way, float(rate), _float(said, "iops", what), millis / 1000, _p99(said, what))


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * max(one, other) + _KIB


def _float(said: dict[str, object], key: str, what: str) -> float:
    value = needed(said, key, what)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
        raise Unreadable(f"{what}: {key!r} is not a number")
    return float(value)


def _p99(said: dict[str, object], what: str) -> float:
    times = mapping(needed(said, "clat_ns", what), what)
    share = mapping(needed(times, "percentile", what), what)
    return _float(share, _P99, what) / 1000
