"""The settings and limits of stage 80, read strictly from `terms.yml`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml

THRESHOLDS = Path(__file__).with_name("terms.yml")


LOOK = "look"


@dataclass(frozen=True, slots=True, order=True)
class Length:
    """How long a fabric is watched: `slices` of `seconds`, judged by intervals.

    `most_loss_ratio`: frames lost over frames sent; None where a length is too short for it.
    """

    name: str
    slices: int
    seconds: int
    interval_s: int
    most_loss_ratio: float | None

    @property
    def total_s(self) -> int:
        """All of it."""
        return self.slices * self.seconds

    @property
    def words(self) -> str:
        """As evidence keeps it: what a run was asked."""
        return f"soak {self.name}"

    @property
    def terms(self) -> str:
        """As figures keep it: numbers of other lengths are no history of them."""
        return f"soak of {self.says} ({self.name})"

    @property
    def says(self) -> str:
        """The time, for people."""
        for size, unit in ((3600, "h"), (60, "min")):
            if self.total_s % size == 0:
                return f"{self.total_s // size} {unit}"
        return f"{self.total_s} s"


@dataclass(frozen=True, slots=True, order=True)
class Soak:
    """How densely streams run, and what each interval may show."""

    source_ports: int
    gap_ms: int
    most_lost: int
    most_gap_ms: float
    most_p99_ms: float
    source: str


@dataclass(frozen=True, slots=True, order=True)
class Drilling:
    """How long something is pulled, how it is watched, and what may be noticed.

    `source_ports` are the fewest of a stream; `least_crossing` is the part that must be counted of
    the packets that are expected over what is pulled.
    """

    lead_s: int
    hold_s: int
    source_ports: int
    gap_ms: int
    most_gap_ms: float
    most_detect_ms: float
    most_drain_gap_ms: float
    detect_by_bfd: float
    least_crossing: float
    restore_s: int
    source: str


@dataclass(frozen=True, slots=True, order=True)
class Guard:
    """A drill that is a push: the switch's own timer, streams across it, time between readings."""

    window_s: int
    streams_s: int
    apart_s: int
    source: str


@cache
def _said() -> dict[str, dict[str, Any]]:
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    for name, kind in (("soak", Soak), ("drill", Drilling), ("guarded", Guard)):
        own = {"lengths"} if kind is Soak else set()
        if set(said.get(name, {})) != {field.name for field in fields(kind)} | own:
            raise ValueError(f"{THRESHOLDS.name}: {name}: a key is missing or unknown")
    return said


@cache
def soak() -> Soak:
    """ValueError where the file lacks or adds a key."""
    said = _said()["soak"]
    return Soak(**{key: value for key, value in said.items() if key != "lengths"})


@cache
def lengths() -> dict[str, Length]:
    """The lengths by name, the shortest first."""
    every = [Length(name, **said) for name, said in _said()["soak"]["lengths"].items()]
    return {one.name: one for one in sorted(every, key=lambda one: one.total_s)}


@cache
def drilling() -> Drilling:
    """The same for drills."""
    return Drilling(**_said()["drill"])


@cache
def guard() -> Guard:
    """The same for drills that are pushes."""
    return Guard(**_said()["guarded"])
