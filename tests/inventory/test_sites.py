"""The shipped sites: what a person works out from their files by hand, and the plan agrees."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from inventory import Plan, open_site
from inventory.load.site import SITES
from inventory.nodes.tuning import node_vars
from inventory.plan import PortRef, SwitchPort

NAMES = (
    "lab", "lab-cumulus", "lab-eos", "lab-mixed", "lab-nxos", "lab-sonic", "pod-256",
    "superpod-10k",
)  # fmt: skip


@cache
def site(name: str) -> Plan:
    return open_site(name)


def port(plan: Plan, device: str, name: str) -> SwitchPort:
    return next(one for one in plan.switch[device].ports if one.name == name)


def test_these_are_all_sites():
    assert sorted(path.parent.name for path in SITES.glob("*/fabric.yml")) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_intent_is_short(name):
    assert len((SITES / name / "fabric.yml").read_text().splitlines()) < 200


def test_the_pod_in_numbers():
    plan = site("pod-256")
    assert Counter((one.plane, one.tier) for one in plan.switches) == {
        ("compute", "leaf"): 8,
        ("compute", "spine"): 8,
        ("storage", "leaf"): 6,
        ("storage", "spine"): 2,
        ("business", "leaf"): 4,
        ("business", "spine"): 2,
    }
    assert Counter(one.kind for one in plan.nodes) == {"gpu": 32, "store": 8, "mgmt": 5}
    dialects = {one.dialect for one in plan.switches}
    dialects |= {one.dialect for one in plan.oob_switches}
    assert dialects == {"cumulus", "sonic", "eos", "nxos", "linux_frr"}
    # 32 x 8 rails, 8 x 8 x 2 uplinks.
    assert sum(one.plane == "compute" for one in plan.cables) == 32 * 8 + 8 * 8 * 2
    # Two NICs of each node, server and manager; 6 leaves x 2 spines x 8.
    assert sum(one.plane == "storage" for one in plan.cables) == 2 * 45 + 6 * 2 * 8
    # Servers of storage are in no bond; 4 leaves x 2 spines x 2; 2 links in each of 2 pairs.
    assert sum(one.plane == "business" for one in plan.cables) == 2 * 37 + 4 * 2 * 2 + 2 * 2


def test_a_rail_of_the_pod():
    """10.16.0.0/16 by 8 rails is a /19 each, by 4 pods a /21: rail 3 begins at 10.16.96.0."""
    plan = site("pod-256")
    nic = plan.node["node-p1-05"].rails[3]
    assert (str(nic.address), str(nic.gateway)) == ("10.16.96.9/31", "10.16.96.8")
    assert (str(nic.rail_prefix), str(nic.fabric_prefix)) == ("10.16.96.0/19", "10.16.0.0/16")
    # Node 5 is the first half of cage 3.
    assert nic.leaf == PortRef("leaf-p1-r3", "swp3s0")
    leaf = plan.switch["leaf-p1-r3"]
    assert [str(one) for one in leaf.aggregates] == ["10.16.96.0/21"]
    assert (leaf.asn, str(leaf.loopback), leaf.ecmp_width) == (4200000103, "10.255.0.4", 16)
    assert port(plan, "leaf-p1-r3", "swp3s0").rate_gbps == 400


def test_uplinks_of_the_pod():
    """16 cages face nodes; spine 8's second link is the 16th after them. SONiC counts lanes."""
    plan = site("pod-256")
    assert port(plan, "leaf-p1-r2", "swp32").peer == PortRef("spine8", "Ethernet40")
    # Leaf 2 has cages 5 and 6 of each spine: lanes 32 and 40.
    assert port(plan, "spine1", "Ethernet32").peer == PortRef("leaf-p1-r2", "swp17")
    assert str(plan.switch["spine3"].loopback) == "10.255.4.3"
    assert {one.asn for one in plan.switches if one.name.startswith("spine")} == {4200000000}


