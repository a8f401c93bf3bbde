"""What the role roce_nic tells the devices behind a node's interfaces, beside the classes."""

from __future__ import annotations

from .plan import Node


def device_vars(node: Node) -> dict[str, object]:
    """Variables of the role roce_nic about what the NICs' driver and PCIe are told."""
    said = node.software.nics
    return {
        "roce_nic_devices": [
            *(_device(one.port, one.rdma_device, one.pci, one.cable_m, one.out_of_order)
              for one in node.rails),
            *(_device(one.port, one.rdma_device, one.pci, one.cable_m, False)
              for one in node.nics if one.rdma_device and one.plane == "storage"),
        ],
        "roce_nic_qos_tool": said.qos_tool,
        # 0 leaves it to the driver.
        "roce_nic_read_request_bytes": said.read_request_bytes or 0,
        "roce_nic_rings": said.rings or 0,
        "roce_nic_vendor": said.vendor,
    }  # fmt: skip


def _device(
    port: str, rdma: str | None, pci: str | None, cable_m: float, out_of_order: bool
) -> dict[str, object]:
    """A NIC that carries the lossless class; empty text where the profile does not say."""
    return {
        "port": port,
        "rdma_device": rdma or "",
        "pci": pci or "",
        "cable_m": cable_m,
        "out_of_order": out_of_order,
    }
