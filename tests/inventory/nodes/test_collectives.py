"""What NCCL is told of the ways between nodes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from inventory import open_site, site_folder
from inventory.nodes.collectives import meeting_port, nccl_settings
from inventory.nodes.host_interfaces import interfaces
from inventory.plan import Node, Plan


@cache
def plan(site: str) -> Plan:
    return open_site(site_folder(site))


def gpu_node(site: str) -> Node:
    return next(one for one in plan(site).nodes if one.kind == "gpu")


@pytest.mark.parametrize("site", ["lab", "pod-256", "superpod-10k"])
def test_ranks_meet_where_nodes_reach_each_other(site):
    """Ports of the OOB network are kept from each other, so it is none of these."""
    for node in plan(site).nodes:
        has_data = [one.name for one in interfaces(node) if one.address]
        if node.rails or any(one.plane == "business" for one in node.vlans):
            assert meeting_port(node) in has_data
    told = nccl_settings(plan(site), gpu_node(site))["NCCL_SOCKET_IFNAME"]
    assert told == f"={meeting_port(gpu_node(site))}"


def test_the_business_plane_comes_before_a_rail():
    node = gpu_node("pod-256")
    assert meeting_port(node) == "bond-biz"
    [vlan] = (one for one in node.vlans if one.plane == "business")
    assert meeting_port(replace(node, vlans=(replace(vlan, tagged=True),))) == "bond-biz.300"
    assert meeting_port(replace(node, vlans=(), nics=())) == node.rails[0].port
    nothing = replace(node, vlans=(), nics=(), rails=())
    assert meeting_port(nothing) == node.management.port
