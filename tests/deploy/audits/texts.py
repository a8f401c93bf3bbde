"""A configuration of each system as `render` writes it, and folders made of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from switch_configs import render
from tests.switch_configs.sites import small


@cache
def rendered(system: str, number: int = 0) -> dict[str, str]:
    """The files of a leaf by their paths on it."""
    plan = small(system)
    leaves = [one.name for one in plan.switches if one.tier == "leaf"]
    return {file.path: file.text for file in render(plan, leaves[number]).files}


def one(system: str, number: int = 0) -> str:
    """The text of a system that has one file, or of its first."""
    return next(iter(rendered(system, number).values()))


def hostname(text: str) -> str:
    """What an EOS or NX-OS text calls itself."""
    return next(line.split()[1] for line in text.splitlines() if line.startswith("hostname "))


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
