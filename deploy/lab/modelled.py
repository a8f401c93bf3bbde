"""Switches of systems that nobody may have here: which machines are models, and their first disk.

A folder of `models/` is a system, named as its dialect; all boot one image layer. `disk/` in it is
what lies on a switch before `apply` comes: what a person types on a new one, as its room in
`switch_configs/` says; `models/disk/` says which system it is. Addresses and names are those of the
plan, cables never are.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from inventory.plan import Plan

DATA_RATE_MBPS = 200
_MOST_MBPS = 1000  # more, two processors do not carry over some hops
MODELS = Path(__file__).parent / "models"
SYSTEMS = tuple(sorted(one.parent.name for one in MODELS.glob("*/disk")))
LAYER = "model"
_LETTER = re.compile(r"(?<=\))[A-Z]$")  # of NX-OS, as in 10.5(3)F
_RUN = Path("usr/lib/modelled/models")


@dataclass(frozen=True, slots=True)
class Model:
    """A machine that is a model: of which system, and what was typed on it."""

    system: str
    words: Mapping[str, str]

    def disk(self, key: str) -> dict[Path, str]:
        """The files on it, by their path; `key` is the public key of who may log in.

        The model's programs are on its disk and not in the image, which costs most to build.
        """
        kind, text, *_ = key.split()
        words = {"key": key.strip(), "key_kind": kind, "key_text": text, "system": self.system}
        words |= self.words
        return _programs() | {
            path.relative_to(top): Template(path.read_text()).substitute(words)
            for top in (MODELS / "disk", MODELS / self.system / "disk")
            for path in sorted(top.rglob("*"))
            if path.is_file()
        }


def _programs() -> dict[Path, str]:
    return {_RUN / one.relative_to(MODELS): one.read_text() for one in MODELS.rglob("*.py")}


def digest(models: Mapping[str, Model]) -> str:
    """Of all that lies on these switches at first; empty where none is a model."""
    if not models:
        return ""
    parts = [f"{path}\0{text}" for path, text in sorted(_programs().items())]
    files = {one.relative_to(MODELS): one for one in MODELS.rglob("disk/**/*") if one.is_file()}
    parts += [f"{path}\0{file.read_text()}" for path, file in sorted(files.items())]
    parts += [
        f"{name}\0{one.system}\0{one.words['release']}" for name, one in sorted(models.items())
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def models(plan: Plan) -> dict[str, Model]:
    """The switches of a site whose system has a model."""
    return {
        one.name: Model(one.dialect, _words(plan, one.name))
        for one in plan.switches
        if one.dialect in SYSTEMS
    }


def rate_mbps(plan: Plan) -> int:
    """What a data link carries, where nobody says: what is planned, or what this host can."""
    planned = min((nic.rate_gbps for node in plan.nodes for nic in node.rails), default=0.0)
    return round(1000 * planned) if 0 < 1000 * planned <= _MOST_MBPS else DATA_RATE_MBPS


def _words(plan: Plan, name: str) -> dict[str, str]:
    """What a person finds there, and types. A release is said as its configuration says it."""
    switch = plan.switch[name]
    at, release = switch.management, switch.release
    where = {"address": str(at.address), "gateway": str(at.gateway), "port": at.port}
    return {"name": name, "release": _LETTER.sub("", release), **where}
