"""Where a switch stands in its fabric: the index of a leaf, the number of a spine.

An index is read off a loopback where the pool and its quarters fit, for it holds though other
switches are missing; else switches are counted in the order of their units and names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import pairwise

from validation.audit.network import Network

from .networks import natural, quarter_indexes
from .seen import Group

_OWN = re.compile(r"(?:[a-z]+-)?leaf-[pb](\d+)(?:-u(\d+))?-(\w+)")


@dataclass(frozen=True)
class Places:
    """Positions by name. A spine has its pod (0 with two tiers), its plane of NICs and number.

    `leaf_by` says what the indexes of leaves were read off. `slots` are leaves of a unit, `spines`
    those of a pod and plane, with those of which no configuration was read.
    """

    slots: int
    units: int
    leaf: Mapping[str, int]
    spine: Mapping[str, tuple[int, int, int]]
    superspine: Mapping[str, tuple[int, int, int]]
    leaf_by: str
    spines: int
    three_tier: bool

    def pod(self, leaf: str) -> int:
        """The leaf's pod or block, from 1."""
        return self.leaf[leaf] // self.slots // self.units + 1

    def unit(self, leaf: str) -> int:
        """Its unit in the pod, from 1."""
        return self.leaf[leaf] // self.slots % self.units + 1

    def slot(self, leaf: str) -> int:
        """Its slot in the unit, from 0."""
        return self.leaf[leaf] % self.slots

    @property
    def pods(self) -> int:
        """The last pod or block of which a leaf was seen."""
        return max(map(self.pod, self.leaf), default=1)


def places(
    network: Network, group: Group, pool: IPv4Network | None, slots: int, order: Mapping[str, int]
) -> Places:
    """The places of a group's switches; `order` is the slot of a leaf that its hosts' NICs say."""
    spines = set(group.spines)
    three = any(wire.low[0] in spines for wire in group.wires)
    pods = _pods(group) if three else {}
    rids = {name: network.box[name].facts.router_id for name in group.leaves}
    leaf = quarter_indexes(rids, pool, 0)
    by = "loopbacks"
    units = _units(group, leaf, pods, slots)
    if len(leaf) < len(group.leaves):
        if not leaf:
            by = "order of names"
        leaf = _counted(group, leaf, slots, order, pods)
    every = _spines(group, leaf, slots, pods, three)
    spine = {name: at for name, at in every.items() if name in spines}
    if not three and {plane for _, plane, _ in every.values()} <= {0}:
        rids = {name: network.box[name].facts.router_id for name in group.spines}
        numbers = quarter_indexes(rids, pool, 1)
        spine |= {name: (0, 0, number + 1) for name, number in numbers.items()}
    count = max([1, *(at[2] for at in (*every.values(), *spine.values()))])
    return Places(slots, units, leaf, spine, _tops(group, spine), by, count, three)


def _pods(group: Group) -> dict[str, int]:
    """By leaf: the number of the spines that it shares with others, from 1."""
    above = {
        leaf: frozenset(wire.high[0] for wire in group.up.get(leaf, ())) for leaf in group.leaves
    }
    # Planes of NICs have spines of their own: leaves with a host in common are of one pod.
    parent = {leaf: leaf for leaf in group.leaves}

    def top(leaf: str) -> str:
        while parent[leaf] != leaf:
            leaf = parent[leaf]
        return leaf

    first: dict[str, str] = {}
    for leaf in group.leaves:
        shared = [*above[leaf], *(f"host {e.host}" for e in group.at.get(leaf, ()) if e.host)]
        for thing in shared:
            one, other = top(leaf), top(first.setdefault(thing, leaf))
            parent[max(one, other, key=natural)] = min(one, other, key=natural)
    heads = sorted({top(leaf) for leaf in group.leaves}, key=natural)
    return {leaf: heads.index(top(leaf)) + 1 for leaf in group.leaves}


