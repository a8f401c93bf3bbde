"""Which cables flows use: up to the lowest common tier, then down (valley-free, RFC 7938, 5.2).

Of all equal paths each is used (ECMP). A path has no AS twice, because BGP refuses what it has told
itself (RFC 4271, 9.1.2). Nothing here loops: nothing that came down goes up again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from .model import Cable, Fabric

Asns = frozenset[int]
"""The AS numbers that a switch may have."""


@dataclass(frozen=True)
class Ways:
    """Usable cables upwards by device, and what each leaf reaches above, as bits.

    `spines` are those of a leaf, `tops` what is above these by their ASNs. `hosts` are the cables
    between a leaf and its hosts. Leaves of one `group` reach the same; `clean` says that no AS of a
    leaf is that of another switch.
    """

    fabric: Fabric
    asns: Mapping[str, Asns]
    up: Mapping[str, tuple[Cable, ...]]
    hosts: Mapping[str, tuple[Cable, ...]]
    bit: Mapping[str, int]
    spines: Mapping[str, int]
    tops: Mapping[str, Mapping[Asns, int]]
    group: Mapping[str, int]
    clean: bool
    _shared: dict[object, tuple[int | None, int]] = field(default_factory=dict)

    def tier(self, a: str, b: str) -> int | None:
        """How many tiers two leaves have to go up; 0 inside one, None where they have no path."""
        return self.shared(a, b)[0]

    def shared(self, a: str, b: str) -> tuple[int | None, int]:
        """That, and the switches of that tier which both reach, as bits."""
        if a == b:
            return 0, 0
        key = (self.group[a], self.group[b]) if self.clean else (a, b)
        if key not in self._shared:
            self._shared[key] = self._meet(a, b)
        return self._shared[key]

    def _meet(self, a: str, b: str) -> tuple[int | None, int]:
        if not self.clean and self.asns[a] & self.asns[b]:
            return None, 0
        if both := self.spines[a] & self.spines[b]:
            return 1, both
        ends = self.asns[a] | self.asns[b]
        mask = 0
        for mine, above in self.tops[a].items():
            for its, other in self.tops[b].items():
                if not mine & its and (
                    self.clean or not (mine & self.asns[b] or its & self.asns[a])
                ):
                    mask |= above & other
        if mask and not self.clean:
            for name, at in self.bit.items():
                if self.asns[name] & ends:
                    mask &= ~(1 << at)
        return (2, mask) if mask else (None, 0)

    def cone(self, leaf: str, other: str) -> tuple[Cable, ...]:
        """The cables above a leaf on its paths to another, up to their common tier."""
        tier, shared = self.shared(leaf, other)
        found: list[Cable] = []
        level = {leaf}
        for rest in range((tier or 0) - 1, -1, -1):
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


def ways(fabric: Fabric, usable: Collection[Cable], asns: Mapping[str, Asns]) -> Ways:
    """The paths over these cables."""
    up = defaultdict(list)
    hosts = defaultdict(list)
    for cable in usable:
        if fabric.devices[cable.below].level:
            up[cable.below].append(cable)
        else:
            hosts[cable.above].append(cable)
    bit = {one.name: at for at, one in enumerate(fabric.devices.values()) if one.level > 1}
    spines, tops = dict[str, int](), dict[str, dict[Asns, int]]()
    above = {name: _mask(bit, cables) for name, cables in up.items()}
    for leaf in fabric.leaves:
        spines[leaf] = above.get(leaf, 0)
        mine = defaultdict[Asns, int](int)
        for cable in up.get(leaf, ()):
            mine[asns[cable.above]] |= above.get(cable.above, 0)
        tops[leaf] = dict(mine)
    reached = {leaf: (spines[leaf], frozenset(tops[leaf].items())) for leaf in fabric.leaves}
    numbers = {one: at for at, one in enumerate(dict.fromkeys(reached.values()))}
    return Ways(
        fabric,
        asns,
        {name: tuple(cables) for name, cables in up.items()},
        {name: tuple(cables) for name, cables in hosts.items()},
        bit,
        spines,
        tops,
        {name: numbers[one] for name, one in reached.items()},
        _is_clean(fabric, asns),
    )


def _mask(bit: Mapping[str, int], cables: list[Cable]) -> int:
    mask = 0
    for cable in cables:
        mask |= 1 << bit[cable.above]
    return mask


def _is_clean(fabric: Fabric, asns: Mapping[str, Asns]) -> bool:
    """Whether each leaf's AS is its own."""
    seen = {asn for name, mine in asns.items() if fabric.devices[name].level > 1 for asn in mine}
    for leaf in fabric.leaves:
        if seen & asns[leaf]:
            return False
        seen |= asns[leaf]
    return True
