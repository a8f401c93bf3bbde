"""What NCCL and UCX are told: the lossless class, the NICs in rail order, the fabric's range.

Settings: NCCL user guide, environment variables (docs.nvidia.com/deeplearning/nccl); UCX,
`ucx_info -f`. Nothing forces an algorithm, a protocol or a GID index: one number cannot be right
for every NIC (github.com/NVIDIA/nccl/issues/890), and NCCL finds it within the range.
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.model import Fabric
from inventory.plan import Assumption, Node, Plan

from .host_interfaces import vlan_name

TOPOLOGY_PATH = "/etc/railbed/nccl-topology.xml"


def collectives_vars(plan: Plan, node: Node) -> dict[str, object]:
    """Variables of the role nccl."""
    return {
        "nccl_devices": [
            {"name": nic.rdma_device, "pci": nic.pci or ""} for nic in node.rails if nic.rdma_device
        ],
        "nccl_settings": nccl_settings(plan, node),
        "nccl_topology": node.software.topology or "",
        "nccl_ucx_settings": ucx_settings(plan, node),
    }


def nccl_settings(plan: Plan, node: Node) -> dict[str, str]:
    """Lines of /etc/nccl.conf: name to value, sorted by name.

    A value that begins with `=` is an exact match of names: without it, mlx5_1 is also mlx5_10.
    """
    devices = [nic.rdma_device for nic in node.rails if nic.rdma_device]
    software, tos = node.software, str(plan.lossless.tos)
    found = {"NCCL_SOCKET_IFNAME": f"={meeting_port(node)}"}
    if devices:
        found |= {
            "NCCL_GIN_IB_TC": tos,
            "NCCL_IB_ADDR_FAMILY": "AF_INET",
            "NCCL_IB_ADDR_RANGE": str(node.rails[0].fabric_prefix),
            "NCCL_IB_HCA": f"={','.join(devices)}",
            "NCCL_IB_ROCE_VERSION_NUM": "2",
            "NCCL_IB_TC": tos,
        }
    if any(nic.nic_plane for nic in node.rails):
        found["NCCL_CROSS_NIC"] = "0"
    if software.qps_per_connection:
        found["NCCL_IB_QPS_PER_CONNECTION"] = str(software.qps_per_connection)
    if software.topology:
        found["NCCL_TOPO_FILE"] = TOPOLOGY_PATH
    return dict(sorted(found.items()))


def meeting_port(node: Node) -> str:
    """The interface over which the ranks of a job find each other, and have out-of-band words.

    A VLAN or routed port of the business plane, else the first rail; the management port where a
    node has neither. Not the management port else: the OOB network lets no node reach another.
    """
    untagged_first = sorted(node.vlans, key=lambda one: one.tagged)
    for vlan in (one for one in untagged_first if one.plane == "business"):
        return vlan_name(vlan) if vlan.tagged else vlan.interface
    routed = [nic.port for nic in node.nics if nic.plane == "business" and nic.address]
    return [*routed, *(nic.port for nic in node.rails), node.management.port][0]


def ucx_settings(plan: Plan, node: Node) -> dict[str, str]:
    """The same for UCX: name to value, sorted by name."""
    devices = [nic.rdma_device for nic in node.rails if nic.rdma_device]
    if not devices:
        return {}
    return {
        "UCX_IB_TRAFFIC_CLASS": str(plan.lossless.tos),
        "UCX_NET_DEVICES": ",".join(f"{device}:1" for device in devices),
    }


def ledger(fabric: Fabric) -> Iterator[Assumption]:
    """One queue pair a connection has one path under static hashing: said where it is so."""
    asked = fabric.node_profile.collectives
    if asked is None or fabric.intent.compute.adaptive_routing:
        return
    if asked.qps_per_connection is None:
        name, value = "NCCL queue pairs a connection", "1, so one path each under ECMP"
        yield Assumption(name, value, "NCCL's default; `collectives.qps_per_connection`", False)
