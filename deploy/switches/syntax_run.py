"""Asks a switch's own programs what they think of rendered files, before any switch does.

The programs are those of the lab's switch image, else those of this machine. What could
not be checked is a problem like any other: silence is not a pass.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from deploy.lab.command import JAIL, last_words
from deploy.lab.paths import IMAGES
from inventory.switches.abilities import of
from switch_configs.intent import Rendered
from validation.evidence.aside import scratch

from . import sonic_run

_HERE = Path(__file__).parent
_TIMEOUT_S = 300
# Devices whose files one run of the programs reads.
_GROUP = 16
_NOT_CHECKED = "not checked:"
_TRY = "as root `railbed lab up` builds the image whose programs are used; or install frr here"


@dataclass(frozen=True, slots=True)
class Programs:
    """Which programs judge, beside those that are found by themselves.

    `sonic_yang` is a folder of SONiC's YANG models, for SONiC's own validator.
    """

    sonic_yang: Path | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What programs said of one device: what is wrong, and what they could not judge."""

    wrong: tuple[str, ...]
    unproved: tuple[str, ...]


def check_syntax(rendered: Rendered) -> tuple[str, ...]:
    """What is wrong with one device's files, or why it is not known; empty is a pass.

    Runs vtysh -C, frr-reload.py --test, ifup -s, nft -c and sysctl; a second or two.
    """
    return check_all([rendered])[rendered.device]


def check_all(configurations: Sequence[Rendered]) -> dict[str, tuple[str, ...]]:
    """The same for many devices in one go, by device."""
    every = {rendered.dialect for rendered in configurations}
    foreign = {name for name in every if of(name).programs != "all"}
    if foreign:
        return _all(configurations, f"no program here reads {', '.join(sorted(foreign))}")
    return _complaints(configurations)


def check_programs(
    configurations: Sequence[Rendered], programs: Programs | None
) -> dict[str, Said]:
    """What programs say of the files that they read, by device; None runs none of them.

    On all processors: a program takes a tenth of a second to start, and there are five.
    """
    readable = [rendered for rendered in configurations if of(rendered.dialect).programs != "none"]
    said = {rendered.device: Said((), ()) for rendered in configurations}
    if programs is None:
        why = "its system's programs were not asked"
        return said | {rendered.device: Said((), (why,)) for rendered in readable}
    groups = [readable[at : at + _GROUP] for at in range(0, len(readable), _GROUP)]
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for found in pool.map(_complaints, groups):
            said |= {device: _sorted(lines) for device, lines in found.items()}
    switches = [rendered for rendered in configurations if rendered.dialect == "sonic"]
    for device, lines in sonic_run.check_all(switches, programs.sonic_yang).items():
        said[device] = _with(said[device], _sorted(lines))
    return said


def _sorted(lines: Sequence[str]) -> Said:
    unproved = tuple(line for line in lines if _NOT_CHECKED in line)
    return Said(tuple(line for line in lines if line not in unproved), unproved)


def _with(said: Said, more: Said) -> Said:
    return Said((*said.wrong, *more.wrong), (*said.unproved, *more.unproved))


def _complaints(configurations: Sequence[Rendered]) -> dict[str, tuple[str, ...]]:
    with scratch("syntax") as folder:
        for one in configurations:
            _lay_out(one, folder)
        said, why_not = _run(folder)
    if why_not:
        return _all(configurations, why_not)
    problems: dict[str, list[str]] = {rendered.device: [] for rendered in configurations}
    for line in said:
        device, path, words = line.split("\t", 2)
        problems[device].append(f"{path}: {words}")
    return {device: tuple(lines) for device, lines in problems.items()}


def image_lower() -> str | None:
    """The read-only folders of the newest switch image, topmost first; None without one."""
    found = [path for path in IMAGES.glob("*/switch") if not path.parent.name.startswith("half-")]
    newest = max(found, key=lambda one: (one.stat().st_mtime, str(one)), default=None)
    return f"{newest}:{newest.parent / 'base'}" if newest else None


def _all(configurations: Sequence[Rendered], why: str) -> dict[str, tuple[str, ...]]:
    return {rendered.device: (f"{_NOT_CHECKED} {why}",) for rendered in configurations}


def _lay_out(rendered: Rendered, folder: Path) -> None:
    for file in rendered.files:
        path = folder / rendered.device / file.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")


def _run(folder: Path) -> tuple[list[str], str]:
    """The complaints, and why there is no answer, or ""."""
    check = str(_HERE / "syntax_check.sh")
    lower = image_lower()
    if os.geteuid() == 0 and lower:
        in_image = ["/bin/sh", str(_HERE / "syntax_image.sh"), lower, check, str(folder)]
        argv = [*JAIL, "unshare", "--net", *in_image]
    else:
        argv = ["/bin/sh", check, str(folder)]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], f"{error} ({_TRY})"
    lines = done.stdout.splitlines()
    if done.returncode or lines[-1:] != ["checked"]:
        return [], f"{last_words(done.stderr or done.stdout, 1)} ({_TRY})"
    return lines[:-1], ""
