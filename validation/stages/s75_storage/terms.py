"""`terms.yml` as data, read strictly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml
from validation.stages.s45_single_node.terms import made_of

THRESHOLDS = Path(__file__).with_name("terms.yml")


@dataclass(frozen=True, slots=True)
class FioTerms:
    """The file says what each means."""

    seconds: int
    files: int
    mib: int
    depth: int
    block: str
    spare: float
    least: float
    total_least: float
    fair: float
    gap: float
    trend: float
    overlap: float
    together: int
    source: str


@dataclass(frozen=True, slots=True)
class GdsTerms:
    """Reads from storage to a GPU."""

    seconds: int
    threads: int
    mib: int
    block: str
    least: float
    trend: float
    source: str


@dataclass(frozen=True, slots=True)
class StorageTerms:
    """The whole file."""

    fio: FioTerms
    gds: GdsTerms


@cache
def terms() -> StorageTerms:
    """The file's terms. ValueError where it lacks or adds a key."""
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    if wrong := sorted(set(said) ^ {"fio", "gds"}):
        raise ValueError(f"{THRESHOLDS.name}: {', '.join(wrong)}: missing or unknown")
    fio = made_of(FioTerms, said["fio"], "fio")
    return StorageTerms(fio, made_of(GdsTerms, said["gds"], "gds"))
