"""Narrow cables that have one switch in common: the switch is the one suspect. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from .ground import Ground
from .suspect import Kind, Suspect

# So many cables of one switch that are narrow at once are no chance: one in ten thousand is.
MANY = 3
_DEVICE = "device "


def by_switch(ground: Ground, named: Sequence[Suspect], thin: Sequence[Suspect]) -> list[Suspect]:
    """All of `named`, and what of the narrow cables is not already one of them.

    A cable of a switch that is named is narrow because of it; three or more of a switch that is
    not name it. Both switches cover their cables, so that a flow over one is told the switch.
    """
    known = {suspect.units for suspect in named}
    rest = [suspect for suspect in thin if suspect.units not in known]
    found = []
    for one in named:
        device = one.units[0].removeprefix(_DEVICE)
        is_switch = len(one.units) == 1 and device in ground.plan.switch
        mine = [cable for cable in rest if is_switch and device in _devices(cable)]
        rest = [cable for cable in rest if cable not in mine]
        found.append(_with(one, mine))
    while (worst := _most_common(rest)) and worst[1] >= MANY:
        mine = [cable for cable in rest if worst[0] in _devices(cable)]
        rest = [cable for cable in rest if cable not in mine]
        found.append(_with(_switch(ground, worst[0], mine), mine))
    return [*found, *rest]


def _devices(cable: Suspect) -> tuple[str, ...]:
    ends = cable.units[0].removeprefix("cable ").split(" -- ")
    return tuple(end.partition(":")[0] for end in ends)


def _most_common(cables: Sequence[Suspect]) -> tuple[str, int] | None:
    """The switch at which most of them end, the first by name of several."""
    count = Counter(device for suspect in cables for device in _devices(suspect))
    return min(count.items(), key=lambda one: (-one[1], one[0]), default=None)


def _with(one: Suspect, cables: Sequence[Suspect]) -> Suspect:
    units = (unit for cable in cables for unit in cable.units)
    return replace(one, covers=(*one.covers, *units)) if cables else one


def _switch(ground: Ground, device: str, cables: Sequence[Suspect]) -> Suspect:
    is_leaf = ground.plan.switch[device].tier == "leaf"
    said = f"{len(cables)} of its cables carry less than planned, round after round"
    hint = f"see what limits {device} as a whole: its temperature, fabric, policers and buffers"
    kind = Kind.LEAF if is_leaf else Kind.SPINE
    sure = max(suspect.sure for suspect in cables)
    return Suspect(kind, (f"{_DEVICE}{device}",), sure, said, hint)
