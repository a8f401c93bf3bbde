"""What the roles nvidia_driver, gds and container_runtime are told on one node."""

from __future__ import annotations

from inventory.plan import Node

from .gpu_driver import driver_vars
from .gpu_storage import storage_vars


def gpu_vars(node: Node) -> dict[str, object]:
    """Variables by name; empty text, 0 and false where the profile does not ask."""
    return {**driver_vars(node), **storage_vars(node), **_containers(node)}


def _containers(node: Node) -> dict[str, object]:
    said = node.software
    return {
        "container_runtime_engine": said.containers or "",
        "container_runtime_gpus": said.gpu is not None,
    }