def _units(group: Group, leaf: Mapping[str, int], pods: Mapping[str, int], slots: int) -> int:
    """Units that a pod may have."""
    firsts: dict[int, int] = {}
    for name, index in leaf.items():
        if name in pods:
            firsts[pods[name]] = min(firsts.get(pods[name], index), index)
    starts = sorted(firsts.values())
    gaps = [b - a for a, b in pairwise(starts)]
    if gaps:
        return max(min(gaps) // slots, 1)
    said = [int(one[2]) for name in group.leaves if (one := _OWN.fullmatch(name)) and one[2]]
    most = max(Counter(pods.values()).values(), default=0)
    return max([1, *said, -(-most // slots)])


def _counted(
    group: Group,
    known: Mapping[str, int],
    slots: int,
    order: Mapping[str, int],
    pods: Mapping[str, int],
) -> dict[str, int]:
    """Indexes of those that have none: by the hosts they share, else in the order of names."""
    sets: dict[object, list[str]] = defaultdict(list)
    for leaf in group.leaves:
        hosts = [end.host for end in group.at.get(leaf, ()) if end.host]
        sets[pods.get(leaf, 0), min(hosts, key=natural) if hosts else leaf].append(leaf)
    found, taken, at = dict(known), set(known.values()), 0
    alone: list[list[str]] = []
    for key in sorted(sets, key=str):
        row = sorted(sets[key], key=lambda leaf: (order.get(leaf, 0), natural(leaf)))
        if len(row) < slots and alone and len(alone[-1]) + len(row) <= slots:
            alone[-1] += row
        else:
            alone.append(row)
    for row in alone:
        for slot, leaf in enumerate(row):
            if leaf in found:
                continue
            index = at * slots + slot
            while index in taken:
                index += 1
            found[leaf] = index
            taken.add(index)
        at += -(-len(row) // slots)
    return found


def _spines(
    group: Group,
    leaf: Mapping[str, int],
    slots: int,
    pods: Mapping[str, int],
    three: bool,
) -> dict[str, tuple[int, int, int]]:
    """Spines by the ports of the leaves below: the first uplink goes to number 1.

    Ghosts above leaves have numbers, too: the others would move up without them.
    """
    ghosts = [wire for wire in group.ghosts if wire.low[0] in leaf]
    above = {*group.spines, *(wire.high[0] for wire in ghosts)}
    below: dict[str, set[str]] = defaultdict(set)
    first: dict[str, tuple[tuple[int, int | str], ...]] = {}
    for wire in (*group.wires, *ghosts):
        if wire.high[0] in above:
            below[wire.high[0]].add(wire.low[0])
            key = natural(wire.low[1])
            first[wire.high[0]] = min(first.get(wire.high[0], key), key)
    slot_sets = {
        spine: frozenset(leaf[one] % slots for one in under if one in leaf)
        for spine, under in below.items()
    }
    planes = sorted(set(slot_sets.values()), key=lambda one: sorted(one)[:1])
    apart = len(planes) == 2 and not planes[0] & planes[1]
    rows: dict[tuple[int, int], list[str]] = defaultdict(list)
    for spine in sorted(above, key=natural):
        pod = pods.get(min(below[spine]), 1) if three and below[spine] else int(three)
        plane = planes.index(slot_sets[spine]) if apart and spine in slot_sets else 0
        rows[pod, plane].append(spine)
    return {
        spine: (pod, plane, number)
        for (pod, plane), row in rows.items()
        for number, spine in enumerate(
            sorted(row, key=lambda one: (first.get(one, ()), natural(one))), start=1
        )
    }


def _tops(
    group: Group, spine: Mapping[str, tuple[int, int, int]]
) -> dict[str, tuple[int, int, int]]:
    """Superspines: plane of NICs, group (the number of the spines below), number."""
    rows: dict[tuple[int, int], dict[str, tuple[tuple[int, int | str], ...]]] = defaultdict(dict)
    for wire in group.wires:
        top, under = wire.high[0], spine.get(wire.low[0])
        if top in group.superspines and under is not None:
            row, key = rows[under[1], under[2]], natural(wire.low[1])
            row[top] = min(row.get(top, key), key)
    return {
        top: (plane, number, at)
        for (plane, number), row in rows.items()
        for at, top in enumerate(sorted(row, key=lambda one: (row[one], natural(one))), start=1)
    }
