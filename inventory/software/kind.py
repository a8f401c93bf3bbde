"""What a kind of node runs, from its profile, the lock and the versions that the site wants."""

from __future__ import annotations

from inventory.model import Fabric
from inventory.nodes.gpu_driver import gpu_stack
from inventory.plan import NicStack, Software, Waiting
from inventory.schema import NodeProfile

from .compat import versions_for
from .systems import network_tool


def software(fabric: Fabric, profile: NodeProfile, waiting: tuple[Waiting, ...] = ()) -> Software:
    """Return what nodes run beside their kernel: of a profile `as_locked`, and what waits."""
    asked = profile.collectives
    return Software(
        os=profile.os,
        nics=_nics(fabric, profile),
        gpu=gpu_stack(fabric, profile),
        gds=profile.gpu_storage.mode if profile.gpu_storage else None,
        containers=profile.containers.engine if profile.containers else None,
        topology=fabric.topologies.get(asked.topology) if asked and asked.topology else None,
        qps_per_connection=asked.qps_per_connection if asked else None,
        collectives=asked is not None,
        waiting=waiting,
    )


def _nics(fabric: Fabric, profile: NodeProfile) -> NicStack:
    said = profile.nics
    return NicStack(
        vendor=said.vendor,
        stack=said.stack,
        model=said.model,
        firmware=fabric.intent.versions.firmware.get(said.model) if said.model else None,
        firmware_act=said.firmware,
        reload=said.reload,
        kernels=tuple(versions_for(fabric.versions.compat, "kernel", profile.os, profile.arch)),
        settings=tuple((name, str(value)) for name, value in sorted(said.settings.items())),
        network=network_tool(profile.os, said.network),
        qos_tool=said.qos_tool,
        rings=said.rings,
        read_request_bytes=said.read_request_bytes,
    )
