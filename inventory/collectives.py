"""What NCCL and UCX are told: the lossless class, the NICs in rail order, the fabric's range."""

from __future__ import annotations

from .plan import Node, Plan


def collectives_vars(plan: Plan, node: Node) -> dict[str, object]:
    """Variables of the role nccl; settings by name, in the order in which they are printed."""
    return {
        "nccl_settings": nccl_settings(plan, node),
        "nccl_topology": node.software.topology or "",
        "nccl_ucx_settings": ucx_settings(plan, node),
    }


def nccl_settings(plan: Plan, node: Node) -> dict[str, str]:
    """Lines of /etc/nccl.conf: name to value, sorted by name."""
    devices = [one.rdma_device for one in node.rails if one.rdma_device]
    found = {
        "NCCL_IB_TC": str(plan.lossless.tos),
        "NCCL_GIN_IB_TC": str(plan.lossless.tos),
        "NCCL_SOCKET_IFNAME": f"={node.management.port}",
    }
    if devices:
        found["NCCL_IB_HCA"] = f"={','.join(devices)}"
    if node.rails:
        found["NCCL_IB_ADDR_RANGE"] = str(node.rails[0].fabric_prefix)
    return dict(sorted(found.items()))


def ucx_settings(plan: Plan, node: Node) -> dict[str, str]:
    """The same for UCX: name to value, sorted by name."""
    devices = [one.rdma_device for one in node.rails if one.rdma_device]
    found = {"UCX_IB_TRAFFIC_CLASS": str(plan.lossless.tos)}
    if devices:
        found["UCX_NET_DEVICES"] = ",".join(f"{one}:1" for one in devices)
    return dict(sorted(found.items()))
