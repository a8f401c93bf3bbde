"""The lossless class of a site, and the ledger of what nobody measured here."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Fabric
from .plan import Assumption, Lossless


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


def assumptions(fabric: Fabric) -> tuple[Assumption, ...]:
    """Return the ledger, sorted: values taken on trust, and every override of a formula."""
    return tuple(sorted((*_profiles(fabric), *_cables(fabric), *_overrides(fabric))))


def _profiles(fabric: Fabric) -> Iterator[Assumption]:
    compute = fabric.intent.compute
    named = {
        compute.leaf_profile: fabric.leaf_profile,
        compute.spine_profile: fabric.spine_profile,
    }
    for name, profile in named.items():
        if profile.lossless == "marking-only":
            value = "marking-only: PFC, ECN and buffers are not judged"
        else:
            value = "full: PFC, ECN and buffers"
        yield Assumption(f"profile {name}: lossless class", value, profile.source, measured=False)
        rate = f"{profile.ports.rate_gbps:g} Gb/s"
        yield Assumption(f"profile {name}: port rate", rate, profile.source, measured=False)
    for rail, nic in enumerate(fabric.node_profile.rails):
        name = f"profile {compute.node_profile}: rate of rail {rail}"
        rate, source = f"{nic.rate_gbps:g} Gb/s", fabric.node_profile.source
        yield Assumption(name, rate, source, measured=False)


def _cables(fabric: Fabric) -> Iterator[Assumption]:
    metres = fabric.intent.compute.cable_m
    source = "fabric.yml, compute.cable_m"
    yield Assumption("cable, node to leaf", f"{metres.node_leaf:g} m", source, measured=False)
    yield Assumption("cable, leaf to spine", f"{metres.leaf_spine:g} m", source, measured=False)


def _overrides(fabric: Fabric) -> Iterator[Assumption]:
    for device, override in fabric.intent.overrides.items():
        for key, value in override.model_dump(exclude_none=True).items():
            source = "fabric.yml, overrides"
            yield Assumption(f"override {device}: {key}", str(value), source, measured=False)
