"""The role gds: cuFile's two configurations, its preflight and program, on a tree of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import text_of

from .gpu_tree import KERNEL, GpuNode

KEYS = {
    "allow_compat_mode", "gds_rdma_write_support", "max_device_cache_size_kb",
    "max_device_pinned_mem_size_kb", "max_direct_io_size_kb", "poll_mode_max_size_kb",
    "rdma_dev_addr_list", "rdma_peer_type", "use_pci_p2pdma", "use_poll_mode",
}  # fmt: skip


def node(root: Path, mode: str = "nvidia_fs", **more: Any) -> GpuNode:
    found = GpuNode(root, "gds", mode=mode, **more)
    found.write("/proc/kallsyms", "0000000000000000 d p2pdma_pgmap_ops\n")
    return found


def look(found: GpuNode) -> str:
    assert found.program("railbed-gds", "gds") == (0, [])
    return found.signal()


@pytest.mark.parametrize("addresses", [[], ["10.32.0.1"], ["10.32.0.1", "10.32.64.1"]])
@pytest.mark.parametrize("mode", ["nvidia_fs", "p2pdma"])
def test_jobs_and_gates_differ_in_one_word(tmp_path, mode, addresses):
    values = node(tmp_path, mode, rdma_addresses=addresses).values
    [jobs, gates] = (
        json.loads(text_of("gds", f"{one}.json.j2", values)) for one in ("cufile", "cufile-gate")
    )
    assert jobs["properties"].keys() == KEYS
    assert jobs["properties"]["rdma_dev_addr_list"] == addresses
    assert jobs["properties"]["use_pci_p2pdma"] is (mode == "p2pdma")
    assert jobs["properties"].pop("allow_compat_mode") is True
    assert gates["properties"].pop("allow_compat_mode") is False
    assert jobs == gates


def test_a_module_wants_headers_and_p2pdma_a_kernel_that_has_it(tmp_path):
    found = node(tmp_path)
    assert found.preflight() == []
    (tmp_path / f"lib/modules/{KERNEL}/build/include").rmdir()
    [line] = found.preflight()
    assert line.startswith(f"found no headers of the running kernel {KERNEL}, expected")
    assert f"lock linux-headers-{KERNEL} in components, or boot the kernel" in line
    found.builds("2.26.6")
    assert found.preflight() == []
    found.values["gds_mode"] = "p2pdma"
    assert found.preflight() == []
    found.write("/proc/kallsyms", "")
    [line] = found.preflight()
    assert line.startswith(f"found kernel {KERNEL} without PCI P2PDMA, expected kernel 6.2")


def test_a_module_that_runs_as_installed_needs_nothing(tmp_path):
    found = node(tmp_path)
    found.builds("2.26.6")
    assert look(found) == "nvidia_fs is not loaded"
    found.write("/sys/module/nvidia_fs/version", "2.24.3\n")
    assert look(found) == "nvidia_fs 2.24.3 is loaded, 2.26.6 is installed"
    found.write("/sys/module/nvidia_fs/version", "2.26.6\n")
    assert look(found) == ""


def test_a_module_that_was_not_built_is_a_failure(tmp_path):
    found = node(tmp_path)
    status, [complaint] = found.program("railbed-gds", "gds")
    assert status == 1
    assert f"nvidia_fs was not built for kernel {KERNEL}" in complaint
    assert f"{complaint.removeprefix('railbed-gds: ')}; nvidia_fs is not loaded" == found.signal()


def test_a_look_that_fails_leaves_no_word_of_before(tmp_path):
    found = node(tmp_path)
    found.write("/run/railbed/reboot-required.d/gds", "of before\n")
    place = found.write("/railbed-gds", found.text("railbed-gds"))
    assert found.run(str(place)).returncode == 1
    assert found.signal() == "/etc/default/railbed-gds is not there"


def test_p2pdma_wants_no_multipath_and_no_module(tmp_path):
    found = node(tmp_path, "p2pdma")
    assert look(found) == ""
    place = "/sys/module/nvme_core/parameters/multipath"
    found.write(place, "Y\n")
    found.write("/sys/module/nvidia_fs/version", "2.26.6\n")
    assert look(found) == (
        "nvme_core.multipath is Y, wanted N; nvidia_fs is loaded, wanted is P2PDMA alone"
    )
    found.write(place, "N\n")
    (tmp_path / "sys/module/nvidia_fs/version").unlink()
    (tmp_path / "sys/module/nvidia_fs").rmdir()
    assert look(found) == ""
    found.write("/proc/kallsyms", "")
    assert found.program("railbed-gds", "gds")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("iommu=pt", ""),
        ("amd_iommu=off", ""),
        ("intel_iommu=on", "the IOMMU translates, wanted is iommu=pt or off"),
        ("quiet", "the IOMMU translates, wanted is iommu=pt or off"),
    ],
)
def test_an_iommu_that_translates_is_said(tmp_path, arguments, said):
    found = node(tmp_path, "p2pdma")
    found.write("/proc/cmdline", f"root=/dev/sda1 {arguments}\n")
    assert look(found) == ""
    found.write("/sys/class/iommu/dmar0/name", "")
    assert look(found) == said


def test_only_p2pdma_touches_the_nvme_driver(tmp_path):
    values = node(tmp_path).values
    texts = {
        mode: text_of("gds", "modprobe.conf.j2", {**values, "gds_mode": mode})
        for mode in ("nvidia_fs", "p2pdma")
    }
    assert "multipath" not in texts["nvidia_fs"]
    assert texts["p2pdma"].endswith("options nvme_core multipath=N\n")
