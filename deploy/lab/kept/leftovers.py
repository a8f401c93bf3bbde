"""Finds and removes all that a lab made on this machine, whatever cut it off."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from deploy.lab.command import run
from deploy.lab.machines import cgroups, disks
from deploy.lab.paths import LABS, NAME, NETNS, RUNTIME, LabPaths

_NSPAWN = Path("/run/systemd/nspawn")
_STATE_FILES = ("access.json", "hostkeys.json", "wiring.csv")


def remove(name: str) -> None:
    """End the lab's processes, then remove its mounts, namespaces, links and files.

    What people want to keep stays in the state folder: the key, record, evidence, reports.
    """
    paths = LabPaths(name)
    cgroups.kill(name)
    propagated = [one for one in disks.mounts_below(_NSPAWN) if f"/rb-{name}-" in one]
    for point in (*disks.mounts_below(paths.disks), *propagated):
        run(["umount", "--lazy", point])
    _remove_network(paths)
    for folder in (paths.disks, paths.runtime, *_NSPAWN.glob(f"*/rb-{name}-*")):
        if folder.exists():
            shutil.rmtree(folder)
    cgroups.remove(name)
    for file in _STATE_FILES:
        (paths.state / file).unlink(missing_ok=True)
    paths.owner.unlink(missing_ok=True)


def labs() -> tuple[str, ...]:
    """Every lab with something on this machine, up or left over."""
    found = set(cgroups.labs())
    found |= {path.name for folder in (LABS, RUNTIME) for path in folder.glob("*/")}
    spaces = (re.fullmatch(r"rb-([a-z0-9]+)-.+", path.name) for path in NETNS.glob("rb-*"))
    found |= {match[1] for match in spaces if match}
    return tuple(sorted(name for name in found if NAME.fullmatch(name)))


def _remove_network(paths: LabPaths) -> None:
    if Path(f"/sys/class/net/{paths.host_port}").exists():
        run(["ip", "link", "delete", paths.host_port])
    spaces = sorted(NETNS.glob(f"rb-{paths.name}-*"))
    if spaces:
        run(["ip", "-batch", "-"], "".join(f"netns delete {path.name}\n" for path in spaces))
