"""Which cables flows use: up to the lowest common tier, then down (valley-free, RFC 7938, 5.2).

Of all equal paths each is used (ECMP). Nothing here loops, because nothing that came down goes
up again; who asks for more of routing gives another function of this promise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from .model import Cable, Fabric

Masks = tuple[int, ...]


@dataclass(frozen=True)
class Ways:
    """Usable cables upwards by device, and what each leaf reaches on each tier above, as bits.

    `hosts` are the cables between a leaf and its hosts; leaves of one `group` reach the same.
    """

    fabric: Fabric
    up: Mapping[str, tuple[Cable, ...]]
    hosts: Mapping[str, tuple[Cable, ...]]
    masks: Mapping[str, Masks]
    bit: Mapping[str, int]
    group: Mapping[str, int]
    _tiers: dict[tuple[int, int], int | None] = field(default_factory=dict)

    def tier(self, a: str, b: str) -> int | None:
        """How many tiers two leaves have to go up; 0 inside one, None where they have no path."""
        if a == b:
            return 0
        key = self.group[a], self.group[b]
        if key not in self._tiers:
            both = enumerate(zip(self.masks[a], self.masks[b], strict=True), start=1)
            self._tiers[key] = next((tier for tier, (one, other) in both if one & other), None)
        return self._tiers[key]

    def cone(self, leaf: str, other: str, tier: int) -> tuple[Cable, ...]:
        """The cables above a leaf on its paths to another, up to their common tier."""
        shared = self.masks[leaf][tier - 1] & self.masks[other][tier - 1] if tier else 0
        found: list[Cable] = []
        level = {leaf}
        for rest in range(tier - 1, -1, -1):
            mine = [cable for one in sorted(level) for cable in self.up.get(one, ())]
            mine = [cable for cable in mine if self._leads(cable.above, rest) & shared]
            found += mine
            level = {cable.above for cable in mine}
        return tuple(found)

    def _leads(self, name: str, tiers: int) -> int:
        """The bits that are so many tiers above a device, its own for 0."""
        if tiers == 0:
            return 1 << self.bit[name]
        mask = 0
        for cable in self.up.get(name, ()):
            mask |= self._leads(cable.above, tiers - 1)
        return mask


def ways(fabric: Fabric, usable: Collection[Cable]) -> Ways:
    """The paths over these cables."""
    up = defaultdict(list)
    hosts = defaultdict(list)
    for cable in usable:
        if fabric.devices[cable.below].level:
            up[cable.below].append(cable)
        else:
            hosts[cable.above].append(cable)
    switches = sorted(
        (one for one in fabric.devices.values() if one.level),
        key=lambda one: (-one.level, one.name),
    )
    bit = {one.name: at for at, one in enumerate(switches)}
    top = max((one.level for one in switches), default=1)
    reached: dict[str, list[int]] = {}
    for one in switches:
        mine = [0] * (top - 1)
        for cable in up.get(one.name, ()):
            if mine:
                mine[0] |= 1 << bit[cable.above]
            for tier, bits in enumerate(reached[cable.above][: top - 2], start=1):
                mine[tier] |= bits
        reached[one.name] = mine
    masks = {name: tuple(reached[name]) for name in fabric.leaves}
    numbers = {mask: at for at, mask in enumerate(dict.fromkeys(masks.values()))}
    return Ways(
        fabric,
        {name: tuple(of_it) for name, of_it in up.items()},
        {name: tuple(of_it) for name, of_it in hosts.items()},
        masks,
        bit,
        {name: numbers[mask] for name, mask in masks.items()},
    )
