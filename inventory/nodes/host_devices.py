"""What the role roce_nic tells the devices behind a node's interfaces, beside the classes."""

from __future__ import annotations

from math import ceil

from inventory.plan import AccessNic, Lossless, Node, RailNic


def device_vars(node: Node, lossless: Lossless) -> dict[str, object]:
    """Variables of the role roce_nic about what the NICs' driver and PCIe are told."""
    said = node.software.nics
    paused = any(traffic_class.lossless for traffic_class in lossless.classes)
    return {
        "roce_nic_device_wishes": [
            *([f"rings {said.rings}"] if said.rings else []),
            *([f"read_request {said.read_request_bytes}"] if said.read_request_bytes else []),
        ],
        "roce_nic_devices": [
            *(_device(nic, paused, out_of_order=nic.out_of_order) for nic in node.rails),
            *(_device(nic, paused, out_of_order=False) for nic in node.nics if carries_roce(nic)),
        ],
        "roce_nic_qos_tool": said.qos_tool,
        "roce_nic_vendor": said.vendor,
    }


def carries_roce(nic: AccessNic) -> bool:
    """Whether a NIC beside the rails is in the lossless class: storage, where it has RDMA."""
    return nic.plane == "storage" and nic.rdma_device is not None


def _device(nic: RailNic | AccessNic, paused: bool, *, out_of_order: bool) -> dict[str, object]:
    """A NIC that carries the lossless class; empty text where the profile does not say.

    `wishes` are its own: the cable's length counts where something is paused, in whole metres
    as the NIC takes them, and at least 1, because 0 keeps what was set before
    (mlx5e_dcbnl_ieee_setpfc, drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c of Linux).
    """
    return {
        "port": nic.port,
        "rdma_device": nic.rdma_device or "",
        "pci": nic.pci or "",
        "wishes": [
            *([f"cable {max(1, ceil(nic.cable_m))}"] if paused else []),
            *(["out_of_order on"] if out_of_order else []),
        ],
    }
