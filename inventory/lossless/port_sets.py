"""Which kinds of switch carry the lossless class, and with which ports.

Ports are counted at the declared maxima: growth inside them must not change the buffers, so the
ECN thresholds, of a switch that is already running.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..marked import Path
from ..model import Fabric
from ..plan import SwitchBuffers
from ..schema import AsicProfile, SwitchProfile
from .buffers import Ports, Shortage, switch_buffers
from .policy import lossless


@dataclass(frozen=True, slots=True)
class PortSet:
    """Switches that are alike: `path` is where `fabric.yml` names their profile."""

    name: str
    path: Path
    profile_name: str
    profile: SwitchProfile
    ports: Ports

    def each(self) -> list[tuple[float, float]]:
        """Every port that carries the lossless class: rate in Gb/s and cable in metres."""
        return [kind for kind, count in self.ports for _ in range(count)]


def port_sets(fabric: Fabric) -> tuple[PortSet, ...]:
    """Return the kinds of switch of the compute plane; leaves of one rail are alike."""
    return (*_leaves(fabric), _spine(fabric))


def _leaves(fabric: Fabric) -> tuple[PortSet, ...]:
    shape, compute, profile = fabric.shape, fabric.intent.compute, fabric.leaf_profile
    uplinks = shape.max_spines * shape.uplinks
    up = (_fabric_gbps(fabric), compute.cable_m.leaf_spine)
    out: list[PortSet] = []
    for rail, nic in enumerate(fabric.node_profile.rails):
        down = (min(nic.rate_gbps, profile.ports.rate_gbps), compute.cable_m.node_leaf)
        ports = Counter({down: shape.max_nodes_per_pod}) + Counter({up: uplinks})
        path = ("compute", "leaf_profile")
        counted = tuple(sorted(ports.items()))
        out.append(PortSet(f"leaf-r{rail}", path, compute.leaf_profile, profile, counted))
    return tuple(out)


def _spine(fabric: Fabric) -> PortSet:
    shape, compute = fabric.shape, fabric.intent.compute
    kind = (_fabric_gbps(fabric), compute.cable_m.leaf_spine)
    ports = ((kind, shape.max_leaves * shape.uplinks),)
    path = ("compute", "spine_profile")
    return PortSet("spine", path, compute.spine_profile, fabric.spine_profile, ports)


def _fabric_gbps(fabric: Fabric) -> float:
    return min(fabric.leaf_profile.ports.rate_gbps, fabric.spine_profile.ports.rate_gbps)


def asic_of(fabric: Fabric, one: PortSet) -> AsicProfile | None:
    """Return the ASIC of a kind of switch; None where its profile names none that is known."""
    return fabric.asics.get(one.profile.asic) if one.profile.asic else None


def attempts(
    fabric: Fabric,
) -> tuple[tuple[PortSet, SwitchBuffers | tuple[Shortage, ...]], ...]:
    """Return buffers or their shortages, of each kind of switch whose ASIC is known."""
    asked, overrides = lossless(fabric), fabric.intent.lossless.overrides
    if asked.headroom is None:
        return ()
    out: list[tuple[PortSet, SwitchBuffers | tuple[Shortage, ...]]] = []
    for one in port_sets(fabric):
        asic, name = asic_of(fabric, one), one.profile.asic
        if asic is not None and name is not None:
            ports = one.each()
            made = switch_buffers(one.profile_name, name, asic, ports, asked, overrides)
            out.append((one, made))
    return tuple(out)


def buffers_of(fabric: Fabric) -> dict[str, SwitchBuffers]:
    """Return the buffers of each kind of switch, by the name of its port set; none if marking."""
    found = attempts(fabric)
    return {one.name: made for one, made in found if isinstance(made, SwitchBuffers)}
