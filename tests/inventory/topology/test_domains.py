"""Failure domains: what goes when one thing goes, and nothing more."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from inventory import open_site
from inventory.topology.domains import failure_domains, pdus_to_spare
from tests.generated.sites import Size, generated_site


@pytest.fixture(scope="module")
def pod():
    return open_site("pod-256")


@pytest.fixture(scope="module")
def domains(pod):
    return failure_domains(pod)


def test_every_part_of_the_site_has_its_domain(pod, domains):
    kinds = Counter(name.split(":")[0] for name in domains)
    assert kinds["gpu"] == 256
    assert kinds["node"] == len(pod.nodes)
    assert kinds["leaf"] + kinds["spine"] == len(pod.switches)
    assert kinds["rack"] == len(pod.racks)
    assert kinds["pdu"] == sum(len(one.pdus) for one in pod.racks)
    assert kinds["pod"] == 1


def test_a_gpu_takes_its_nic_port(domains):
    assert domains["gpu:node-p1-01:3"] == ("node-p1-01:enp94s0np0",)


def test_a_leaf_takes_the_nic_ports_that_land_on_it(domains):
    gone = domains["leaf:leaf-p1-r3"]
    assert gone[0] == "leaf-p1-r3"
    assert set(gone[1:]) == {f"node-p1-{number:02}:enp94s0np0" for number in range(1, 33)}


def test_a_spine_is_alone(domains):
    assert domains["spine:spine1"] == ("spine1",)


def test_a_rack_takes_its_devices_and_the_ports_of_others(pod, domains):
    racks = {one.name: one for one in pod.racks}
    for name, rack in racks.items():
        gone = set(domains[f"rack:{name}"])
        devices = {one.device for one in rack.devices} | {one.name for one in rack.pdus}
        assert devices <= gone
        # A device stands for its ports: none of them is listed again.
        assert not {one for one in gone - devices if one.split(":")[0] in devices}


def test_one_pdu_of_a_rack_that_can_spare_it_takes_nothing(pod, domains):
    assert all(pdus_to_spare(one) for one in pod.racks)
    assert domains["pdu:pdu-p1-1-a"] == ()


def test_a_pdu_that_the_others_cannot_replace_takes_the_rack(pod):
    weak = replace(pod, racks=tuple(replace(one, pdu_limit_w=10_000) for one in pod.racks))
    gone = failure_domains(weak)["pdu:pdu-p1-1-a"]
    assert {"node-p1-01", "node-p1-04", "oob-p1-1"} <= set(gone)


def test_a_pod_takes_its_own_nodes_and_leaves_and_no_shared_spine(domains):
    gone = set(domains["pod:1"])
    assert {"node-p1-32", "leaf-p1-r7", "pdu-p1-1-a"} <= gone
    assert not {"spine1", "store-01", "storage-leaf-b1-1"} & gone


def test_three_tiers_have_spines_in_pods():
    plan = open_site("superpod-10k")
    domains = failure_domains(plan)
    assert "spine-p01-1" in domains["pod:1"]
    assert domains["superspine:superspine-g1-01"] == ("superspine-g1-01",)


def test_the_lab_has_no_racks_and_still_its_domains():
    domains = failure_domains(open_site("lab"))
    assert domains["pod:1"] == ("leaf-p1-r0", "leaf-p1-r1", "node-p1-1", "node-p1-2")
    assert not [name for name in domains if name.startswith(("rack:", "pdu:"))]


def test_a_gpu_is_found_by_the_nic_that_serves_it(tmp_path):
    """A profile may count its NICs in another order than nvidia-smi its GPUs."""
    site = generated_site(tmp_path, Size(pods=1, spines=1, rails=2, nodes_per_pod=1))
    nodes = site / "profiles" / "nodes.yml"
    text = nodes.read_text().replace("rail0, rate", "rail0, gpu: 1, rate")
    text = text.replace("rail1, rate", "rail1, gpu: 0, rate")
    nodes.write_text(text.replace("  rails:", "  gpus: [{numa: 0}, {numa: 0}]\n  rails:"))
    domains = failure_domains(open_site(site))
    assert domains["gpu:node-p1-1:0"] == ("node-p1-1:rail1",)