def test_storage_of_the_pod():
    """10.32.0.0/17 by 2 NICs is a /18, by 8 blocks (4 pods, 4 groups) a /21."""
    plan = site("pod-256")
    first, second = (one for one in plan.node["node-p1-03"].nics if one.plane == "storage")
    assert (str(first.address), str(second.address)) == ("10.32.0.5/31", "10.32.64.5/31")
    # The third part of cage 1, two lanes each.
    assert first.leaf == PortRef("storage-leaf-b1-1", "Ethernet1/5")
    assert second.leaf == PortRef("storage-leaf-b1-2", "Ethernet1/5")
    assert (first.table, second.table, first.bond) == (200, 201, None)
    server = plan.node["store-01"].nics[0]
    assert (str(server.address), server.leaf.device) == ("10.32.32.1/31", "storage-leaf-b5-1")


def test_business_of_the_pod():
    plan = site("pod-256")
    (vlan,) = plan.node["mgmt-01"].vlans
    assert (vlan.interface, vlan.vlan, vlan.tagged) == ("bond-biz", 300, False)
    # 10.96.0.0/18 by 8 blocks is a /21; group 2 is block 6.
    assert (str(vlan.address), str(vlan.gateway)) == ("10.96.40.11/21", "10.96.40.1")
    leaf = plan.switch["business-leaf-b6-1"]
    assert leaf.pair is not None
    assert leaf.pair.peer == "business-leaf-b6-2"
    assert [(one.id, one.vrf, str(one.address)) for one in leaf.vlans] == [
        (300, "users", "10.96.40.2/21")
    ]
    assert [rule.action for rule in leaf.vlans[0].acl] == ["deny", "deny", "deny", "permit"]
    assert {(one.vrf, one.vlan) for one in leaf.sessions} == {("", None), ("users", 300)}


def test_management_of_the_pod():
    plan = site("pod-256")
    node = plan.node["node-p1-04"]
    assert node.bmc is not None
    assert (str(node.management.address), str(node.bmc.address)) == (
        "10.88.8.14/22",
        "10.88.16.14/22",
    )
    # The fourth node of the rack has ports 7 and 8, the first PDU port 9.
    peers = {one.name: one.peer for one in plan.oob_switch["oob-p1-1"].ports}
    assert peers["swp7"] == PortRef("node-p1-04", "eno3")
    assert peers["swp8"] == PortRef("node-p1-04", "bmc")
    assert peers["swp9"] == PortRef("pdu-p1-1-a", "eth0")
    zones = {one.name: one.zones for one in plan.oob_switch["oob-p1-1"].ports}
    assert (zones["swp7"], zones["swp8"], zones["swp9"]) == (("hostmgmt",), ("bmc",), ("power",))
    # 32 leaves can exist before the first spine.
    assert str(plan.switch["spine1"].management.address) == "10.88.0.43/22"
    rack = next(one for one in plan.racks if one.name == "rack-p1-1")
    assert [one.device for one in rack.devices] == [
        *(f"node-p1-0{number}" for number in range(1, 5)),
        "oob-p1-1",
    ]
    assert (rack.power_w, rack.devices[3].unit) == (4 * 10200 + 400, 25)


def test_the_superpod_in_numbers():
    plan = site("superpod-10k")
    assert Counter((one.plane, one.tier) for one in plan.switches) == {
        ("compute", "leaf"): 160,
        ("compute", "spine"): 160,
        ("compute", "superspine"): 128,
        ("storage", "leaf"): 2 * 23,
        ("storage", "spine"): 16,
    }
    gpus = sum(len(one.rails) for one in plan.nodes)
    assert gpus == 10_240
    links = sum(one.plane == "compute" for one in plan.cables)
    # Each tier passes on what comes from below: 5,120 links of 800 Gb/s, twice.
    assert links == 10_240 + 2 * 5_120
    ratios = {(one.plane, one.tier): one.ratio for one in plan.capacities if one.limit}
    assert ratios == {("compute", "leaf"): 1, ("compute", "spine"): 1, ("storage", "leaf"): 4}


