"""The GPU driver of a kind of node: what it runs, and what the role nvidia_driver is told."""

from __future__ import annotations

import re

from inventory.model import Fabric
from inventory.plan import GpuStack, Node, PackageLock
from inventory.schema import NodeProfile
from inventory.software.compat import upstream

# What GPUDirect Storage by P2PDMA wants of the driver: docs.nvidia.com/gpudirect-storage,
# troubleshooting guide, "NVMe P2PDMA", "Setting the Driver Registries".
P2PDMA_REGISTRY = {"RMForceStaticBar1": 1, "RmForceDisableIomapWC": 1}
REGISTRY = "NVreg_RegistryDwords"
# A parameter that /proc/driver/nvidia/params prints under another name:
# github.com/NVIDIA/open-gpu-kernel-modules, kernel-open/nvidia/nv-reg.h, CUSTOM_NAME.
_PRINTED_AS = {"RestrictProfilingToAdminUsers": "RmProfilingAdminOnly"}
# By name, as what follows at boot waits for this list and not for udev's own loading: the fabric
# manager and persistenced start where the driver is there (systemd-modules-load.service(8)).
_DRIVER_MODULES = ("nvidia", "nvidia_uvm")
# What opens /dev/infiniband/umad*: github.com/NVIDIA/gpu-driver-container/pull/246 for the
# subnet manager, github.com/spectrocloud/CanvOS/pull/700 for what happens without the module;
# mlx5_ib before it, or it finds no device (github.com/NVIDIA/gpu-operator/issues/2781).
_SUBNET_MANAGER_MODULES = ("mlx5_ib", "ib_umad")
# ib_core first: nvidia_peermem registers with the one that is there when it is loaded
# (docs.nvidia.com/cuda/gpudirect-rdma, "Using nvidia-peermem").
_PEERMEM_MODULES = ("ib_core", "nvidia_peermem")


def gpu_stack(fabric: Fabric, profile: NodeProfile) -> GpuStack | None:
    """Return the driver that a profile asks for, at the version of the lock; None without."""
    said = profile.gpu_driver
    if said is None:
        return None
    names = fabric.versions.file.components.get("fabric_manager", [])
    # nvidia-fabricmanager from 580 on, with a branch or another hyphen before.
    fabric_manager = [name for name in names if "fabric" in name]
    return GpuStack(
        version=component_version(fabric, "nvidia_driver"),
        peer_memory=said.peer_memory,
        nvswitch=said.nvswitch,
        fabric_manager=fabric_manager[0] if said.nvswitch and fabric_manager else "",
        extras=tuple(sorted(set(said.extras))),
        options=driver_options(profile),
    )


def component_version(fabric: Fabric, component: str) -> str:
    """Upstream's version of a component of the lock; empty where the lock has none."""
    lock = fabric.versions.file
    names = [one for one in lock.components.get(component, []) if one in lock.packages]
    return upstream(lock.packages[names[0]].version) if names else ""


def driver_packages(lock: PackageLock, gpu: GpuStack | None) -> dict[str, str]:
    """All packages of the driver and what must be equal to it: version by name, sorted.

    Also those that the driver's own only want at its version *or later*, as Ubuntu's do:
    named alone, they would go forward with it and never come back.
    """
    if gpu is None:
        return {}
    fabric_manager = ["fabric_manager"] if gpu.nvswitch else []
    wanted = lock.set_of("nvidia_driver", *fabric_manager, *gpu.extras)
    exact = set(lock.set_of("nvidia_driver").values())
    apart = set(lock.set_of("fabric_manager", "imex", "nscq")) - set(wanted)
    family = {
        package.name: package.version
        for package in lock.packages
        if "nvidia" in package.name and package.version in exact and package.name not in apart
    }
    return dict(sorted({**wanted, **family}.items()))


def driver_options(profile: NodeProfile) -> tuple[str, ...]:
    """The parameters of the module `nvidia` as modprobe.d(5) takes them, sorted.

    NVreg_RegistryDwords is one string: of two, the module takes the last.
    """
    said = profile.gpu_driver
    if said is None:
        return ()
    wanted = {name: str(value) for name, value in said.parameters.items()}
    if words := registry(profile):
        joined = "".join(f"{key}={number};" for key, number in sorted(words.items()))
        wanted[REGISTRY] = f'"{joined}"'
    return tuple(f"{name}={value}" for name, value in sorted(wanted.items()))


def registry(profile: NodeProfile) -> dict[str, int]:
    """Keys of the registry that anybody wants, by name; the profile's own words go first."""
    gds = profile.gpu_storage
    more = P2PDMA_REGISTRY if gds is not None and gds.mode == "p2pdma" else {}
    return {**more, **(profile.gpu_driver.registry if profile.gpu_driver else {})}


def printed(option: str) -> str:
    """The line of /proc/driver/nvidia/params that shows an option in force.

    Numbers are printed as unsigned 32 bit, text in quotes (nv_procfs_read_params() in
    kernel-open/nvidia/nv-procfs.c of NVIDIA's open kernel modules).
    """
    name, _, value = option.partition("=")
    name = name.removeprefix("NVreg_")
    text = value.strip('"')
    number = _as_the_kernel_reads(text)
    shown = f'"{text}"' if number is None else str(number & 0xFFFFFFFF)
    return f"{_PRINTED_AS.get(name, name)}: {shown}"


def _as_the_kernel_reads(text: str) -> int | None:
    """A number as kstrtouint() takes it: 0x is hexadecimal, a leading 0 octal; None for text."""
    for base, digits in ((16, "0[xX][0-9a-fA-F]+"), (8, "0[0-7]+"), (10, "-?[0-9]{1,18}")):
        if re.fullmatch(digits, text):
            return int(text, base)
    return None


def driver_vars(node: Node) -> dict[str, object]:
    """Variables of the role nvidia_driver; empty and false where the profile does not ask."""
    gpu = node.software.gpu
    options = gpu.options if gpu else ()
    return {
        "nvidia_driver_dcgm": gpu is not None and node.acceptance.dcgm_level is not None,
        "nvidia_driver_fabric_manager": gpu.fabric_manager if gpu else "",
        "nvidia_driver_modules": list(_modules(gpu)) if gpu else [],
        "nvidia_driver_nvswitch": gpu.nvswitch if gpu else False,
        "nvidia_driver_options": list(options),
        "nvidia_driver_peer_memory": gpu.peer_memory if gpu else "dmabuf",
        "nvidia_driver_printed": [printed(option) for option in options],
        "nvidia_driver_subnet_manager": gpu is not None and "nvlsm" in gpu.extras,
        "nvidia_driver_version": gpu.version if gpu else "",
    }


def _modules(gpu: GpuStack) -> tuple[str, ...]:
    subnet_manager = _SUBNET_MANAGER_MODULES if "nvlsm" in gpu.extras else ()
    peer_memory = _PEERMEM_MODULES if gpu.peer_memory == "peermem" else ()
    return (*_DRIVER_MODULES, *subnet_manager, *peer_memory)
