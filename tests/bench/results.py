"""How benches say what they found, and how they time another process."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


def result(name: str, value: float, unit: str, target: float, *, most: bool = True) -> str:
    """One RESULT line: at most (or at least) `target` is ok."""
    met = value <= target if most else value >= target
    sign = "<=" if most else ">="
    return f"RESULT {name} {value:.2f} {unit} target {sign}{target:g} {'ok' if met else 'short'}"


@dataclass(frozen=True, slots=True)
class Ran:
    """A whole process, its start included: seconds on the clock and on the processors."""

    wall_s: float
    cpu_s: float
    out: str


def run(command: Sequence[str], folder: Path, env: dict[str, str] | None = None) -> Ran:
    """Run a command to its end; CalledProcessError where it fails.

    Processor seconds count what other programs on the machine do not change.
    """
    before, begin = _children_s(), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Ran(time.perf_counter() - begin, _children_s() - before, done.stdout)


def best(
    times: int, command: Sequence[str], folder: Path, env: dict[str, str] | None = None
) -> Ran:
    """The quickest of several runs by the clock."""
    return min((run(command, folder, env) for _ in range(times)), key=lambda one: one.wall_s)


def compiled(folder: Path) -> dict[str, str]:
    """Settings for Python programs: modules are compiled in their first run, into `folder`.

    As on any machine of an operator; a container may have said that nothing is to be kept.
    """
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}


def _children_s() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system
