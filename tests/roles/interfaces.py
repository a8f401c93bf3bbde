"""A node with every kind of interface: NICs that we name and others, a bond, VLANs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from inventory import open_site
from inventory.plan import Node


@cache
def node(name: str = "node-p1-01") -> Node:
    """A GPU node of pod-256 whose rails have names of ours, with a tagged VLAN more."""
    node = open_site("pod-256").node[name]
    rails = tuple(replace(one, port=f"rail{one.index}") for one in node.rails)
    [users] = node.vlans
    images = replace(
        users,
        vlan=301,
        tagged=True,
        default_route=False,
        address=IPv4Interface("10.97.0.11/21"),
        gateway=IPv4Address("10.97.0.1"),
        prefix=IPv4Network("10.97.0.0/18"),
    )
    return replace(node, rails=rails, vlans=(users, images))
