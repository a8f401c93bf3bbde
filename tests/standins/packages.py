"""Stand-in packages with the real names, forms of version and relations.

What is real is named at each set. A version that was seen nowhere has a real form, and its
comment says so. Sets leave out what our roles never touch (graphics, headers of libraries).
"""

from __future__ import annotations

from collections.abc import Iterator

from deploy.lab.hardware.debs import Deb

from .base_packages import devices, dkms, headers, runtime
from .container_packages import container_toolkit, containerd, docker
from .gpu_packages import NEWER, OLDER, SKEWED, driver, fabric_manager, gds, nccl, nvlsm
from .nic_packages import DOCA_NEWER, DOCA_OLDER, doca, mlnx_ofed

__all__ = [
    "DOCA_NEWER", "DOCA_OLDER", "NEWER", "OLDER", "SKEWED", "container_toolkit", "containerd",
    "devices", "dkms", "doca", "docker", "driver", "everything", "fabric_manager", "gds",
    "headers", "mlnx_ofed", "nccl", "nvlsm", "runtime",
]  # fmt: skip


def everything(version: str = NEWER, doca_release: str = DOCA_NEWER) -> Iterator[Deb]:
    """One consistent set: what a node whose profile asks for everything gets."""
    yield from (runtime(), devices(), dkms(), headers())
    yield from doca(doca_release)
    yield from (*driver(version), *fabric_manager(version), *gds())
    yield from (*container_toolkit(), *containerd(), *nccl())
