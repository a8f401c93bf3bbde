"""The settings and limits of `terms.yml`, read strictly."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml
from validation.pairing.loads import Kind, Terms, terms_of

THRESHOLDS = Path(__file__).with_name("terms.yml")


@dataclass(frozen=True, slots=True, order=True)
class Rotation:
    """How many senders meet one receiver, how many receivers of a leaf and rail a run has."""

    senders: int
    receivers_per_leaf: int
    gpu_memory: bool
    source: str


@dataclass(frozen=True, slots=True, order=True)
class Shares:
    """What NICs of one kind must reach; the file says what each share is of. Times in seconds."""

    kind: Kind
    seconds: int
    streams: int
    sum_least: float
    sum_most: float
    fair_least: float
    alone_least: float
    victim_least: float
    cnps_per_s_most: float
    sum_trend: float | None
    source: str

    @property
    def loading(self) -> Terms:
        """The same as the terms of one flow; memory of GPUs is a phase of its own here."""
        return replace(
            terms_of(self.kind),
            seconds=self.seconds,
            gpu_memory=False,
            streams=self.streams,
            fail_below=self.alone_least,
            source=self.source,
        )


@cache
def _said() -> dict[str, dict[str, Any]]:
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    return said


def _exactly(name: str, wanted: set[str]) -> dict[str, Any]:
    found = _said().get(name, {})
    if set(found) != wanted:
        wrong = ", ".join(sorted(set(found) ^ wanted))
        raise ValueError(f"{THRESHOLDS.name}: {name}: {wrong}: missing or unknown")
    return found


@cache
def rotation() -> Rotation:
    """The schedule's settings. ValueError where the file lacks or adds one."""
    return Rotation(**_exactly("schedule", {field.name for field in fields(Rotation)}))


@cache
def shares_of(kind: Kind) -> Shares:
    """The settings and limits of a kind. ValueError where the file lacks or adds one."""
    found = _exactly(kind, {field.name for field in fields(Shares)} - {"kind"})
    return Shares(kind=kind, **found)
