"""Which roles a node gets beyond those of every node: groups by what its profile asks for."""

from __future__ import annotations

from .plan import Node, Software

WISHES = ("container_runtime", "gds", "nccl", "nvidia_driver")


def wished(software: Software) -> tuple[str, ...]:
    """The roles that this software needs, sorted."""
    asked = {
        "container_runtime": software.containers is not None,
        "gds": software.gds is not None,
        "nccl": software.collectives,
        "nvidia_driver": software.gpu is not None,
    }
    return tuple(role for role in WISHES if asked[role])


def role_groups(node: Node) -> tuple[str, ...]:
    """The groups `role_NAME` of a node; each role's hosts are one group."""
    return tuple(f"role_{role}" for role in wished(node.software))
