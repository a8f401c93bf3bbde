"""Devices that are alike: equal versions, and neighbours that are alike (colour refinement)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from .model import Cable, Fabric, restarts


def colours(
    fabric: Fabric, ends: Mapping[tuple[str, str], tuple[int, ...]], up: Mapping[Cable, object]
) -> dict[str, int]:
    """A number for each device; those of one number have equal versions and neighbourhoods.

    `ends` are numbers of what ports do by version, `up` with which versions a cable carries.
    """
    numbers: dict[object, int] = {}

    def number(value: object) -> int:
        return numbers.setdefault(value, len(numbers))

    found = {name: number(role(fabric, name)) for name in fabric.devices}
    while True:
        meets: dict[str, Counter[object]] = {name: Counter() for name in fabric.devices}
        for cable in fabric.cables:
            low, high = ends[cable.below, cable.below_port], ends[cable.above, cable.above_port]
            seen = (low, high, up[cable])
            meets[cable.below]["up", seen, found[cable.above]] += 1
            meets[cable.above]["down", seen, found[cable.below]] += 1
        finer = {name: number((found[name], frozenset(met.items()))) for name, met in meets.items()}
        if len(set(finer.values())) == len(set(found.values())):
            return found
        found = finer


def role(fabric: Fabric, name: str) -> tuple[object, ...]:
    """What a person would call it: its tier, the words of its versions, and when it is away."""
    device = fabric.devices[name]
    made = device.versions
    away = tuple(restarts(one, other) for one, other in pairwise(made))
    return device.level, tuple(one.word for one in made), away
