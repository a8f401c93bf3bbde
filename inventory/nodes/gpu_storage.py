"""GPUDirect Storage: what the role gds is told on one node."""

from __future__ import annotations

from inventory.plan import Node

# docs.nvidia.com/gpudirect-storage, configuration guide: `rdma_peer_type` of cufile.json.
PEER_TYPES = {"dmabuf": "dmabuf", "peermem": "nvidia_peermem"}


def storage_vars(node: Node) -> dict[str, object]:
    """Variables by name; empty text and lists where the profile does not ask.

    The addresses are those of its NICs in the storage plane, as cuFile names RDMA devices
    (`rdma_dev_addr_list`): without them NFS over RDMA, WekaFS and VAST use none.
    """
    said, gpu = node.software, node.software.gpu
    own = [nic.address for nic in node.nics if nic.plane == "storage" and nic.address]
    tagged = [vlan.address for vlan in node.vlans if vlan.plane == "storage"]
    return {
        "gds_mode": said.gds or "",
        "gds_peer_type": PEER_TYPES[gpu.peer_memory] if gpu else "dmabuf",
        "gds_rdma_addresses": [str(address.ip) for address in (*own, *tagged)],
    }
