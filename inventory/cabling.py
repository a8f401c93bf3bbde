"""Which port is plugged into which: the compute plane's cables, by position."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface

from . import addressing
from .model import Fabric
from .plan import Cable, PortRef
from .shape import LeafAt, NodeAt


@dataclass(frozen=True, slots=True)
class NodeLink:
    """A cable from a node's NIC to its rail's leaf."""

    node: NodeAt
    rail: int
    nic: PortRef
    leaf: PortRef
    nic_address: IPv4Interface
    leaf_address: IPv4Interface
    rate_gbps: float
    cable_m: float


@dataclass(frozen=True, slots=True)
class FabricLink:
    """A cable from a leaf to a spine; without addresses where links are unnumbered."""

    at: LeafAt
    leaf: PortRef
    spine: PortRef
    leaf_address: IPv4Interface | None
    spine_address: IPv4Interface | None
    rate_gbps: float
    cable_m: float


def node_links(fabric: Fabric) -> Iterator[NodeLink]:
    """Every node link, in node and rail order."""
    shape, leaf_ports = fabric.shape, fabric.leaf_profile.ports
    metres = fabric.intent.compute.cable_m.node_leaf
    prefixes = [
        [addressing.aggregate(fabric, LeafAt(pod, rail)) for rail in range(shape.rails)]
        for pod in range(1, shape.pods + 1)
    ]
    for name, at in shape.nodes.items():
        port = leaf_ports.name.format(n=shape.node_port(at.number))
        for rail, nic in enumerate(fabric.node_profile.rails):
            leaf = shape.leaf_name(LeafAt(at.pod, rail))
            rate = min(nic.rate_gbps, leaf_ports.rate_gbps)
            even, odd = addressing.node_link(prefixes[at.pod - 1][rail], at.number)
            ends = PortRef(name, nic.port), PortRef(leaf, port)
            yield NodeLink(at, rail, *ends, odd, even, rate, metres)


def fabric_links(fabric: Fabric) -> Iterator[FabricLink]:
    """Every leaf-spine link, in leaf, spine and uplink order."""
    shape = fabric.shape
    leaf_ports, spine_ports = fabric.leaf_profile.ports, fabric.spine_profile.ports
    rate = min(leaf_ports.rate_gbps, spine_ports.rate_gbps)
    metres = fabric.intent.compute.cable_m.leaf_spine
    for leaf, at in shape.leaves.items():
        for spine, number in shape.spine_numbers.items():
            for uplink in range(1, shape.uplinks + 1):
                up = leaf_ports.name.format(n=shape.uplink_port(number, uplink))
                down = spine_ports.name.format(n=shape.downlink_port(at, uplink))
                ends = PortRef(leaf, up), PortRef(spine, down)
                even, odd = addressing.fabric_link(fabric, at, number, uplink)
                yield FabricLink(at, *ends, odd, even, rate, metres)


def cable_of(link: NodeLink | FabricLink) -> Cable:
    """Return the cable of a link, its ends in order."""
    other = link.nic if isinstance(link, NodeLink) else link.spine
    a, b = sorted((link.leaf, other))
    return Cable(a, b, "compute", link.rate_gbps, link.cable_m)
