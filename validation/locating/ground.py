"""The fabric as flows see it: which hops compete for a flow, and what shares a cause. Pure.

A hop is a switch port that sends to another switch. Hops that spread the same traffic form a
group: all that leads up from the same leaves, or down to the same ones. ECMP takes one of them
for each stream, by a hash that nobody knows, so a priori each is as likely.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from inventory.plan import Cable, Plan, PortRef
from validation.stages.s15_optics.batch import Piece

Leaves = frozenset[str]
Key = tuple[bool, Leaves]  # up from these leaves, or down to them


@dataclass(frozen=True)
class Ground:
    """What locating needs of a plan, indexed once; it holds for every run of this plan.

    `pieces` are the optics in ports of which the batch is known: they may fail together.
    """

    plan: Plan
    pieces: Mapping[PortRef, Piece] = field(default_factory=dict)
    below: Mapping[str, Leaves] = field(init=False)
    hops: Mapping[Key, tuple[PortRef, ...]] = field(init=False)
    rack: Mapping[str, str] = field(init=False)
    _keys: dict[tuple[str, str], tuple[Key, ...]] = field(default_factory=dict)
    _of_leaf: Mapping[str, tuple[Key, ...]] = field(init=False)

    def __post_init__(self) -> None:
        leaves = {nic.leaf.device for node in self.plan.nodes for nic in node.rails}
        below = _below(self.plan, leaves)
        hops = dict[Key, list[PortRef]]()
        of_leaf = dict[str, dict[Key, None]]()
        for name in sorted(below):
            for port in self.plan.switch[name].ports:
                if port.peer.device in below:
                    up = port.direction == "up"
                    key = up, below[name if up else port.peer.device]
                    hops.setdefault(key, []).append(PortRef(name, port.name))
        for key in hops:
            for leaf in key[1]:
                of_leaf.setdefault(leaf, {})[key] = None
        racks = {device.device: rack.name for rack in self.plan.racks for device in rack.devices}
        object.__setattr__(self, "below", below)
        object.__setattr__(self, "hops", {key: tuple(some) for key, some in hops.items()})
        object.__setattr__(self, "rack", racks)
        object.__setattr__(self, "_of_leaf", {one: tuple(keys) for one, keys in of_leaf.items()})

    def keys(self, here: str, there: str) -> tuple[Key, ...]:
        """The groups of which a flow between two leaves takes one hop each."""
        if (here, there) not in self._keys:
            ups = [one for one in self._of_leaf.get(here, ()) if one[0] and there not in one[1]]
            downs = [
                one for one in self._of_leaf.get(there, ()) if not one[0] and here not in one[1]
            ]
            self._keys[here, there] = (*ups, *downs)
        return self._keys[here, there]

    @cached_property
    def batches_of(self) -> Mapping[str, frozenset[str]]:
        """The batches of a cable's optics, by its unit: of cables that flows may take."""
        taken = {hop for some in self.hops.values() for hop in some}
        taken |= {nic.leaf for node in self.plan.nodes for nic in node.rails}
        found: dict[str, set[str]] = {}
        for port, piece in self.pieces.items():
            cable = self.plan.cable_at[port]
            if cable.a in taken or cable.b in taken:
                found.setdefault(f"cable {cable}", set()).add(piece.batch)
        return {unit: frozenset(some) for unit, some in found.items()}

    @cached_property
    def batched(self) -> frozenset[str]:
        """The cables with optics of a known batch."""
        return frozenset(self.batches_of)

    @cached_property
    def links_of(self) -> Mapping[str, frozenset[str]]:
        """The cables that have optics of a batch, by its name."""
        found: dict[str, set[str]] = {}
        for unit, some in self.batches_of.items():
            for batch in some:
                found.setdefault(batch, set()).add(unit)
        return {batch: frozenset(some) for batch, some in found.items()}

    def cable(self, hop: PortRef) -> Cable:
        """The cable that a hop sends over."""
        return self.plan.cable_at[hop]

    def far(self, hop: PortRef) -> PortRef:
        """The port at the other end of a hop's cable."""
        cable = self.plan.cable_at[hop]
        return cable.b if cable.a == hop else cable.a


def _below(plan: Plan, leaves: set[str]) -> dict[str, Leaves]:
    """Each switch of the rails' fabric with the leaves that hang below it."""
    found = {leaf: frozenset((leaf,)) for leaf in leaves}
    level = sorted(leaves)
    while level:
        above = dict[str, set[str]]()
        for name in level:
            for port in plan.switch[name].ports:
                if port.direction == "up" and port.peer.device in plan.switch:
                    above.setdefault(port.peer.device, set()).update(found[name])
        found |= {name: frozenset(some) for name, some in above.items()}
        level = sorted(above)
    return found
