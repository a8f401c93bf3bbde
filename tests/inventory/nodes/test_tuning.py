"""A node profile's wishes reach the roles' variables, whole and in the kernel's order."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from inventory import open_site
from inventory.load.site import SITES
from inventory.nodes.hostvars import vars_for
from inventory.nodes.kernel_arguments import OWNED_BY, arguments
from inventory.nodes.tuning import kernel_vars, tuning
from inventory.plan import CpuTuning, HugePages, Plan
from inventory.schema import TuningFile
from inventory.software.kernels import KERNELS
from inventory.software.systems import SYSTEMS

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


# -- kernel arguments, in their order ----------------------------------------------------------

PLAIN = tuning(TuningFile())
TWO_SIZES = (HugePages(1048576, 16, (8, 8)), HugePages(2048, 64))
GOLDEN = {
    "nothing": (PLAIN, ""),
    "an intel server": (
        replace(
            PLAIN,
            kernel_arguments=("console=tty0", "console=ttyS0,115200n8"),
            hugepages=TWO_SIZES,
            cpu=CpuTuning(
                vendor="intel", max_cstate=1, pstate="active", isolated="4-63,68-127", tickless=True
            ),
            thp="madvise",
            numa_balancing=False,
            iommu="passthrough",
            pci_realloc=True,
        ),
        (
            "console=tty0 console=ttyS0,115200n8 iommu=pt intel_iommu=on pci=realloc "
            "intel_idle.max_cstate=1 processor.max_cstate=1 intel_pstate=active "
            "transparent_hugepage=madvise numa_balancing=disable "
            "isolcpus=managed_irq,domain,4-63,68-127 nohz_full=4-63,68-127 rcu_nocbs=4-63,68-127 "
            "default_hugepagesz=1G hugepagesz=1G hugepages=0:8,1:8 hugepagesz=2M hugepages=64"
        ),
    ),
    "an amd server": (
        replace(
            PLAIN,
            cpu=CpuTuning(vendor="amd", max_cstate=1, pstate="guided", isolated="8-15"),
            thp="never",
            numa_balancing=True,
            iommu="passthrough",
            pci_realloc=False,
        ),
        (
            "iommu=pt pci=realloc=off processor.max_cstate=1 amd_pstate=guided "
            "transparent_hugepage=never numa_balancing=enable isolcpus=managed_irq,domain,8-15"
        ),
    ),
    "no iommu, intel": (
        replace(PLAIN, cpu=CpuTuning(vendor="intel"), iommu="disabled"),
        "intel_iommu=off",
    ),
    "no iommu, amd": (
        replace(PLAIN, cpu=CpuTuning(vendor="amd"), iommu="disabled"),
        "amd_iommu=off",
    ),
    "translation, intel": (
        replace(PLAIN, cpu=CpuTuning(vendor="intel"), iommu="translated"),
        "iommu=nopt intel_iommu=on",
    ),
    "pages of one NUMA node": (
        replace(PLAIN, hugepages=(HugePages(2048, 5, (0, 5)),)),
        "default_hugepagesz=2M hugepagesz=2M hugepages=1:5",
    ),
    "pages at run time alone": (
        replace(PLAIN, hugepages=(HugePages(1048576, 8, (), "runtime"),)),
        "",
    ),
}


@pytest.mark.parametrize("case", sorted(GOLDEN))
def test_arguments_are_exactly(case):
    asked, words = GOLDEN[case]
    assert " ".join(arguments(asked)) == words


@pytest.mark.parametrize("case", sorted(GOLDEN))
def test_every_argument_that_is_made_is_one_that_nobody_may_also_write(case):
    """Or a profile could contradict itself and no rule would see it."""
    made = set(arguments(GOLDEN[case][0])) - set(GOLDEN[case][0].kernel_arguments)
    owned = frozenset[str]().union(*OWNED_BY.values())
    assert {one.partition("=")[0] for one in made} <= owned


def test_a_page_count_by_node_is_a_row_for_each_node():
    """Zero pages on a node is a wish too."""
    asked = replace(PLAIN, hugepages=(HugePages(1048576, 8, (8, 0)), HugePages(2048, 64)))
    assert kernel_vars(asked, "debian-12")["kernel_tuning_hugepages"] == [
        {"size_kib": 1048576, "node": "0", "count": 8},
        {"size_kib": 1048576, "node": "1", "count": 0},
        {"size_kib": 2048, "node": "all", "count": 64},
    ]


@pytest.mark.parametrize(
    ("os", "cpu", "told"),
    [
        ("ubuntu-24.04", CpuTuning(vendor="amd", pstate="active"), "amd active"),
        ("debian-12", CpuTuning(vendor="amd", pstate="passive"), ""),
        ("debian-12", CpuTuning(vendor="intel", pstate="passive"), "intel passive"),
        ("debian-12", CpuTuning(vendor="intel", pstate="disable"), ""),
        ("debian-12", CpuTuning(vendor="intel"), ""),
    ],
)
def test_the_mode_is_set_at_run_time_where_the_kernel_has_a_file_for_it(os, cpu, told):
    """`status` of amd_pstate came with 6.3; a driver that is not loaded has none."""
    assert kernel_vars(replace(PLAIN, cpu=cpu), os)["kernel_tuning_pstate"] == told


def test_numa_balancing_holds_at_run_time_too():
    asked = replace(PLAIN, numa_balancing=False, sysctls=(("vm.swappiness", "1"),))
    told = kernel_vars(asked, "debian-12")["kernel_tuning_sysctls"]
    assert told == {"kernel.numa_balancing": "0", "vm.swappiness": "1"}


def test_every_os_has_a_kernel():
    assert set(KERNELS) == set(SYSTEMS)


def test_every_device_has_a_name_on_every_node(plan):
    names = vars_for(plan, "node-p2-2")["os_base_hosts"]
    assert isinstance(names, list)
    assert [one["name"] for one in names] == list(plan.devices)
    assert {"name": "oob1", "address": "10.88.1.1"} in names
