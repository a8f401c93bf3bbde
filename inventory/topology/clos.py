"""Counts, names and positions of a Clos fabric of two or three tiers. Pure arithmetic.

Every position is counted within the declared maxima and never within what is built, so that
growth inside the maxima renumbers nothing. Pods, units, spines and places count from 1, rails
and slots from 0 as NICs do.

A pod is one or more units; a unit is one set of leaves, a leaf for each slot. In a
rail-optimized fabric a slot is a rail (of a plane of its NICs). With three tiers each pod has
spines of its own, and spine n of every pod hangs on group n of the superspines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property


@dataclass(frozen=True, slots=True, order=True)
class LeafAt:
    """The position of a leaf: pod and unit from 1, slot from 0."""

    pod: int
    unit: int
    slot: int


@dataclass(frozen=True, slots=True, order=True)
class SpineAt:
    """The position of a spine; `pod` is 0 where all pods share the spines."""

    pod: int
    nic_plane: int
    number: int


@dataclass(frozen=True, slots=True, order=True)
class SuperspineAt:
    """The position of a superspine: its group is the number of the spines below it."""

    nic_plane: int
    group: int
    number: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A leaf's place in its unit: its word in names, its rail (if any), its plane of NICs.

    `rank` counts the slots of one plane of NICs from 0.
    """

    label: str
    rail: int | None
    nic_plane: int
    rank: int


@dataclass(frozen=True, slots=True)
class Cage:
    """A cage of a switch from 1, in how many ports it is split, and the part from 1."""

    number: int
    ways: int
    part: int


