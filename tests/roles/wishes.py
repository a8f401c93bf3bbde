"""A plan whose GPU nodes ask for everything that the roles can do: the lab's nodes have no GPU.

It is the site pod-256 with another profile for its nodes, and with a lock that also has what
comes from makers' own repositories. Names of packages are real, versions and digests are made up.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from inventory import open_site, site_folder
from inventory.plan import Plan
from tests.shipped import loaded

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path("inventory/versions/ubuntu-24.04-amd64.yml")
DRIVER = "580.178.04-0ubuntu0.24.04.1"
# Component to its packages and their version, beside those of the shipped lock: the first is
# what roles ask for, and it wants the others at exactly these versions.
MORE: dict[str, dict[str, str]] = {
    "container_toolkit": {
        "nvidia-container-toolkit": "1.18.0-1",
        "libnvidia-container-tools": "1.18.0-1",
        "libnvidia-container1": "1.18.0-1",
        "nvidia-container-toolkit-base": "1.18.0-1",
    },
    "containerd": {"containerd": "1.7.28-0ubuntu1~24.04.1"},
    "dcgm": {"datacenter-gpu-manager-4-cuda13": "1:4.5.2-1"},
    "doca_ofed": {"doca-ofed": "3.2.3-044000", "mlnx-tools": "25.10-0.2510034"},
    "gds": {"nvidia-gds-13-0": "13.0.2-1"},
    "nccl": {"libnccl2": "2.30.4-1+cuda13.0"},
}
# What a stock profile asks for beside these, and no public repository has but NVLSM.
REST: dict[str, dict[str, str]] = {
    "gpu_burn": {"gpu-burn": "1.0"},
    "mpi": {"openmpi-bin": "4.1.6-7ubuntu2"},
    "nccl_tests": {"nccl-tests": "2.17.6-1"},
    "nvlsm": {"nvlsm": "2025.10.1-1"},
}
PROFILE: dict[str, Any] = {
    "nics": {
        "stack": "doca",
        "model": "connectx7",
        "settings": {"CNP_DSCP_P1": 48, "ROCE_CC_PRIO_MASK_P1": 255},
        "network": "netplan",
        "rings": 8192,
        "read_request_bytes": 4096,
    },
    "gpu_driver": {"nvswitch": True, "parameters": {"NVreg_EnableStreamMemOPs": 1}},
    "gpu_storage": {"mode": "nvidia_fs"},
    "containers": {"engine": "containerd"},
    "collectives": {"qps_per_connection": 4},
    "acceptance": {"dcgm_level": 3},
    "tuning": {
        "kernel_arguments": ["nosmt"],
        "iommu": "passthrough",
        "hugepages": [
            {"size_kib": 1048576, "per_numa": [8, 8]},
            {"size_kib": 2048, "count": 1024, "at": "runtime"},
        ],
        "cpu": {
            "vendor": "intel",
            "governor": "performance",
            "energy_preference": "performance",
            "idle_exit_us": 2,
            "max_cstate": 1,
            "pstate": "active",
        },
        "thp": "madvise",
        "numa_balancing": False,
        "acs": "disabled",
        "modules": ["rdma_ucm"],
    },
}


@cache
def plan() -> Plan:
    """The plan; the same object each time."""
    with tempfile.TemporaryDirectory() as folder:
        return open_site(site(Path(folder) / "site"))


def site(folder: Path) -> Path:
    """Write the site."""
    shutil.copytree(site_folder("pod-256"), folder)
    profiles = loaded(ROOT / "inventory/profiles/nodes.yml")
    (folder / "profiles").mkdir(exist_ok=True)
    everything = {**profiles["hgx-h100"], **PROFILE}
    text = yaml.safe_dump({"everything": everything}, sort_keys=False)
    (folder / "profiles/nodes.yml").write_text(text)
    fabric = folder / "fabric.yml"
    fabric.write_text(
        fabric.read_text().replace("node_profile: hgx-h100", "node_profile: everything")
    )
    lock(folder, MORE)
    return folder


def lock(folder: Path, more: dict[str, dict[str, str]]) -> None:
    """Write the lock of a site: the shipped one, and these components beside it."""
    (folder / "versions").mkdir(exist_ok=True)
    made = loaded(ROOT / LOCK)
    for component, packages in more.items():
        first, *rest = packages
        made["components"][component] = [first]
        for name, version in packages.items():
            made["packages"][name] = {"version": version, "sha256": "0" * 64, "size_bytes": 1}
        made["packages"][first]["needs"] = {name: packages[name] for name in rest}
    (folder / "versions" / LOCK.name).write_text(yaml.safe_dump(made))
