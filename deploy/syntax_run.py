"""Asks a switch's own programs what they think of rendered files, before any switch does.

The programs are those of the lab's switch image, else those of this machine. What could
not be checked is a problem like any other: silence is not a pass.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from switch_configs.intent import Rendered

from .lab.command import JAIL, last_words
from .lab.paths import IMAGES

_HERE = Path(__file__).parent
_TIMEOUT_S = 300
_TRY = "as root `railbed lab up` builds the image whose programs are used; or install frr here"


def check_syntax(rendered: Rendered) -> tuple[str, ...]:
    """What is wrong with one device's files, or why it is not known; empty is a pass.

    Runs vtysh -C, frr-reload.py --test, ifup -s, nft -c and sysctl; a second or two.
    """
    return check_all([rendered])[rendered.device]


def check_all(configurations: Sequence[Rendered]) -> dict[str, tuple[str, ...]]:
    """The same for many devices in one go, by device."""
    foreign = {one.dialect for one in configurations} - {"linux_frr"}
    if foreign:
        return _all(configurations, f"no program here reads {', '.join(sorted(foreign))}")
    with tempfile.TemporaryDirectory(prefix="railbed-syntax-") as folder:
        for one in configurations:
            _lay_out(one, Path(folder))
        said, why_not = _run(Path(folder))
    if why_not:
        return _all(configurations, why_not)
    problems: dict[str, list[str]] = {one.device: [] for one in configurations}
    for line in said:
        device, path, words = line.split("\t", 2)
        problems[device].append(f"{path}: {words}")
    return {device: tuple(lines) for device, lines in problems.items()}


def image_lower() -> str | None:
    """The read-only folders of the newest switch image, topmost first; None without one."""
    found = [one for one in IMAGES.glob("*/switch") if not one.parent.name.startswith("half-")]
    newest = max(found, key=lambda one: (one.stat().st_mtime, str(one)), default=None)
    return f"{newest}:{newest.parent / 'base'}" if newest else None


def _all(configurations: Sequence[Rendered], why: str) -> dict[str, tuple[str, ...]]:
    return {one.device: (f"not checked: {why}",) for one in configurations}


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
