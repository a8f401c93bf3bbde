"""What a lab runs, and what it costs."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from . import host, supervisor
from .kept import leftovers
from .lab import is_up
from .machines import cgroups, machine
from .machines.image import Images
from .paths import LabPaths
from .spec import MachineSpec, load


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """One machine. `state` is running, booting or off; `pid` is its PID 1 on this host.

    `memory_bytes` is the proportional share (PSS) of its processes, `disk_bytes` what it
    has written over its image; `since` is seconds of the Unix epoch.
    """

    name: str
    layer: str
    state: str
    pid: int | None
    starts: int
    since: float
    memory_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class LabStatus:
    """A lab. `state` is up, down or broken (cut off; `lab up` or `lab down` mends it)."""

    name: str
    state: str
    kind: str
    slot: int | None
    address: str
    since: float
    memory_bytes: int
    disk_bytes: int
    images_bytes: int
    machines: tuple[MachineStatus, ...]

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)

    def title(self) -> str:
        """In a line."""
        if self.state == "down":
            return f"lab {self.name} is down; images {self.images_bytes / 1e6:.0f} MB"
        return (
            f"lab {self.name} is {self.state}: {self.kind}, jump host {self.address or '-'}, "
            f"memory {self.memory_bytes / 1e6:.0f} MB, disk {self.disk_bytes / 1e6:.0f} MB, "
            f"images {self.images_bytes / 1e6:.0f} MB"
        )


def status(name: str = "lab") -> LabStatus:
    """What the lab `name` runs and costs now; of a lab that is not up, what is left of it."""
    host.require_root()
    paths = LabPaths(name)
    try:
        spec = load(paths.spec)
    except FileNotFoundError:
        state = "broken" if name in leftovers.labs() else "down"
        return LabStatus(name, state, "", None, "", 0, 0, 0, _disk(Images("").folder), ())
    runs = supervisor.runs(name)
    machines = tuple(_machine(paths, one, runs.get(one.name)) for one in spec.machines)
    own = memory_bytes(name, supervisor.GROUP)
    return LabStatus(
        name=name,
        state="up" if is_up(name) else "broken",
        kind=spec.kind,
        slot=spec.slot,
        address=spec.access_address,
        since=spec.since,
        memory_bytes=own + sum(one.memory_bytes for one in machines),
        disk_bytes=sum(one.disk_bytes for one in machines),
        images_bytes=_disk(Images(spec.images).folder),
        machines=machines,
    )


def _machine(paths: LabPaths, one: MachineSpec, run: supervisor.Run | None) -> MachineStatus:
    pid = machine.leader(paths.name, one.name)
    return MachineStatus(
        name=one.name,
        layer=one.layer,
        state=_state(pid),
        pid=pid,
        starts=run.starts if run else 0,
        since=run.since if run else 0,
        memory_bytes=memory_bytes(paths.name, one.name),
        disk_bytes=_disk(paths.upper(one.name)),
    )


def _state(pid: int | None) -> str:
    if pid is None:
        return "off"
    return "running" if machine.booted(pid) else "booting"


def memory_bytes(name: str, machine: str = "") -> int:
    """What a machine's processes take, or all of the lab's; 0 where there are none.

    It is their proportional set size: shared pages count once over all sharers.
    """
    return sum(_pss(pid) for pid in cgroups.members(name, machine))


def _pss(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.partition("\nPss:")[2].split()[0]) * 1024 if "\nPss:" in text else 0


def _disk(folder: Path) -> int:
    """Bytes that a folder takes (stat(2), st_blocks of 512 bytes)."""
    found = (Path(at) / one for at, *names in os.walk(folder) for one in chain(*names))
    return sum(map(_blocks, found)) * 512


def _blocks(path: Path) -> int:
    """None of what a running machine removes meanwhile."""
    try:
        return path.lstat().st_blocks
    except FileNotFoundError:
        return 0
