"""The Fabric: one site as its files say it, typed and frozen, before anything is derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from .load.yaml_positions import Marked, Path
from .problems import Problem
from .schema import AsicProfile, NodeProfile, SiteFile, SwitchProfile
from .software.lock import Versions
from .topology.asbuilt import AsBuilt
from .topology.fabric_build import fabrics
from .topology.fabrics import SwitchFabric
from .topology.population import Group, Population


@dataclass(frozen=True)
class Fabric:
    """A site: its intent, the profiles it names and what was really built.

    `node_profiles` and `switch_profiles` are those that the site uses, by name. `marked`
    remembers where each value of `fabric.yml` stands, for errors of `check`. `asics` are those
    of profiles/asics.yml and of the site, None where an entry is broken. `package_key` is the
    public half of the key that signs packages; empty until it is made.
    """

    intent: SiteFile
    node_profiles: dict[str, NodeProfile]
    switch_profiles: dict[str, SwitchProfile]
    asbuilt: AsBuilt
    marked: Marked
    versions: Versions
    package_key: str
    asics: Mapping[str, AsicProfile | None] = field(default_factory=dict)
    topologies: Mapping[str, str] = field(default_factory=dict)

    @property
    def node_profile(self) -> NodeProfile:
        """What the nodes of pods are."""
        return self.node_profiles[self.intent.compute.node_profile]

    @cached_property
    def population(self) -> Population:
        """Which nodes there are."""
        topology, most = self.intent.topology, self.intent.topology.maxima
        return Population(
            pods=topology.built_pods,
            nodes_per_pod=topology.nodes_per_pod,
            nodes_per_rack=topology.nodes_per_rack,
            profile=self.intent.compute.node_profile,
            groups=tuple(
                Group(name, one.id, one.profile, one.count)
                for name, one in sorted(self.intent.servers.items())
            ),
            max_pods=most.pods,
            max_nodes_per_pod=most.nodes_per_pod,
            max_groups=most.server_groups,
            max_per_group=most.servers_per_group,
            servers_per_rack=most.servers_per_rack,
            absent=frozenset(topology.absent),
        )

    @cached_property
    def at_maxima(self) -> Fabric:
        """The same site with everything built that the maxima allow."""
        grown = replace(self)
        grown.__dict__["population"] = self.population.at_maxima
        grown.__dict__["fabrics"] = tuple(fabric.at_maxima for fabric in self.fabrics)
        return grown

    @cached_property
    def names_at_maxima(self) -> frozenset[str]:
        """The name of every node and data switch that can exist."""
        switches = (name for fabric in self.fabrics for name in fabric.at_maxima.clos.names)
        return frozenset((*switches, *self.population.at_maxima.nodes))

    @cached_property
    def fabrics(self) -> tuple[SwitchFabric, ...]:
        """The switches: of compute, then of storage, then of business."""
        return fabrics(self.intent, self.population, self.node_profiles, self.switch_profiles)

    @cached_property
    def profile_of_switch(self) -> dict[str, str]:
        """The profile of every switch of the data planes, by name."""
        out: dict[str, str] = {}
        for fabric in self.fabrics:
            out |= dict.fromkeys(fabric.clos.leaves, fabric.leaf_profile)
            out |= dict.fromkeys(fabric.clos.spine_places, fabric.spine_profile)
            out |= dict.fromkeys(fabric.clos.superspine_places, fabric.superspine_profile or "")
        return out

    @property
    def compute(self) -> SwitchFabric:
        """The switches of the compute plane."""
        return self.fabrics[0]

    def problem(self, path: Path, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at a value of `fabric.yml`."""
        return self.marked.problem(path, found, expected, hint)
