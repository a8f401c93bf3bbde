"""A test site whose node profile asks for everything, served with stand-in packages.

`site(folder, nodes)` writes it; `lock(folder, ...)` rolls its version lock to another driver or
DOCA. Both put the packages into the cache from which the package repository is built.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from deploy.lab.hardware.debs import Deb
from deploy.packages.made import into_cache
from deploy.packages.offered import Offered
from deploy.packages.version_lock import text_of
from inventory.software.lock import VERSIONS, read_lock
from tests.bench import small_lab

from . import packages

OS, ARCH = "debian-12", "amd64"
LOCK = Path("versions") / f"{OS}-{ARCH}.yml"
NODE = "standin-node"

# PCI addresses, RDMA devices and NUMA nodes of one GPU and one NIC a rail. They are invented.
RAILS = (
    {"port": "rail0", "pci": "0000:1a:00.0", "rdma_device": "mlx5_0", "numa": 0, "gpu": 0},
    {"port": "rail1", "pci": "0000:9a:00.0", "rdma_device": "mlx5_1", "numa": 1, "gpu": 1},
)
GPUS = ({"pci": "0000:18:00.0", "numa": 0}, {"pci": "0000:98:00.0", "numa": 1})
# No huge pages and no CPU settings: a machine of the lab has its host's kernel.
PROFILE: dict[str, Any] = {
    "os": OS,
    "arch": ARCH,
    "management_port": "eth0",
    "gpus": list(GPUS),
    "rails": [{**rail, "rate_gbps": 0.2, "out_of_order": True} for rail in RAILS],
    "nics": {
        "stack": "doca",
        "model": "connectx7",
        "settings": {"CNP_DSCP_P1": 48, "ROCE_CC_PRIO_MASK_P1": 255},
        "rings": 8192,
        "read_request_bytes": 4096,
    },
    "gpu_driver": {"nvswitch": True, "parameters": {"NVreg_EnableStreamMemOPs": 1}},
    "gpu_storage": {"mode": "nvidia_fs"},
    "containers": {"engine": "containerd"},
    "collectives": {"qps_per_connection": 4},
    "tuning": {
        "clock": "measure",
        "boot": "file",
        "kernel_arguments": ["iommu=pt"],
        "limits": {"memlock_kib": 8192, "open_files": 1024},
        "sysctls": {
            "net.ipv4.tcp_rmem": "4096 131072 16777216",
            "net.ipv4.tcp_wmem": "4096 65536 16777216",
        },
    },
    "source": "stand-ins: Debian 12 over veth, no GPU and no RDMA NIC behind it",
}
# What roles ask for. All of a component have one upstream version where the table of versions
# compares them.
COMPONENTS: dict[str, list[str]] = {
    "container_toolkit": [
        *("libnvidia-container-tools", "libnvidia-container1", "nvidia-container-toolkit"),
        "nvidia-container-toolkit-base",
    ],
    "containerd": ["containerd", "runc"],
    "doca_ofed": ["doca-ofed"],
    "docker": ["containerd.io", "docker-ce", "docker-ce-cli"],
    "fabric_manager": ["libnvidia-nscq", "nvidia-fabricmanager"],
    "gds": ["nvidia-fs", "nvidia-fs-dkms", "nvidia-gds", "nvidia-gds-13-0"],
    "linux_headers": [packages.headers().name],
    "nccl": ["libnccl-dev", "libnccl2"],
    "nccl_tests": ["nccl-tests"],
    "nvidia_driver": [
        *("libcuda1", "nvidia-driver-cuda", "nvidia-kernel-open-dkms", "nvidia-modprobe"),
        "nvidia-persistenced",
    ],
}


def site(
    folder: Path,
    nodes: int = 2,
    driver: str = packages.NEWER,
    doca: str = packages.DOCA_NEWER,
    more: str = "",
    **profile: Any,
) -> Path:
    """Write the site: `nodes` nodes of two rails; parts of the profile can be given otherwise.

    A part that is None is left out: `gpu_driver=None` is a node without GPU driver.
    """
    small_lab.site(folder, nodes, more)
    fabric = folder / "fabric.yml"
    fabric.write_text(fabric.read_text().replace("node_profile: lab-node", f"node_profile: {NODE}"))
    asked = {key: value for key, value in {**PROFILE, **profile}.items() if value is not None}
    text = yaml.safe_dump({NODE: asked}, sort_keys=False)
    (folder / "profiles/nodes.yml").write_text(text)
    lock(folder, driver, doca)
    (folder / "versions/compat.yml").write_text(yaml.safe_dump({"published": [_kernel()]}))
    return folder


def _kernel() -> dict[str, str]:
    """The line of the kernel that runs, which every nspawn machine shares."""
    line = ".".join(os.uname().release.split(".")[:2])
    row = {"component": "kernel", "version": line, "os": OS, "arch": ARCH}
    return {**row, "source": "the kernel of the machine that runs the lab"}


def lock(
    folder: Path, driver: str = packages.NEWER, doca: str = packages.DOCA_NEWER, **other: str
) -> Path:
    """Write the version lock of the site with these releases; returns the file.

    `fabric_manager=VERSION` locks another fabric manager than the driver's, which a plan must
    refuse.
    """
    debs = list(packages.everything(driver, doca))
    if fabric := other.pop("fabric_manager", ""):
        own = {one.name for one in packages.fabric_manager(fabric)}
        debs = [*(one for one in debs if one.name not in own), *packages.fabric_manager(fabric)]
    if other:
        raise TypeError(f"unknown: {', '.join(sorted(other))}")
    debs += packages.docker()
    return write_lock(folder, debs)


def write_lock(folder: Path, debs: Iterable[Deb]) -> Path:
    """Write the lock of a site: the project's own, with these packages in it or instead."""
    own = read_lock(VERSIONS / LOCK.name)
    wanted = own.model_copy(update={"components": {**own.components, **COMPONENTS}})
    path = folder / LOCK
    path.parent.mkdir(exist_ok=True)
    kept = {
        name: Offered(one.version, one.sha256, one.size_bytes, one.needs)
        for name, one in own.packages.items()
    }
    path.write_text(text_of(wanted, {**kept, **into_cache(debs)}, own.resolved))
    return path


def hardware(uplink: str = "eth0") -> dict[str, Any]:
    """What /etc/standin/hardware.json of such a node says: the profile's NICs and GPUs."""
    nics = [
        {
            "bdf": rail["pci"],
            "netdev": rail["port"],
            "rdma": rail["rdma_device"],
            "numa": rail["numa"],
            "family": "ConnectX7",
            "psid": "MT_0000000838",
            "fw": "28.43.2026",
            "out_of_order": True,
        }
        for rail in RAILS
    ]
    name = "NVIDIA H100 80GB HBM3"
    gpus = [{"bdf": gpu["pci"], "name": name, "numa": gpu["numa"]} for gpu in GPUS]
    bridges = [{"bdf": "0000:17:01.0"}, {"bdf": "0000:97:01.0"}]
    return {"nics": nics, "gpus": gpus, "nvswitches": 4, "bridges": bridges, "uplink": uplink}
