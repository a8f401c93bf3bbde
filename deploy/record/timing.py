"""Where a run's time went: by wave, phase and device. Read from the record alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from deploy.context import Stopwatch
from deploy.session import Selection
from validation.evidence.gather import Reply, Transport

from .journal import ROLES
from .rows import ChangeRow, RunRow, SpanRow
from .runs import opened, row_of

# Each trip to a device, wherever in a gate it was made.
TRIPS = "trips"
RUN = "(run)"
_BEGINS = "begins: "
_ENDS = ("done: ", "failed: ")


@dataclass(frozen=True, slots=True)
class TimedTransport:
    """A way to devices that writes down how long each trip took."""

    inner: Transport
    timed: Stopwatch

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        """As the inner one does."""
        with self.timed(TRIPS, device):
            return self.inner.run(device, script, timeout_s)


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """One phase of a wave: when it first began, how long any of it ran, how often it did.

    What ran side by side counts once in `took_s`, and for each device in `devices` (slowest
    first).
    """

    wave: str
    phase: str
    began_s: float
    took_s: float
    times: int
    devices: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class RunTiming:
    """One run: the whole, its waves with the time from beginning to gate, their phases."""

    run: int
    took_s: float | None
    waves: tuple[tuple[str, float | None], ...]
    phases: tuple[PhaseTime, ...]


def runs_of(selection: Selection) -> tuple[RunRow, ...]:
    """Every run on record, oldest first."""
    with opened(selection) as record:
        return record.runs()


def timing_of(selection: Selection, run: int) -> RunTiming:
    """Where the time of a run went; RailbedError for one that is not on record."""
    with opened(selection) as record:
        row = row_of(record, run)
        spans = (*record.spans(run), *steps(record.changes(run)))
        waves = tuple((one.name, lasted(one.started, one.ended)) for one in record.waves(run))
    return RunTiming(run, lasted(row.started, row.ended), waves, tuple(phases(row.started, spans)))


def steps(changes: Sequence[ChangeRow]) -> Iterator[SpanRow]:
    """The phases of pushes, which the journal has before and after each. Engines have spans."""
    begun: dict[tuple[str, str, str], str] = {}
    for row in changes:
        key = (row.wave, row.device, row.phase)
        if row.phase == ROLES:
            continue
        if row.detail.startswith(_BEGINS):
            begun[key] = row.at
        elif row.detail.startswith(_ENDS) and key in begun:
            yield SpanRow(row.wave, f"push: {row.phase}", row.device, begun.pop(key), row.at)


def phases(started: str, spans: Iterable[SpanRow]) -> Iterator[PhaseTime]:
    """Spans of one wave and phase as one row, in the order in which they began."""
    key = lambda one: (one.wave, one.phase)  # noqa: E731 # for sorting and grouping alike
    rows = []
    for (wave, phase), same in groupby(sorted(spans, key=key), key):
        some = [(row.device, _s(started, row.began), _s(started, row.ended)) for row in same]
        by_device: dict[str, float] = {}
        for device, began, ended in some:
            if device:
                by_device[device] = by_device.get(device, 0.0) + ended - began
        slowest = tuple(sorted(by_device.items(), key=lambda one: (-one[1], one[0])))
        took = union(((began, ended) for _, began, ended in some))
        first = min(began for _, began, _ in some)
        rows.append(PhaseTime(wave or RUN, phase, first, took, len(some), slowest))
    yield from sorted(rows, key=lambda one: (one.began_s, one.phase))


def union(times: Iterable[tuple[float, float]]) -> float:
    """For how long at least one of some intervals lasted."""
    total, until = 0.0, float("-inf")
    for began, ended in sorted(times):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total


def lasted(began: str, ended: str | None) -> float | None:
    """Seconds between two times of the record; None where it has not ended."""
    return None if ended is None else _s(began, ended)


def _s(began: str, ended: str) -> float:
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()
