"""The lines that each kind of device was asked in a stage: the next run's first trip.

It is a hint for speed, never evidence: a wrong or missing file costs a trip.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from inventory.load.json_text import parsed
from inventory.plan import Plan

from .whole_files import private_folder, write_whole

Learned = Mapping[int, Mapping[str, tuple[str, ...]]]


def kind_of(plan: Plan, device: str) -> str:
    """Devices of one kind are asked the same: a switch's tier and dialect, `node`, or `oob`."""
    if device in plan.any_switch:
        switch = plan.any_switch[device]
        return f"{switch.tier} {switch.dialect}"
    return "node" if device in plan.node else "oob"


def load(path: Path | None) -> Learned:
    """What an earlier run learnt; nothing where the file is missing or not understood."""
    try:
        raw = parsed(path.read_bytes()) if path else {}
        return {
            int(stage): {str(kind): tuple(map(str, lines)) for kind, lines in kinds.items()}
            for stage, kinds in raw.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def save(path: Path, learned: Learned) -> None:
    """Keep what was learnt."""
    text = json.dumps({str(key): learned[key] for key in sorted(learned)}, indent=1, sort_keys=True)
    private_folder(path.parent)
    write_whole(path, f"{text}\n".encode())


def learn(plan: Plan, asked: Mapping[tuple[int, str], frozenset[str]], before: Learned) -> Learned:
    """`asked`: (stage, device) -> lines read. A kind learns what all its devices were asked."""
    common: dict[int, dict[str, frozenset[str]]] = {}
    for (stage, device), lines in sorted(asked.items()):
        kinds = common.setdefault(stage, {})
        kind = kind_of(plan, device)
        kinds[kind] = kinds[kind] & lines if kind in kinds else lines
    now = {
        stage: {kind: tuple(sorted(lines)) for kind, lines in sorted(kinds.items())}
        for stage, kinds in common.items()
    }
    return {
        stage: {**before.get(stage, {}), **now.get(stage, {})} for stage in sorted({*before, *now})
    }
