"""The networks behind the words of flows: planes, zones, groups of servers, the OOB server."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network

from inventory.model import Fabric
from inventory.plan import Node
from inventory.topology import addressing

from . import plane as oob
from .flow_site import flow_site, networks

Networks = dict[str, IPv4Network | tuple[IPv4Network, ...]]


def places(fabric: Fabric, nodes: Iterable[Node]) -> Networks:
    """The networks of each word that the site has."""
    own = (addressing.oob_server_address(zone).ip for zone in oob.zones(fabric).values())
    server = tuple(IPv4Network(one) for one in (*own, fabric.intent.oob.access))
    return {**networks(fabric), "oob_server": server, **_groups(fabric, nodes)}


def _groups(fabric: Fabric, nodes: Iterable[Node]) -> dict[str, tuple[IPv4Network, ...]]:
    planes = flow_site(fabric).groups
    out: dict[str, list[IPv4Network]] = {name: [] for name in planes}
    for node in nodes:
        if node.kind in planes:
            out[node.kind] += _addresses(node, planes[node.kind])
    return {name: tuple(sorted(some)) for name, some in out.items()}


def _addresses(node: Node, plane: str) -> list[IPv4Network]:
    if plane == "hostmgmt":
        return [IPv4Network(node.management.address.ip)]
    nics = [IPv4Network(nic.address.ip) for nic in node.nics if nic.plane == plane and nic.address]
    return nics + [IPv4Network(vlan.address.ip) for vlan in node.vlans if vlan.plane == plane]
