"""A control group for each lab and machine: who belongs to it, and its end as a whole.

cgroup v2 alone, or the hybrid of v2 and a named v1 hierarchy that systemd inside a
machine also needs (cgroups(7)).
"""

from __future__ import annotations

import functools
import os
import re
import time
from pathlib import Path

from deploy.errors import RailbedError

_ROOT = "railbed"
_END_LIMIT_S = 20.0


def join_command(lab: str, machine: str) -> list[str]:
    """A prefix for an argv: its process enters the group first, then becomes the argv."""
    files = [str(folder / "cgroup.procs") for folder in _make(f"{_ROOT}/{lab}/{machine}")]
    return ["/bin/sh", "-c", 'for f in $1; do echo $$ > "$f"; done; shift; exec "$@"', "sh",
            " ".join(files)]  # fmt: skip


def members(lab: str, machine: str) -> tuple[int, ...]:
    """The processes of a machine, sorted by pid; empty if there is no such group."""
    return _members(_v2() / _ROOT / lab / machine)


def kill(lab: str, machine: str = "") -> None:
    """End every process of a machine, or of a whole lab, and wait until none is left."""
    folder = _v2() / _ROOT / lab / machine
    if not folder.is_dir():
        return
    (folder / "cgroup.kill").write_text("1")
    give_up = time.monotonic() + _END_LIMIT_S
    while "populated 1" in (folder / "cgroup.events").read_text():
        if time.monotonic() > give_up:
            raise RailbedError(f"processes of {lab} {machine} do not end: {_members(folder)}")
        time.sleep(0.02)


def remove(lab: str) -> None:
    """Remove the groups of a lab whose processes have ended."""
    for hierarchy in _hierarchies():
        top = hierarchy / _ROOT / lab
        if top.is_dir():
            for folder in sorted((path for path in top.rglob("*/")), reverse=True):
                folder.rmdir()
            top.rmdir()


def labs() -> tuple[str, ...]:
    """The labs that have groups, alive or left over."""
    found = {path.name for root in _hierarchies() for path in (root / _ROOT).glob("*/")}
    return tuple(sorted(found))


def _make(group: str) -> list[Path]:
    folders = [hierarchy / group for hierarchy in _hierarchies()]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    return folders


def _members(folder: Path) -> tuple[int, ...]:
    found: set[int] = set()
    # Groups come and go while we look; os.walk leaves out those that are gone.
    for below, _, _ in os.walk(folder):
        try:
            found.update(map(int, (Path(below) / "cgroup.procs").read_text().split()))
        except (FileNotFoundError, OSError):
            continue
    return tuple(sorted(found - {0}))


@functools.cache
def _hierarchies() -> tuple[Path, ...]:
    """The mount points of cgroup2 and, where there is one, of the v1 `name=systemd`."""
    text = Path("/proc/self/mounts").read_text()
    found = re.findall(r"^\S+ (\S+) (cgroup2?) (\S+)", text, re.MULTILINE)
    v2 = [Path(where) for where, kind, _ in found if kind == "cgroup2"]
    v1 = [Path(where) for where, kind, how in found if kind == "cgroup" and "name=systemd" in how]
    if not v2 or not (v2[0] / "cgroup.procs").exists():
        raise RailbedError(
            "no cgroup2 file system is mounted here",
            hint="the lab needs one, at /sys/fs/cgroup or /sys/fs/cgroup/unified",
        )
    return (v2[0], *v1[:1])


def _v2() -> Path:
    return _hierarchies()[0]
