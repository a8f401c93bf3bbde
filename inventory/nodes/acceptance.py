"""Acceptance as planned: the GPUs and NUMA nodes that are measured, and the mounts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from inventory.model import Fabric
from inventory.plan import Acceptance, Mount, NodeGpu
from inventory.schema import NodeProfile


@dataclass(frozen=True, slots=True)
class Parts:
    """What a kind of node is measured at."""

    gpus: tuple[NodeGpu, ...]
    numa: tuple[int, ...]
    acceptance: Acceptance


def parts(profile: NodeProfile) -> Parts:
    """The GPUs, the NUMA nodes that any GPU or NIC names, and the programs of a profile."""
    said = profile.acceptance
    nics = chain(profile.rails, profile.storage, profile.business)
    numa = {gpu.numa for gpu in profile.gpus} | {
        port.numa for port in nics if port.numa is not None
    }
    return Parts(
        gpus=tuple(NodeGpu(at, one.pci, one.numa) for at, one in enumerate(profile.gpus)),
        numa=tuple(sorted(numa)),
        acceptance=Acceptance(
            scratch=said.scratch,
            stream=said.stream,
            dcgm_level=said.dcgm_level,
            burn=said.burn,
            all_reduce=said.all_reduce,
        ),
    )


def mounts(fabric: Fabric) -> tuple[Mount, ...]:
    """The mounts of the storage plane, sorted by path."""
    said = fabric.intent.storage.mounts if fabric.intent.storage else []
    return tuple(
        sorted(
            Mount(
                mount.path, tuple(sorted(mount.kinds)), mount.read_gbps, mount.write_gbps, mount.gds
            )
            for mount in said
        )
    )