def test_three_tiers_of_the_superpod():
    plan = site("superpod-10k")
    # 32 cages face nodes; four links to each spine.
    assert port(plan, "leaf-p07-r3", "swp38").peer == PortRef("spine-p07-2", "swp14")
    # Spine 3 of pod 7 is on group 3, which has two ports for each pod.
    assert port(plan, "spine-p07-3", "swp42").peer == PortRef("superspine-g3-05", "swp14")
    top = plan.switch["superspine-g3-05"]
    assert {one.peer.device.rpartition("-")[2] for one in top.ports} == {"3"}
    assert len(top.ports) == 40
    spine = plan.switch["spine-p07-3"]
    assert (spine.asn, top.asn, spine.ecmp_width) == (4200001006, 4200000000, 32)
    assert {one.peer_asn for one in spine.sessions if one.direction == "up"} == {4200000000}
    assert {one.asn for one in plan.switches if one.name.startswith("spine-p07-")} == {4200001006}


@pytest.mark.parametrize("name", NAMES)
def test_nobody_has_what_another_has(name):
    plan = site(name)
    ends = [end for cable in plan.cables for end in (cable.a, cable.b)]
    assert len(ends) == len(set(ends))
    own = [one.loopback for one in plan.switches]
    for node in plan.nodes:
        own += [nic.address.ip for nic in node.rails]
        own += [nic.address.ip for nic in node.nics if nic.address]
        own += [vlan.address.ip for vlan in node.vlans]
        own += [one.address.ip for one in (node.management, node.bmc) if one]
    for switch in plan.switches:
        own += [one.address.ip for one in switch.ports if one.address]
        own += [one.address.ip for one in switch.vlans]
    own += [one.management.address.ip for one in plan.switches]
    own += [one.management.address.ip for one in plan.oob_switches]
    own += [pdu.management.address.ip for one in plan.racks for pdu in one.pdus if pdu.management]
    assert len(own) == len(set(own))
    assert len({one.name for one in plan.switches}) == len(plan.switches)


@pytest.mark.parametrize("name", NAMES)
def test_both_ends_of_every_cable_are_ports_of_devices(name):
    plan = site(name)
    known = {(one.name, each.name) for one in plan.switches for each in one.ports}
    known |= {(one.name, each.name) for one in plan.oob_switches for each in one.ports}
    for node in plan.nodes:
        known |= {(node.name, nic.port) for nic in node.rails}
        known |= {(node.name, nic.port) for nic in node.nics}
    data = [one for one in plan.cables if one.plane != "oob"]
    ends = {(end.device, end.port) for one in data for end in (one.a, one.b)}
    assert ends <= known
    planned = {(one.name, each.name) for one in plan.switches for each in one.ports}
    assert planned <= ends


@pytest.mark.parametrize("name", ["pod-256", "superpod-10k"])
def test_no_node_loses_both_ways_with_one_leaf(name):
    for node in site(name).nodes:
        for plane in ("storage", "business"):
            leaves = [one.leaf.device for one in node.nics if one.plane == plane]
            assert len(set(leaves)) == len(leaves)


@pytest.mark.parametrize("name", NAMES)
def test_a_node_speaks_lldp_on_each_port_with_a_data_cable_and_no_other(name):
    """What leaves and stage 20 want to hear; the management network hears nothing."""
    plan = site(name)
    cabled: dict[str, list[str]] = {node.name: [] for node in plan.nodes}
    for cable in (one for one in plan.cables if one.plane != "oob"):
        for end in (cable.a, cable.b):
            if end.device in cabled:
                cabled[end.device].append(end.port)
    told = {node.name: node_vars(plan, node) for node in plan.nodes}
    assert {one: said["os_base_lldp_ports"] for one, said in told.items()} == {
        one: sorted(ports) for one, ports in cabled.items()
    }
    assert all(said["os_base_name"] == one for one, said in told.items())
