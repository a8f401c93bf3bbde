"""What the role ofed is told on one node: the NICs' drivers, firmware and firmware settings."""

from __future__ import annotations

import re

from inventory.plan import NicStack, Node, Plan
from inventory.software.systems import SYSTEMS

# What must not be installed beside a stack. MLNX_OFED's own packages are all of mlnx-ofed-*
# but mlnx-ofed-kernel-*, which DOCA has too; `doca-ofed-generic` is Ubuntu's, against NVIDIA's
# (documentation.ubuntu.com/server, install DOCA-OFED).
CONFLICTS = {
    "inbox": ("doca-*", "kmod-mlnx-ofa_kernel*", "mlnx-ofa_kernel*", "mlnx-ofed-*"),
    "doca": ("doca-ofed-generic", "mlnx-ofed-[!k]*"),
}
# NVIDIA's CUDA repository has tools of the NICs too; those of another release than the drivers'
# break them (github.com/Azure/azhpc-images, components/install_nvidiagpudriver.sh).
# A driver's own: its name and a number (ib_device's name in drivers/infiniband of Linux).
_KERNEL_NAME = re.compile(r"[a-z][a-z0-9]*_[0-9]+")
NIC_TOOLS = ("mft*", "kernel-mft*")


def nic_stack_vars(plan: Plan, node: Node) -> dict[str, object]:
    """Variables by name; empty text and lists where nothing is asked."""
    said = node.software.nics
    name, _, release = node.software.os.rpartition("-")
    gpu = node.software.gpu
    return {
        "ofed_burn": said.firmware_act == "burn",
        "ofed_conflicts": list(CONFLICTS[said.stack]),
        "ofed_devices": [{"pci": nic.pci, "port": nic.port} for nic in node.rails if nic.pci],
        "ofed_excludes": _excludes(plan, node),
        "ofed_firmware": said.firmware or "",
        "ofed_kernel_names": any(map(_KERNEL_NAME.fullmatch, _rdma_names(node))),
        "ofed_kernels": list(said.kernels) if said.stack == "doca" else [],
        "ofed_management_port": node.management.port,
        "ofed_modules": list(node.tuning.modules),
        "ofed_os_id": name,
        "ofed_os_release": release,
        "ofed_peer_memory": gpu is not None and gpu.peer_memory == "peermem",
        "ofed_reload": said.reload,
        "ofed_settings": _settings(said),
        "ofed_stack": said.stack,
    }


def _rdma_names(node: Node) -> list[str]:
    named = [*(nic.rdma_device for nic in node.rails), *(nic.rdma_device for nic in node.nics)]
    return [one for one in named if one]


def _settings(said: NicStack) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in said.settings]


def _excludes(plan: Plan, node: Node) -> list[dict[str, object]]:
    """What repositories of the RHEL family must not offer, beside DOCA.

    A newer rdma-core of the distribution would be taken for an update of DOCA's
    (github.com/Azure/azhpc-images, components/install_doca.sh).
    """
    said = node.software
    if said.nics.stack != "doca" or SYSTEMS[said.os].family != "rpm":
        return []
    major = said.os.rpartition("-")[2].partition(".")[0]
    arch = {"amd64": "x86_64", "arm64": "sbsa"}[plan.packages.arch]
    return [
        {"repository": "baseos", "packages": list(plan.packages.set_of("doca_ofed"))},
        {"repository": f"cuda-rhel{major}-{arch}", "packages": list(NIC_TOOLS)},
    ]
