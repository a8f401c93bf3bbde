"""The Plan of a whole site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .acceptance import Mount
from .boundary import Boundary
from .cables import Cable, PortRef
from .lossless import Lossless
from .nodes import Node
from .oob import OobServer, OobSwitch
from .packages import PackageLock, PackageRepo
from .racks import Rack
from .services import ServerLogin, SwitchServices
from .switches import Switch, SwitchPort
from .versions import BiosSetting, VersionWanted
from .words import Engine, Plane


@dataclass(frozen=True, slots=True)
class Wave:
    """Devices changed together, in one step; a canary is one for each kind and engine."""

    name: str
    step: str
    devices: tuple[str, ...]
    canary: bool


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """A value nobody measured here, with where it comes from; every report prints it."""

    name: str
    value: str
    source: str
    measured: bool


@dataclass(frozen=True, slots=True, order=True)
class Capacity:
    """The fullest switch of a tier: what may come from below, and what can leave above.

    `ratio` is the oversubscription (0 where nothing is above), `limit` what the site accepts.
    """

    plane: Plane
    tier: str
    down_gbps: float
    up_gbps: float
    ratio: float
    limit: float | None
    cages_used: int
    cages_free: int


@dataclass(frozen=True)
class Plan:
    """What must be true of `site`. `digest` names exactly these bytes.

    `engine` changes the OOB server, and every node that does not name another.
    `absence_percent` of the nodes in pods may be absent at a gate, unvalidated.
    """

    site: str
    engine: Engine
    digest: str
    lossless: Lossless
    credentials: tuple[tuple[str, str], ...]
    oob: OobServer
    packages: PackageLock
    repo: PackageRepo
    switches: tuple[Switch, ...]
    oob_switches: tuple[OobSwitch, ...]
    switch_services: SwitchServices
    logins: tuple[ServerLogin, ...]
    boundary: Boundary | None
    versions: tuple[VersionWanted, ...]
    bios: tuple[BiosSetting, ...]
    racks: tuple[Rack, ...]
    nodes: tuple[Node, ...]
    mounts: tuple[Mount, ...]
    cables: tuple[Cable, ...]
    capacities: tuple[Capacity, ...]
    waves: tuple[Wave, ...]
    absence_percent: float
    assumptions: tuple[Assumption, ...]
    undeployable: tuple[str, ...]

    @cached_property
    def switch(self) -> dict[str, Switch]:
        """Switches by name."""
        return {switch.name: switch for switch in self.switches}

    @cached_property
    def node(self) -> dict[str, Node]:
        """Nodes by name."""
        return {node.name: node for node in self.nodes}

    @cached_property
    def oob_switch(self) -> dict[str, OobSwitch]:
        """Switches of the OOB plane by name."""
        return {switch.name: switch for switch in self.oob_switches}

    @cached_property
    def any_switch(self) -> dict[str, Switch | OobSwitch]:
        """Switches by name, those of the OOB plane too."""
        return {**self.switch, **self.oob_switch}

    def engine_of(self, host: str) -> Engine:
        """The engine that changes a node or the OOB server."""
        return self.node[host].engine if host in self.node else self.engine

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """Every device name, sorted: the OOB server, switches and nodes."""
        return tuple(sorted({self.oob.name, *self.switch, *self.oob_switch, *self.node}))

    @cached_property
    def cable_at(self) -> dict[PortRef, Cable]:
        """The cable that is plugged into a port."""
        return {end: cable for cable in self.cables for end in (cable.a, cable.b)}

    @cached_property
    def fabric_ports(self) -> dict[str, tuple[SwitchPort, ...]]:
        """The ports of each switch that lead to another switch, in their order."""
        return {
            switch.name: tuple(port for port in switch.ports if port.peer.device in self.switch)
            for switch in self.switches
        }

    @cached_property
    def management_mac(self) -> dict[str, str | None]:
        """The identity of each device: the MAC of its management port."""
        reached: tuple[Switch | OobSwitch | Node, ...]
        reached = (*self.switches, *self.oob_switches, *self.nodes)
        macs = {one.name: one.management.mac for one in reached}
        return {**macs, self.oob.name: self.oob.mac}
