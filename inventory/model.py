"""The Fabric: one site as its files say it, typed and frozen, before anything is derived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .asbuilt import AsBuilt
from .marked import Marked, Path
from .problems import Problem
from .schema import AsicProfile, NodeProfile, SiteFile, SwitchProfile
from .shape import Shape
from .versions import Versions


@dataclass(frozen=True)
class Fabric:
    """A site: its intent, the profiles it names and what was really built.

    `marked` remembers where each value of `fabric.yml` stands, for errors of `check`.
    `asics` are those of profiles/asics.yml and of the site, None where an entry is broken.
    `package_key` is the public half of the key that signs packages; empty until it is made.
    """

    intent: SiteFile
    node_profile: NodeProfile
    leaf_profile: SwitchProfile
    spine_profile: SwitchProfile
    asbuilt: AsBuilt
    marked: Marked
    versions: Versions
    package_key: str
    asics: Mapping[str, AsicProfile | None] = field(default_factory=dict)

    @cached_property
    def shape(self) -> Shape:
        """Counts, names and positions."""
        topology = self.intent.topology
        return Shape(
            pods=topology.pods,
            spines=topology.spines,
            nodes_per_pod=topology.nodes_per_pod,
            rails=len(self.node_profile.rails),
            uplinks=topology.uplinks_per_spine,
            max_pods=topology.maxima.pods,
            max_spines=topology.maxima.spines,
            max_nodes_per_pod=topology.maxima.nodes_per_pod,
            nodes_per_rack=topology.nodes_per_rack,
        )

    def problem(self, path: Path, found: str, expected: str, hint: str = "") -> Problem:
        """Return a problem at a value of `fabric.yml`."""
        return self.marked.problem(path, found, expected, hint)
