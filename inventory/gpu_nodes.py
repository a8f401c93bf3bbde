"""What the roles ofed, nvidia_driver, gds and container_runtime are told on one node."""

from __future__ import annotations

from .plan import Node

# docs.nvidia.com/gpudirect-storage, configuration guide: `rdma_peer_type` of cufile.json.
PEER_TYPES = {"dmabuf": "dmabuf", "peermem": "nvidia_peermem"}


def gpu_vars(node: Node) -> dict[str, object]:
    """Variables by name; empty text, 0 and false where the profile does not ask."""
    return {**_ofed(node), **_driver(node), **_gds(node), **_containers(node)}


def _ofed(node: Node) -> dict[str, object]:
    said = node.software.nics
    return {
        "ofed_devices": [
            {"port": one.port, "pci": one.pci or "", "rdma_device": one.rdma_device or ""}
            for one in node.rails
        ],
        "ofed_firmware": said.firmware or "",
        "ofed_management_port": node.management.port,
        "ofed_settings": dict(said.settings),
        "ofed_stack": said.stack,
    }


def _driver(node: Node) -> dict[str, object]:
    gpu = node.software.gpu
    return {
        "nvidia_driver_nvswitch": gpu.nvswitch if gpu else False,
        "nvidia_driver_options": list(gpu.options) if gpu else [],
        "nvidia_driver_peer_memory": gpu.peer_memory if gpu else "dmabuf",
        "nvidia_driver_version": gpu.version if gpu else "",
    }


def _gds(node: Node) -> dict[str, object]:
    said, gpu = node.software, node.software.gpu
    storage = [one.address for one in node.nics if one.plane == "storage" and one.address]
    tagged = [one.address for one in node.vlans if one.plane == "storage"]
    return {
        "gds_mode": said.gds or "",
        "gds_peer_type": PEER_TYPES[gpu.peer_memory] if gpu else "dmabuf",
        "gds_rdma_addresses": [str(one.ip) for one in (*storage, *tagged)],
    }


def _containers(node: Node) -> dict[str, object]:
    said = node.software
    return {
        "container_runtime_engine": said.containers or "",
        "container_runtime_gpus": said.gpu is not None,
        "container_runtime_nccl": said.collectives,
    }
