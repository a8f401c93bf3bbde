"""The settings and limits of stage 80, read strictly from `terms.yml`."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml

THRESHOLDS = Path(__file__).with_name("terms.yml")


@dataclass(frozen=True, slots=True, order=True)
class Soak:
    """How long and how densely streams run, and what each interval may show."""

    seconds: int
    interval_s: int
    source_ports: int
    gap_ms: int
    most_lost: int
    most_gap_ms: float
    most_p99_ms: float
    source: str


@dataclass(frozen=True, slots=True, order=True)
class Drilling:
    """How long something is pulled, how it is watched, and what may be noticed."""

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


@cache
def _said() -> dict[str, dict[str, Any]]:
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    for name, kind in (("soak", Soak), ("drill", Drilling)):
        if set(said.get(name, {})) != {field.name for field in fields(kind)}:
            raise ValueError(f"{THRESHOLDS.name}: {name}: a key is missing or unknown")
    return said


@cache
def soak() -> Soak:
    """ValueError where the file lacks or adds a key."""
    return Soak(**_said()["soak"])


@cache
def drilling() -> Drilling:
    """The same for drills."""
    return Drilling(**_said()["drill"])
