"""What a lab can leave on a machine; all of it carries the lab's name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from deploy import lab
from deploy.lab.paths import LABS, NETNS, RUNTIME, LabPaths

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "inventory" / "sites" / "lab"


def forget(name: str) -> None:
    """Bring a test's lab down, and remove what people would want to keep of theirs."""
    lab.down(name)
    shutil.rmtree(LabPaths(name).state, ignore_errors=True)


def traces(name: str) -> list[str]:
    """Namespaces, links, mounts, control groups, folders and processes of a lab."""
    found = [str(one) for one in NETNS.glob(f"rb-{name}-*")]
    found += [str(one) for one in Path("/sys/class/net").glob(f"rb-{name}-*")]
    found += [
        line for line in Path("/proc/self/mounts").read_text().splitlines() if _of(name, line)
    ]
    # Not by glob, which fails where the folder of another lab goes meanwhile.
    groups = (folder for folder, _, _ in os.walk("/sys/fs/cgroup"))
    found += [one for one in groups if one.endswith(f"/railbed/{name}")]
    found += [str(one) for one in (LABS / name, RUNTIME / name) if one.exists()]
    found += [str(one) for one in Path("/run/systemd/nspawn").glob(f"*/rb-{name}-*")]
    return found + [one for one in _command_lines() if _of(name, one)]


def _of(name: str, text: str) -> bool:
    return any(f"{mark}" in text for mark in (f"/labs/{name}/", f"rb-{name}-", f"lab {name}\0"))


def _command_lines() -> list[str]:
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((process / "cmdline").read_bytes().decode("utf-8", "replace"))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return [line for line in lines if str(os.getpid()) not in line]
