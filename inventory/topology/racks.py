"""Which device stands in which rack: by position, so that growth moves nothing.

Each pod has racks of nodes and network racks for its own switches; each group of servers has
racks; what belongs to no pod stands in core racks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inventory.model import Fabric
from inventory.schema import Racks

from .fabrics import SwitchFabric
from .population import NodeAt

OOB_SWITCH_UNITS = 1


@dataclass(frozen=True, slots=True)
class Spot:
    """A device's place: its rack, that rack's place among all possible ones (from 0).

    `place` counts from 1 in the rack, among things of its kind.
    """

    rack: str
    kind: str
    pod: int
    rack_index: int
    place: int


@dataclass(frozen=True)
class Layout:
    """Where everything stands, of a site that says how its racks are."""

    fabric: Fabric
    racks: Racks
    nodes_per_rack: int

    @cached_property
    def _node_racks(self) -> int:
        return -(-self.fabric.population.max_nodes_per_pod // self.nodes_per_rack)

    @cached_property
    def _pod_switches(self) -> int:
        clos = self.fabric.compute.clos
        spines = clos.nic_planes * clos.max_spines if clos.three_tier else 0
        return clos.max_units * len(clos.slots) + spines

    @cached_property
    def _per_pod(self) -> int:
        return self._node_racks + -(-self._pod_switches // self.racks.switches_per_rack)

    @property
    def _groups_base(self) -> int:
        return self.fabric.population.max_pods * self._per_pod

    @property
    def _core_base(self) -> int:
        return self._groups_base + self.fabric.population.max_groups * self._per_group

    @property
    def _per_group(self) -> int:
        population = self.fabric.population
        return -(-population.max_per_group // population.servers_per_rack)

    @property
    def max_racks(self) -> int:
        """All racks that can exist."""
        core = sum(_core_count(fabric) for fabric in self.fabric.fabrics)
        return self._core_base + -(-core // self.racks.switches_per_rack)

    def node(self, at: NodeAt) -> Spot:
        """The place of a node."""
        if at.pod:
            rack, place = divmod(at.number - 1, self.nodes_per_rack)
            index = (at.pod - 1) * self._per_pod + rack
            return Spot(f"rack-p{self._pod(at.pod)}-{rack + 1}", "nodes", at.pod, index, place + 1)
        population = self.fabric.population
        group = population.group[at.group]
        rack, place = divmod(at.number - 1, population.servers_per_rack)
        index = self._groups_base + (at.group - 1) * self._per_group + rack
        name = f"rack-{group.name.replace('_', '-')}-{rack + 1}"
        return Spot(name, "servers", 0, index, place + 1)

    @cached_property
    def switches(self) -> dict[str, Spot]:
        """The place of every switch of the data planes."""
        out: dict[str, Spot] = {}
        before = 0
        for fabric in self.fabric.fabrics:
            for name, index, pod in _places(fabric):
                out[name] = self._in_pod(pod, index) if pod else self._in_core(before + index)
            before += _core_count(fabric)
        return out

    def _in_pod(self, pod: int, index: int) -> Spot:
        rack, place = divmod(index, self.racks.switches_per_rack)
        at = (pod - 1) * self._per_pod + self._node_racks + rack
        return Spot(f"rack-p{self._pod(pod)}-net{rack + 1}", "network", pod, at, place + 1)

    def _in_core(self, index: int) -> Spot:
        rack, place = divmod(index, self.racks.switches_per_rack)
        return Spot(f"rack-core-{rack + 1}", "core", 0, self._core_base + rack, place + 1)

    def _pod(self, pod: int) -> str:
        return str(pod).zfill(len(str(self.fabric.population.max_pods)))

    @cached_property
    def spots(self) -> dict[str, Spot]:
        """The place of every node and switch, by name."""
        nodes = {name: self.node(at) for name, at in self.fabric.population.nodes.items()}
        return {**nodes, **self.switches}

    @cached_property
    def by_rack(self) -> dict[str, list[str]]:
        """Devices by rack, racks in their order, devices by place."""
        members: dict[str, list[str]] = defaultdict(list)
        for name, spot in self.spots.items():
            members[spot.rack].append(name)
        order = {rack: self.spots[names[0]].rack_index for rack, names in members.items()}
        return {
            rack: sorted(members[rack], key=lambda name: self.spots[name].place)
            for rack in sorted(members, key=lambda rack: order[rack])
        }


def layout(fabric: Fabric) -> Layout | None:
    """Where everything stands, or None where the site does not say how its racks are."""
    racks, per_rack = fabric.intent.racks, fabric.intent.topology.nodes_per_rack
    return None if racks is None or per_rack is None else Layout(fabric, racks, per_rack)


def _core_count(fabric: SwitchFabric) -> int:
    """Switches of a fabric that can stand in core racks."""
    clos = fabric.clos
    if fabric.plane != "compute":
        return clos.max_leaves + clos.max_spine_count
    return clos.max_superspine_count if clos.three_tier else clos.max_spine_count


def _places(fabric: SwitchFabric) -> Iterator[tuple[str, int, int]]:
    """Each switch with its place among those of its pod (0: the core), from 0."""
    clos = fabric.clos
    own = fabric.plane == "compute"
    leaves_of_pod = clos.max_units * len(clos.slots)
    for name, at in clos.leaves.items():
        in_pod = (at.unit - 1) * len(clos.slots) + at.slot
        yield (name, in_pod, at.pod) if own else (name, clos.leaf_index(at), 0)
    for name, spine in clos.spine_places.items():
        if clos.three_tier:
            in_pod = spine.nic_plane * clos.max_spines + spine.number - 1
            yield name, leaves_of_pod + in_pod, spine.pod
        else:
            before = 0 if own else clos.max_leaves
            yield name, before + clos.spine_index(spine), 0
    for name, top in clos.superspine_places.items():
        yield name, clos.superspine_index(top), 0
