"""Which roles a node gets beyond those of every node: groups by what its profile asks for."""

from __future__ import annotations

from inventory.plan import Node, Software
from inventory.schema import NodeProfile

# As deploy/playbooks/nodes.yml gives them.
OOB_SERVER = ("oob_server", "package_repo")
EVERY_NODE = ("os_base", "kernel_tuning", "ofed", "roce_nic")
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


def asked_of(profile: NodeProfile) -> tuple[str, ...]:
    """All roles of a node of this profile, before a plan is made of it."""
    asked = {
        "container_runtime": profile.containers,
        "gds": profile.gpu_storage,
        "nccl": profile.collectives,
        "nvidia_driver": profile.gpu_driver,
    }
    return (*EVERY_NODE, *(role for role in WISHES if asked[role] is not None))


def role_groups(node: Node) -> tuple[str, ...]:
    """The groups `role_NAME` of a node; each role's hosts are one group."""
    return tuple(f"role_{role}" for role in wished(node.software))