@dataclass(frozen=True)
class Clos:
    """What is built, and what it may grow to.

    `units` are the (pod, unit) built. `down_ports` is the most ports of a leaf towards nodes.
    `ways` are the ports of a cage towards nodes, between leaves and spines, and above.
    """

    prefix: str
    pod_word: str
    slots: tuple[Slot, ...]
    units: tuple[tuple[int, int], ...]
    max_pods: int
    max_units: int
    spines: int
    max_spines: int
    superspines: int
    max_superspines: int
    uplinks: int
    top_uplinks: int
    down_ports: int
    ways: tuple[int, int, int]
    three_tier: bool
    absent: frozenset[str]

    @cached_property
    def nic_planes(self) -> int:
        """1, or 2 where the NICs have two ports to two planes."""
        return 1 + max((slot.nic_plane for slot in self.slots), default=0)

    @cached_property
    def slots_per_plane(self) -> int:
        """Leaves of a unit in one plane of NICs."""
        return 1 + max((slot.rank for slot in self.slots), default=0)

    @property
    def max_leaves(self) -> int:
        """A leaf for each slot of each possible unit."""
        return self.max_pods * self.max_units * len(self.slots)

    @property
    def max_spine_count(self) -> int:
        """All spines that can exist."""
        return (self.max_pods if self.three_tier else 1) * self.nic_planes * self.max_spines

    @property
    def max_superspine_count(self) -> int:
        """All superspines that can exist."""
        return self.nic_planes * self.max_spines * self.max_superspines if self.three_tier else 0

    @cached_property
    def leaves(self) -> dict[str, LeafAt]:
        """The leaves built, by name, in position order."""
        places = (
            LeafAt(pod, unit, slot) for pod, unit in self.units for slot in range(len(self.slots))
        )
        return {self.leaf_name(at): at for at in places}

    @cached_property
    def spine_places(self) -> dict[str, SpineAt]:
        """The spines built, by name, in position order."""
        pods = sorted({pod for pod, _ in self.units}) if self.three_tier else [0]
        places = (
            SpineAt(pod, plane, number)
            for pod in pods
            for plane in range(self.nic_planes)
            for number in range(1, self.spines + 1)
        )
        names = ((self.spine_name(at), at) for at in places)
        return {name: at for name, at in names if name not in self.absent}

    @cached_property
    def superspine_places(self) -> dict[str, SuperspineAt]:
        """The superspines built, by name, in position order; none with two tiers."""
        if not self.three_tier:
            return {}
        places = (
            SuperspineAt(plane, group, number)
            for plane in range(self.nic_planes)
            for group in range(1, self.spines + 1)
            for number in range(1, self.superspines + 1)
        )
        names = ((self.superspine_name(at), at) for at in places)
        return {name: at for name, at in names if name not in self.absent}

    @cached_property
    def at_maxima(self) -> Clos:
        """The same fabric, grown as far as it may."""
        units = tuple(
            (pod, unit)
            for pod in range(1, self.max_pods + 1)
            for unit in range(1, self.max_units + 1)
        )
        return replace(
            self,
            units=units,
            spines=self.max_spines,
            superspines=self.max_superspines,
            absent=frozenset(),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every switch built, in position order."""
        return (*self.leaves, *self.spine_places, *self.superspine_places)

    def unit_index(self, pod: int, unit: int) -> int:
        """The unit's place among all possible units, from 0."""
        return (pod - 1) * self.max_units + unit - 1

    def leaf_index(self, at: LeafAt) -> int:
        """The leaf's place among all possible leaves, from 0."""
        return self.unit_index(at.pod, at.unit) * len(self.slots) + at.slot

    def spine_index(self, at: SpineAt) -> int:
        """The spine's place among all possible spines, from 0."""
        pod = max(at.pod, 1) - 1
        return (pod * self.nic_planes + at.nic_plane) * self.max_spines + at.number - 1

    def superspine_index(self, at: SuperspineAt) -> int:
        """The superspine's place among all possible superspines, from 0."""
        group = at.nic_plane * self.max_spines + at.group - 1
        return group * self.max_superspines + at.number - 1

    def leaf_name(self, at: LeafAt) -> str:
        """`leaf-p1-r0`; zero-padded by the maxima, so that names sort as positions do."""
        unit = f"-u{_padded(at.unit, self.max_units)}" if self.max_units > 1 else ""
        pod = _padded(at.pod, self.max_pods)
        return f"{self.prefix}leaf-{self.pod_word}{pod}{unit}-{self.slots[at.slot].label}"

    def spine_name(self, at: SpineAt) -> str:
        """`spine1`, or `spine-p1-1` where pods have their own; `a` and `b` are planes of NICs."""
        number = f"{self._plane_word(at.nic_plane)}{_padded(at.number, self.max_spines)}"
        if at.pod:
            return f"{self.prefix}spine-{self.pod_word}{_padded(at.pod, self.max_pods)}-{number}"
        return f"{self.prefix}spine{'-' if self.nic_planes > 1 else ''}{number}"

    def superspine_name(self, at: SuperspineAt) -> str:
        """`superspine-g1-1`: group and number."""
        group = f"{self._plane_word(at.nic_plane)}g{_padded(at.group, self.max_spines)}"
        return f"{self.prefix}superspine-{group}-{_padded(at.number, self.max_superspines)}"

    def _plane_word(self, nic_plane: int) -> str:
        return "ab"[nic_plane] if self.nic_planes > 1 else ""

    @property
    def node_cages(self) -> int:
        """Cages of a leaf that face nodes."""
        return -(-self.down_ports // self.ways[0])

    @property
    def leaves_below(self) -> int:
        """Leaves that one spine may have below it."""
        pods = 1 if self.three_tier else self.max_pods
        return pods * self.max_units * self.slots_per_plane

    @property
    def spine_down_cages(self) -> int:
        """Cages of a spine that face leaves."""
        return -(-self.leaves_below * self.uplinks // self.ways[1])

    @property
    def leaf_cages(self) -> int:
        """Cages that a leaf needs, grown as far as it may."""
        return self.node_cages + -(-self.max_spines * self.uplinks // self.ways[1])

    @property
    def spine_cages(self) -> int:
        """Cages that a spine needs, grown as far as it may."""
        above = -(-self.max_superspines * self.top_uplinks // self.ways[2])
        return self.spine_down_cages + (above if self.three_tier else 0)

    @property
    def superspine_cages(self) -> int:
        """Cages that a superspine needs, grown as far as it may."""
        return -(-self.max_pods * self.top_uplinks // self.ways[2])

    def node_cage(self, port: int) -> Cage:
        """The cage of a leaf's port `port` (from 1) towards nodes."""
        return _cage(port, self.ways[0], 0)

    def uplink_cage(self, spine: SpineAt, link: int) -> Cage:
        """The leaf's cage of its link `link` (from 1) to a spine: after all nodes."""
        return _cage((spine.number - 1) * self.uplinks + link, self.ways[1], self.node_cages)

    def downlink_cage(self, leaf: LeafAt, link: int) -> Cage:
        """The spine's cage that this leaf's link `link` (from 1) ends on."""
        unit = leaf.unit - 1 if self.three_tier else self.unit_index(leaf.pod, leaf.unit)
        index = unit * self.slots_per_plane + self.slots[leaf.slot].rank
        return _cage(index * self.uplinks + link, self.ways[1], 0)

    def top_uplink_cage(self, superspine: SuperspineAt, link: int) -> Cage:
        """The spine's cage of its link `link` (from 1) to a superspine: after all leaves."""
        port = (superspine.number - 1) * self.top_uplinks + link
        return _cage(port, self.ways[2], self.spine_down_cages)

    def top_downlink_cage(self, spine: SpineAt, link: int) -> Cage:
        """The superspine's cage that this spine's link `link` (from 1) ends on."""
        return _cage((spine.pod - 1) * self.top_uplinks + link, self.ways[2], 0)

    def link_index(self, leaf: LeafAt, spine: SpineAt, link: int) -> int:
        """The place of a leaf-spine link among all possible ones, from 0."""
        per_leaf = self.max_spines * self.uplinks
        return self.leaf_index(leaf) * per_leaf + (spine.number - 1) * self.uplinks + link - 1

    def top_link_index(self, spine: SpineAt, superspine: SuperspineAt, link: int) -> int:
        """The place of a spine-superspine link among all possible links, after those of leaves."""
        below = self.max_leaves * self.max_spines * self.uplinks
        per_spine = self.max_superspines * self.top_uplinks
        own = (superspine.number - 1) * self.top_uplinks + link - 1
        return below + self.spine_index(spine) * per_spine + own

    @property
    def max_links(self) -> int:
        """All links between switches that can exist."""
        top = self.max_spine_count * self.max_superspines * self.top_uplinks
        below = self.max_leaves * self.max_spines * self.uplinks
        return below + (top if self.three_tier else 0)


def _cage(port: int, ways: int, before: int) -> Cage:
    return Cage(before + (port - 1) // ways + 1, ways, (port - 1) % ways + 1)


def _padded(number: int, largest: int) -> str:
    return str(number).zfill(len(str(largest)))
