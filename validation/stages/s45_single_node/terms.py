"""`terms.yml` as data, read strictly: a key that is missing or unknown is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from inventory.own_yaml import own_yaml

THRESHOLDS = Path(__file__).with_name("terms.yml")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Memory:
    """How long each NUMA node's memory is copied, and what share of its peak is enough.

    Above `most` something else was measured.
    """

    seconds: int
    least: float
    most: float
    gap: float
    trend: float
    source: str


@dataclass(frozen=True, slots=True)
class Disk:
    """`files` of `mib` together; `spare` of the file system stays free."""

    seconds: int
    files: int
    mib: int
    spare: float
    depth: int
    least: float
    most: float
    gap: float
    trend: float
    source: str


@dataclass(frozen=True, slots=True)
class Nvlink:
    """Share of a link's nominal rate."""

    least: float
    source: str


@dataclass(frozen=True, slots=True)
class Nic:
    """Shares of a NIC's rate, to memory near it and far from it."""

    seconds: int
    least: float
    far_least: float
    gap: float
    trend: float
    source: str


@dataclass(frozen=True, slots=True)
class Dcgm:
    """By run level: its time limit, the tests that must have run; who draws full power."""

    limit_s: Mapping[int, int]
    power_from_level: int
    tests: Mapping[int, list[str]]
    source: str


@dataclass(frozen=True, slots=True)
class Burn:
    """How long a burn lasts, and how far GPUs of one model may lie apart."""

    seconds: int
    gap: float
    trend: float
    source: str


@dataclass(frozen=True, slots=True)
class AllReduce:
    """The one size that is asked, and the share of a model's published figure, of `gpus` of it."""

    bytes: int
    gpus: int
    least: float
    gap: float
    trend: float
    source: str


@dataclass(frozen=True, slots=True)
class RampTerms:
    """The most that one step may add, as shares of what a PDU, a rack and a row may carry."""

    pdu_step: float
    rack_step: float
    row_step: float
    source: str


@dataclass(frozen=True, slots=True)
class ProfileFigures:
    """What is planned of a kind of node; None: nobody says. Memory is that of one NUMA node.

    A `shared` machine has as much as others leave it, so its earlier figures say nothing of it,
    and what is planned of it is a floor alone.
    """

    source: str
    shared: bool = False
    memory_gbytes_per_s: float | None = None
    disk_read_mbytes_per_s: float | None = None
    disk_write_mbytes_per_s: float | None = None
    disk_mib: int | None = None
    disk_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class GpuModel:
    """What is published of a GPU, under the name that its driver gives it; None: nobody says.

    `all_reduce_gbytes_per_s` is that of `AllReduce.gpus`, `hottest_c` where it begins to slow down.
    """

    nvlinks: int
    nvlink_gbytes_per_s: float
    hottest_c: int | None
    all_reduce_gbytes_per_s: float | None
    source: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The whole file."""

    memory: Memory
    disk: Disk
    nvlink: Nvlink
    nic: Nic
    dcgm: Dcgm
    burn: Burn
    all_reduce: AllReduce
    ramp: RampTerms
    profiles: Mapping[str, ProfileFigures]
    gpu_models: Mapping[str, GpuModel]


@cache
def terms() -> Terms:
    """The file's terms. ValueError where it lacks or adds a key."""
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    kinds = {"profiles": ProfileFigures, "gpu_models": GpuModel}
    own = {
        "memory": Memory,
        "disk": Disk,
        "nvlink": Nvlink,
        "nic": Nic,
        "dcgm": Dcgm,
        "burn": Burn,
        "all_reduce": AllReduce,
        "ramp": RampTerms,
    }
    if wrong := sorted(set(said) ^ {*kinds, *own}):
        raise ValueError(f"{THRESHOLDS.name}: {', '.join(wrong)}: missing or unknown")
    made: dict[str, Any] = {name: made_of(kind, said[name], name) for name, kind in own.items()}
    for name, kind in kinds.items():
        made[name] = {key: made_of(kind, row, key) for key, row in said[name].items()}
    return Terms(**made)


def made_of(kind: type[T], said: Mapping[str, Any], name: str) -> T:
    """A dataclass of exactly these keys. ValueError for any other."""
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    needed = {name for name, one in known.items() if one.default is MISSING}
    if wrong := sorted((set(said) - set(known)) | (needed - set(said))):
        raise ValueError(f"{name}: {', '.join(wrong)}: missing or unknown")
    return kind(**said)


NOBODY = ProfileFigures(source="nobody says")


def figures_of(profile: str) -> ProfileFigures:
    """What is planned of a profile; nothing where nobody says."""
    return terms().profiles.get(profile, NOBODY)


def most_of(profile: str, asked: Memory | Disk) -> float | None:
    """The share above which a figure is none of the part; None: not asked.

    The figures of a `shared` machine are floors: how fast it may be nobody knows.
    """
    return None if figures_of(profile).shared else asked.most


def trend_of(profile: str, asked: Memory | Disk | Nic) -> float | None:
    """The most that a part of such a node may lose against its own past; None: not asked."""
    return None if figures_of(profile).shared else asked.trend
