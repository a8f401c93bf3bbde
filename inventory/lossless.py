"""The lossless class of a site."""

from __future__ import annotations

from .model import Fabric
from .plan import Lossless


def lossless(fabric: Fabric) -> Lossless:
    """Return the one class that carries RoCE data, and its CNP class."""
    said = fabric.intent.lossless
    return Lossless(
        mode=said.mode,
        dscp=said.dscp,
        priority=said.priority,
        cnp_dscp=said.cnp.dscp,
        cnp_priority=said.cnp.priority,
        host_ip_mtu_bytes=said.ip_mtu_bytes.hosts,
        switch_ip_mtu_bytes=said.ip_mtu_bytes.switches,
    )
