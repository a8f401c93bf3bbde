"""Rules for GPU driver and storage path: what a profile asks for must fit.

Each is a small function over one profile of the site; `GPU_RULES` puts what they find at the
line of `fabric.yml` that names the profile.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import wraps

from inventory.load import profile_names as named
from inventory.model import Fabric
from inventory.nodes.gpu_driver import P2PDMA_REGISTRY, component_version
from inventory.problems import Problem, one_of
from inventory.schema import NodeProfile
from inventory.software.compat import is_older

Finding = tuple[str, str, str]
"""What was found, what was expected, and a hint (may be empty)."""
GpuRule = Callable[[Fabric, NodeProfile], Iterator[Finding]]

# docs.nvidia.com/deploy/gds-support-for-nvme, "Installing Open RM Driver 565 or Above", and its
# introduction for what is not supported.
_P2PDMA_DRIVER = "565"
_P2PDMA = "docs.nvidia.com/deploy/gds-support-for-nvme"
# docs.nvidia.com/gpudirect-storage, best practices guide, "System Settings", IOMMU; that
# pass-through works on some platforms is in its troubleshooting guide.
_IOMMU = "docs.nvidia.com/gpudirect-storage/best-practices-guide/software-settings.html"
_AROUND = ("disabled", "passthrough")
# Where a profile writes the argument itself; the last is arm64's.
_OFF = frozenset(
    {"iommu=off", "iommu=pt", "intel_iommu=off", "amd_iommu=off", "iommu.passthrough=1"}
)
# Flavours of Ubuntu's archive and of NVIDIA's repository: the open one says so in its name.
_PROPRIETARY = re.compile(
    r"nvidia-(dkms|kernel-source|driver|headless|headless-no-dkms)-\d+(-server)?"
    r"|nvidia-kernel-dkms|cuda-drivers(-\d+)?|kmod-nvidia-latest-dkms"
)


def drivers_have_gpus(_: Fabric, profile: NodeProfile) -> Iterator[Finding]:
    """A driver without a GPU never loads, and a storage path to GPU memory needs the driver."""
    if profile.gpu_driver is not None and not profile.gpus:
        yield "`gpu_driver` without `gpus`", "a profile that says its GPUs", ""
    if profile.gpu_storage is not None and profile.gpu_driver is None:
        yield "`gpu_storage` without `gpu_driver`", "both", "cuFile moves data to GPU memory"


def subnet_managers_have_switches(_: Fabric, profile: NodeProfile) -> Iterator[Finding]:
    """NVLSM programs NVSwitches, and the fabric manager starts it: alone it would do nothing."""
    said = profile.gpu_driver
    if said is not None and "nvlsm" in said.extras and not said.nvswitch:
        yield "`gpu_driver.extras: nvlsm` without `nvswitch`", "`nvswitch: true`", ""


def registry_keys_agree(_: Fabric, profile: NodeProfile) -> Iterator[Finding]:
    """The module has one value for a key: of two wishes, one would be lost without a word."""
    said, storage = profile.gpu_driver, profile.gpu_storage
    wanted: dict[str, tuple[str, int]] = {}
    if storage is not None and storage.mode == "p2pdma":
        wanted = {name.lower(): (name, number) for name, number in P2PDMA_REGISTRY.items()}
    for name, number in said.registry.items() if said else ():
        other, value = wanted.setdefault(name.lower(), (name, number))
        if value != number:
            found = f"`gpu_driver.registry.{name}: {number}` beside {other}={value}"
            hint = "GPUDirect Storage by P2PDMA" if other in P2PDMA_REGISTRY else ""
            yield found, "one value for a key of NVreg_RegistryDwords", hint


def p2pdma_is_supported(fabric: Fabric, profile: NodeProfile) -> Iterator[Finding]:
    """Without the driver's side of it, cuFile falls back to copies through the CPU, silently."""
    storage = profile.gpu_storage
    if storage is None or storage.mode != "p2pdma":
        return
    version = component_version(fabric, "nvidia_driver")
    if version and is_older(version, _P2PDMA_DRIVER):
        expected = f"driver {_P2PDMA_DRIVER} or later"
        yield f"`gpu_storage.mode: p2pdma` with driver {version}", expected, _P2PDMA
    if profile.arch != "amd64":
        yield f"`gpu_storage.mode: p2pdma` on {profile.arch}", "amd64, or nvidia_fs", _P2PDMA


def storage_avoids_the_iommu(_: Fabric, profile: NodeProfile) -> Iterator[Finding]:
    """A translating IOMMU sends data between NVMe or NIC and GPU by way of the CPU's root port."""
    said = profile.tuning
    is_out_of_the_way = said.iommu in _AROUND or bool(_OFF & set(said.kernel_arguments))
    if profile.gpu_storage is not None and not is_out_of_the_way:
        found = f"`gpu_storage` and tuning.iommu {said.iommu or 'unsaid'}: the IOMMU may translate"
        yield found, one_of(_AROUND), _IOMMU


def _on_profiles(rule: GpuRule) -> Callable[[Fabric], Iterator[Problem]]:
    @wraps(rule)
    def on_fabric(fabric: Fabric) -> Iterator[Problem]:
        seen: set[str] = set()
        for path, name in named.node_profiles(fabric.intent):
            if name not in seen:
                seen.add(name)
                for found, expected, hint in rule(fabric, fabric.node_profiles[name]):
                    yield fabric.problem(path, f"`{name}`, with {found}", expected, hint)

    return on_fabric


def drivers_are_open(fabric: Fabric) -> Iterator[Problem]:
    """Branches from 620 on have open modules alone, and so have Blackwell GPUs and GDS.

    docs.nvidia.com/datacenter/tesla/driver-installation-guide/620/kernel-modules.html.
    """
    lock = fabric.versions
    for at, name in enumerate(lock.file.components.get("nvidia_driver", [])):
        if _PROPRIETARY.fullmatch(name):
            path = ("components", "nvidia_driver", at)
            hint = "like nvidia-headless-580-server-open, or nvidia-open"
            yield lock.marked.problem(path, f"`{name}`", "packages of the open modules", hint)


GPU_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    *map(
        _on_profiles,
        (
            drivers_have_gpus,
            subnet_managers_have_switches,
            registry_keys_agree,
            p2pdma_is_supported,
            storage_avoids_the_iommu,
        ),
    ),
    drivers_are_open,
)
