"""What a kind of node runs, from its profile, the lock and the versions that the site wants."""

from __future__ import annotations

from .compat import upstream
from .model import Fabric
from .plan import GpuStack, NicStack, Software
from .schema import NodeProfile

# What GPUDirect Storage by P2PDMA wants of the driver: docs.nvidia.com/gpudirect-storage,
# troubleshooting guide, NVMe P2PDMA.
P2PDMA_REGISTRY = {"RMForceStaticBar1": 1, "RmForceDisableIomapWC": 1}


def software(fabric: Fabric, profile: NodeProfile) -> Software:
    """Return what nodes of a profile run beside their kernel."""
    asked = profile.collectives
    return Software(
        os=profile.os,
        nics=_nics(fabric, profile),
        gpu=_gpu(fabric, profile),
        gds=profile.gpu_storage.mode if profile.gpu_storage else None,
        containers=profile.containers.engine if profile.containers else None,
        topology=asked.topology if asked else None,
        qps_per_connection=asked.qps_per_connection if asked else None,
        collectives=asked is not None,
    )


def _nics(fabric: Fabric, profile: NodeProfile) -> NicStack:
    said = profile.nics
    return NicStack(
        vendor=said.vendor,
        stack=said.stack,
        model=said.model,
        firmware=fabric.intent.versions.firmware.get(said.model) if said.model else None,
        settings=tuple((name, str(value)) for name, value in sorted(said.settings.items())),
        network=said.network,
        qos_tool=said.qos_tool,
        rings=said.rings,
        read_request_bytes=said.read_request_bytes,
    )


def _gpu(fabric: Fabric, profile: NodeProfile) -> GpuStack | None:
    said = profile.gpu_driver
    if said is None:
        return None
    return GpuStack(
        version=component_version(fabric, "nvidia_driver"),
        peer_memory=said.peer_memory,
        nvswitch=said.nvswitch,
        options=driver_options(profile),
    )


def component_version(fabric: Fabric, component: str) -> str:
    """Upstream's version of a component of the lock; empty where the lock has none."""
    lock = fabric.versions.file
    names = [one for one in lock.components.get(component, []) if one in lock.packages]
    return upstream(lock.packages[names[0]].version) if names else ""


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
        wanted["NVreg_RegistryDwords"] = f'"{joined}"'
    return tuple(f"{name}={value}" for name, value in sorted(wanted.items()))


def registry(profile: NodeProfile) -> dict[str, int]:
    """Keys of the registry that anybody wants, the profile's own before all others."""
    gds = profile.gpu_storage
    more = P2PDMA_REGISTRY if gds is not None and gds.mode == "p2pdma" else {}
    return {**more, **(profile.gpu_driver.registry if profile.gpu_driver else {})}
