"""What of a profile nodes can be given from the lock, and what waits until it is locked.

Nodes install from the lock alone. What a profile asks for and the lock lacks is left off, whole:
half of it (containers that see no GPU, NVSwitches that nobody sets up) would look like the thing.
`check` names it, and so does every list of assumptions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inventory.model import Fabric
from inventory.plan import Assumption, Waiting
from inventory.schema import NodeProfile

from .lock import VersionsFile
from .systems import is_rpm

_PACKAGES: dict[str, tuple[str, ...]] = {
    "container_toolkit": ("nvidia-container-toolkit",),
    "containerd": ("containerd",),
    "dcgm": ("datacenter-gpu-manager-4-cuda13",),
    "docker": ("docker.io",),
    "doca_ofed": ("doca-ofed",),
    "gds": ("nvidia-gds",),
    "gpu_burn": ("gpu-burn",),
    "imex": ("nvidia-imex",),
    "mpi": ("openmpi-bin",),
    "nccl": ("libnccl2",),
    "nccl_tests": ("nccl-tests",),
    "nscq": ("libnvidia-nscq",),
    "nvlsm": ("infiniband-diags", "nvlsm"),
}
"""What is commonly named for a component: of Ubuntu's archive (containerd, docker.io, openmpi-bin),
of NVIDIA's repositories, or of a site's own making (gpu-burn, nccl-tests). The fabric manager's
start script asks `ibstat` of infiniband-diags for a port (NVIDIA/gpu-driver-container, install.sh:
`nvlsm infiniband-diags`)."""

_OF_RPM: dict[str, tuple[str, ...]] = {
    "containerd": ("containerd.io",),
    "docker": ("docker-ce",),
    "mpi": ("openmpi",),
    "nccl": ("libnccl",),
}
"""Where the RHEL family has other names: of Docker's repository (docs.docker.com, Install Docker
Engine on RHEL), of AppStream, and of NVIDIA's (NCCL installation guide, RHEL)."""

# What packages own, and what a site has put there itself (hier(7)), which waits for no lock.
_OF_PACKAGES, _OF_THE_SITE = "/usr/", "/usr/local/"


def as_locked(lock: VersionsFile, profile: NodeProfile) -> tuple[NodeProfile, tuple[Waiting, ...]]:
    """The profile without what the lock lacks, and what that is, sorted."""
    waiting = tuple(sorted(_waiting(lock, profile)))
    for one in waiting:
        profile = _without(profile, one.option)
    return profile, waiting


def to_lock(fabric: Fabric) -> dict[str, tuple[str, ...]]:
    """The components that profiles of a site wait for, sorted, with what is commonly named."""
    lock = fabric.versions.file
    waiting = (one for each in fabric.node_profiles.values() for one in as_locked(lock, each)[1])
    missing = {component for one in waiting for component in one.components}
    names = names_of(lock.os)
    return {one: names[one] for one in sorted(missing) if one in names}


def names_of(os: str) -> Mapping[str, tuple[str, ...]]:
    """What is commonly named for a component on an OS."""
    return {**_PACKAGES, **_OF_RPM} if is_rpm(os) else _PACKAGES


def ledger(fabric: Fabric) -> Iterator[Assumption]:
    """What nodes do without until it is locked: a report may not read as if it were there."""
    origin = fabric.versions.origin
    for name, profile in sorted(fabric.node_profiles.items()):
        for one in as_locked(fabric.versions.file, profile)[1]:
            value = f"asked for, and off: no {', '.join(one.components)} in the lock"
            yield Assumption(f"profile {name}: {one.option}", value, origin, measured=False)


def _waiting(lock: VersionsFile, profile: NodeProfile) -> Iterator[Waiting]:
    locked = {name for name, packages in lock.components.items() if packages}
    for option, components in _needs(profile):
        if missing := sorted(set(components) - locked):
            yield Waiting(option, tuple(missing))


def _needs(profile: NodeProfile) -> Iterator[tuple[str, tuple[str, ...]]]:
    driver, storage, measured = _driver(profile), profile.gpu_storage, profile.acceptance
    if profile.nics.stack == "doca":
        yield "nics.stack", ("doca_ofed",)
    if driver:
        yield "gpu_driver", driver
    if storage is not None:
        yield "gpu_storage", (*driver, *(["gds"] if storage.mode == "nvidia_fs" else []))
    if profile.containers is not None:
        toolkit = ["container_toolkit"] if driver else []
        yield "containers", (profile.containers.engine, *driver, *toolkit)
    # Where no role brings a driver an image has all of it, and a tool that is not there is judged.
    if driver and measured.dcgm_level is not None:
        yield "acceptance.dcgm_level", (*driver, "dcgm")
    if driver and _is_packaged(measured.burn):
        yield "acceptance.burn", (*driver, "gpu_burn")
    if driver and _is_packaged(measured.all_reduce):
        yield "acceptance.all_reduce", (*driver, "mpi", "nccl", "nccl_tests")


def _is_packaged(program: str | None) -> bool:
    said = program or ""
    return said.startswith(_OF_PACKAGES) and not said.startswith(_OF_THE_SITE)


def _driver(profile: NodeProfile) -> tuple[str, ...]:
    said = profile.gpu_driver
    if said is None:
        return ()
    return ("nvidia_driver", *(["fabric_manager"] if said.nvswitch else []), *said.extras)


def _without(profile: NodeProfile, option: str) -> NodeProfile:
    section, _, key = option.rpartition(".")
    if not section:
        return profile.model_copy(update={option: None})
    # Only DOCA's drivers can be loaded again at once.
    off: dict[str, Any] = {key: None}
    if section == "nics":
        off = {"stack": "inbox", "reload": "reboot"}
    return profile.model_copy(update={section: getattr(profile, section).model_copy(update=off)})
