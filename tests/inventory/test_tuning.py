"""A node profile's wishes reach the roles' variables, whole and in the kernel's order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inventory import open_site
from inventory.hostvars import vars_for
from inventory.load import SITES
from inventory.plan import Plan

PROFILE = """
gpu-node:
  management_port: eth0
  rails: [{port: rail0, rate_gbps: 400}, {port: rail1, rate_gbps: 400}]
  tuning:
    kernel_arguments: [iommu=pt]
    hugepages: [{size_kib: 1048576, count: 16}, {size_kib: 2048, count: 1024}]
    cpu: {governor: performance, idle_exit_us: 0}
    sysctls: {vm.swappiness: 1, kernel.numa_balancing: 0}
    modules: [mlx5_ib]
  source: "a test"
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    site: Path = tmp_path_factory.mktemp("site") / "gpu"
    shutil.copytree(SITES / "lab", site)
    fabric = (site / "fabric.yml").read_text()
    (site / "fabric.yml").write_text(fabric.replace("lab-node", "gpu-node"))
    (site / "profiles").mkdir()
    (site / "profiles" / "nodes.yml").write_text(PROFILE)
    return open_site(site)


def test_sizes_and_counts_of_pages_are_pairs_and_the_first_is_the_default(plan):
    """The kernel reads them in order: a count belongs to the size before it."""
    assert vars_for(plan, "node-p1-1")["kernel_tuning_arguments"] == [
        "iommu=pt",
        "default_hugepagesz=1G",
        "hugepagesz=1G",
        "hugepages=16",
        "hugepagesz=2M",
        "hugepages=1024",
    ]


def test_zero_is_a_wish_and_silence_is_none(plan):
    told = vars_for(plan, "node-p1-1")
    assert told["kernel_tuning_idle_exit_us"] == 0
    assert told["kernel_tuning_governor"] == "performance"
    lab = vars_for(open_site("lab"), "node-p1-1")
    assert lab["kernel_tuning_idle_exit_us"] < 0  # type: ignore[operator]
    assert lab["kernel_tuning_governor"] == ""


def test_what_a_profile_does_not_limit_is_the_roles_to_say(plan):
    assert "os_base_memlock" not in vars_for(plan, "node-p1-1")
    assert vars_for(open_site("lab"), "node-p1-1")["os_base_memlock"] == "8192"


def test_parameters_are_sorted_text(plan):
    told = vars_for(plan, "node-p1-1")["kernel_tuning_sysctls"]
    assert told == {"kernel.numa_balancing": "0", "vm.swappiness": "1"}
    assert isinstance(told, dict)
    assert list(told) == sorted(told)


def test_every_device_has_a_name_on_every_node(plan):
    names = vars_for(plan, "node-p2-2")["os_base_hosts"]
    assert isinstance(names, list)
    assert [one["name"] for one in names] == list(plan.devices)
    assert {"name": "oob1", "address": "10.88.1.1"} in names
