"""fio 3's `--output-format=json`: what each group of jobs read and wrote.

Rates are checked against bytes and time of the same group, because the names of fio's fields have
changed their unit before: `bw` counts KiB/s, `bw_bytes` bytes/s (fio(1), HOWTO "JSON output").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from inventory.reading.fields import Unreadable, document, mapping, needed, sequence, text_of
from inventory.reading.numbers import Whole, count

Way = Literal["read", "write"]
WAYS: tuple[Way, ...] = ("read", "write")
_VERSION = re.compile(r"fio-(\d+)\.\d+\S*")
_BEGIN = re.compile(r"^\{", re.MULTILINE)
# What it says of a fault before its report; `note:` and other lines are no fault (fio, backend.c).
_WRONG = re.compile(r"err=|\berror|failed|errored|terminating|not found", re.IGNORECASE)
_SAME = 0.05
_KIB = 1024
_MAJOR = Whole("fio's version", "1", 0, 99)
_ERROR = Whole("fio's error", "errno", 0, 4095)
_MOMENT_MS = Whole("fio's time", "ms since 1970", 10**12, 10**13)
_MOVED = count("bytes moved", "B")
_RATE = Whole("rate", "B/s", 0, 10**14)
_RATE_KIB = Whole("rate", "KiB/s", 0, 10**11)
_RUNTIME_MS = Whole("runtime", "ms", 0, 10**10)
_SHORT = count("short I/Os")
_DROPPED = count("dropped I/Os")


@dataclass(frozen=True, slots=True)
class Done:
    """One direction of one group: its mean rate in bytes/s, and how long it ran."""

    job: str
    way: Way
    bytes_per_s: float
    seconds: float


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
    """Read a report, and what stands before it.

    Raises Unreadable for errors, short I/O, or figures that do not agree.
    """
    begin = found.start() if (found := _BEGIN.search(text)) else 0
    if said := next(filter(_WRONG.search, text[:begin].splitlines()), ""):
        raise Unreadable(f"fio: {said.strip()[:160]}")
    whole = mapping(document(text[begin:], "fio"), "fio")
    version = _VERSION.fullmatch(text_of(whole, "fio version", "fio"))
    if version is None or _MAJOR.read(version[1]) < 3:
        raise Unreadable(f"fio is {whole['fio version']!r}: its fields have other units")
    options = mapping(whole.get("global options", {}), "fio's global options")
    jobs = sequence(needed(whole, "jobs", "fio"), "fio's jobs")
    done = [one for job in jobs for one in _job(mapping(job, "a job of fio"))]
    if not done:
        raise Unreadable("fio has read nothing and written nothing")
    return Fio(
        version[0],
        _MOMENT_MS.of(whole, "timestamp_ms", "fio") / 1000,
        tuple(sorted((key, str(value)) for key, value in options.items())),
        tuple(done),
    )


def _job(job: dict[str, object]) -> list[Done]:
    name = text_of(job, "jobname", "a job of fio")
    if error := _ERROR.of(job, "error", f"fio's job {name}"):
        raise Unreadable(f"fio's job {name} ended with error {error}")
    ways = [(way, mapping(needed(job, way, name), f"{name}: {way}")) for way in WAYS]
    return [_done(name, way, said) for way, said in ways if _MOVED.of(said, "io_bytes", name)]


def _done(name: str, way: Way, said: dict[str, object]) -> Done:
    what = f"fio's job {name}, {way}"
    size, rate = _MOVED.of(said, "io_bytes", what), _RATE.of(said, "bw_bytes", what)
    millis = _RUNTIME_MS.of(said, "runtime", what)
    if _SHORT.of(said, "short_ios", what) or _DROPPED.of(said, "drop_ios", what):
        raise Unreadable(f"{what}: I/O came short")
    if millis <= 0 or not _close(rate, size * 1000 / millis):
        raise Unreadable(f"{what}: its rate is not its bytes over its time")
    if not _close(_RATE_KIB.of(said, "bw", what) * _KIB, rate):
        raise Unreadable(f"{what}: `bw` and `bw_bytes` do not agree")
    return Done(name, way, rate, millis / 1000)


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * max(one, other) + _KIB
