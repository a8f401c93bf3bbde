"""Which kinds of switch carry the lossless class, and with which ports.

Ports are counted at the declared maxima: growth inside them must not change the buffers, so the
ECN thresholds, of a switch that is already running.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inventory.load.yaml_positions import Path
from inventory.topology.fabrics import SwitchFabric, ports_per_slot

from ..model import Fabric
from ..plan import SwitchBuffers
from ..schema import AsicProfile, SwitchProfile
from ..switches.abilities import uncompensated
from .buffers import PortKind, Ports, Shortage, marked_buffers, switch_buffers
from .policy import lossless


@dataclass(frozen=True, slots=True)
class PortSet:
    """Switches that are alike: `path` is where `fabric.yml` names their profile."""

    name: str
    path: Path
    profile_name: str
    profile: SwitchProfile
    ports: Ports

    def each(self) -> list[PortKind]:
        """Every port that carries the lossless class."""
        return [kind for kind, count in self.ports for _ in range(count)]


def port_sets(fabric: Fabric) -> tuple[PortSet, ...]:
    """Return the kinds of switch that carry RoCE; leaves of one rail are alike."""
    return tuple(one for each in roce_fabrics(fabric) for one in _of_fabric(each))


def roce_fabrics(fabric: Fabric) -> tuple[SwitchFabric, ...]:
    """The fabrics that carry RoCE: compute, and storage where its transport says so."""
    storage = fabric.intent.storage
    lossless_storage = storage is not None and storage.transport == "roce"
    return tuple(
        one
        for one in fabric.fabrics
        if one.plane == "compute" or (one.plane == "storage" and lossless_storage)
    )


def _of_fabric(fabric: SwitchFabric) -> Iterator[PortSet]:
    clos, metres = fabric.clos, fabric.cable_m
    ways = clos.ways[1]
    link = _slower(fabric.leaf, fabric.spine, ways)
    up = PortKind(link, metres.leaf_spine, _lanes(fabric.leaf, ways))
    to_nodes = _lanes(fabric.leaf, clos.ways[0])
    for at, slot in enumerate(clos.slots):
        down = PortKind(_node_gbps(fabric, at), metres.node_leaf, to_nodes), _node_ports(fabric)
        ups = up, clos.max_spines * clos.uplinks
        yield _set(fabric, f"leaf-{slot.label}", "leaf_profile", down, ups)
    to_leaves = PortKind(link, metres.leaf_spine, _lanes(fabric.spine, ways))
    below = to_leaves, clos.leaves_below * clos.uplinks
    if not clos.three_tier:
        yield _set(fabric, "spine", "spine_profile", below)
        return
    ways = clos.ways[2]
    top = _slower(fabric.spine, fabric.superspine, ways)
    far, below_top = metres.spine_superspine, _lanes(fabric.superspine, ways)
    above = (
        PortKind(top, far, _lanes(fabric.spine, ways)),
        clos.max_superspines * clos.top_uplinks,
    )
    yield _set(fabric, "spine", "spine_profile", below, above)
    pods = PortKind(top, far, below_top), clos.max_pods * clos.top_uplinks
    yield _set(fabric, "superspine", "superspine_profile", pods)


def _set(fabric: SwitchFabric, word: str, key: str, *kinds: tuple[PortKind, int]) -> PortSet:
    ports = Counter[PortKind]()
    for kind, count in kinds:
        ports[kind] += count
    name = getattr(fabric, key)
    counted = tuple(sorted(ports.items()))
    return PortSet(
        f"{fabric.clos.prefix}{word}", (*fabric.path, key), name, fabric.profiles[name], counted
    )


def _node_ports(fabric: SwitchFabric) -> int:
    """Ports of a leaf towards NICs that carry RoCE: not those of users on shared switches."""
    return fabric.nodes_per_unit * ports_per_slot(fabric.services[:1], len(fabric.clos.slots))


def _node_gbps(fabric: SwitchFabric, slot: int) -> float:
    """The fastest port towards nodes: one of a slower node may be given to a faster one."""
    port = _rate(fabric.leaf, fabric.clos.ways[0])
    nics = [
        landing.nic.rate_gbps
        for service in fabric.services[:1]
        for landings in service.landings.values()
        for landing in landings
        if landing.slot == slot
    ]
    return min(port, max(nics, default=port))


def _slower(one: SwitchProfile, other: SwitchProfile, ways: int) -> float:
    return min(_rate(one, ways), _rate(other, ways))


def _rate(profile: SwitchProfile, ways: int) -> float:
    return profile.ports.rate_of(_known(profile, ways))


def _lanes(profile: SwitchProfile, ways: int) -> int:
    return profile.ports.lanes // _known(profile, ways)


def _known(profile: SwitchProfile, ways: int) -> int:
    # A way to split that the profile lacks is another rule's to tell.
    return ways if ways in profile.ports.ways() else 1


def asic_of(fabric: Fabric, one: PortSet) -> AsicProfile | None:
    """Return the ASIC of a kind of switch; None where its profile names none that is known."""
    return fabric.asics.get(one.profile.asic) if one.profile.asic else None


def attempts(
    fabric: Fabric,
) -> tuple[tuple[PortSet, SwitchBuffers | tuple[Shortage, ...]], ...]:
    """Return buffers or their shortages, of each kind of switch whose ASIC is known.

    Where nothing is paused no ASIC is asked: all that is needed is where marking begins.
    """
    asked, overrides = lossless(fabric), fabric.intent.lossless.overrides
    if asked.mode == "ecn":
        return tuple(
            (one, marked_buffers(one.profile_name, one.profile.asic or "", one.each(), asked.ecn))
            for one in port_sets(fabric)
        )
    if asked.headroom is None:
        return ()
    out: list[tuple[PortSet, SwitchBuffers | tuple[Shortage, ...]]] = []
    for one in port_sets(fabric):
        asic, name = asic_of(fabric, one), one.profile.asic
        if asic is not None and name is not None:
            ports = one.each()
            less = uncompensated(one.profile.dialect, one.profile.release)
            made = switch_buffers(
                one.profile_name, name, asic, ports, asked, overrides, compensated=not less
            )
            out.append((one, made))
    return tuple(out)


def buffers_of(fabric: Fabric) -> dict[str, SwitchBuffers]:
    """Return the buffers of each kind of switch, by the name of its port set; none if marking."""
    found = attempts(fabric)
    return {one.name: made for one, made in found if isinstance(made, SwitchBuffers)}
