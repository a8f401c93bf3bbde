"""The NICs of a node as the role roce_nic wants them: rails, other planes, bonds and VLANs."""

from __future__ import annotations

from .plan import AccessNic, AccessVlan, Node, RailNic


def network_vars(node: Node) -> dict[str, object]:
    """Variables of the role roce_nic about interfaces, addresses, routes and rules."""
    return {
        "roce_nic_access": [_access(one) for one in node.nics],
        "roce_nic_bonds": _bonds(node.nics),
        "roce_nic_rails": [_rail(one) for one in node.rails],
        "roce_nic_tool": node.software.nics.network,
        "roce_nic_vlans": [_vlan(one) for one in node.vlans],
    }


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


def _rail(nic: RailNic) -> dict[str, object]:
    # Exactly the options of the role's contract: Ansible refuses a key that it does not list.
    return {
        "port": nic.port,
        "pci": nic.pci or "",
        "mac": nic.mac or "",
        "address": str(nic.address),
        "source": f"{nic.address.ip}/32",
        "gateway": str(nic.gateway),
        "ip_mtu_bytes": nic.ip_mtu_bytes,
        "rail_prefix": str(nic.rail_prefix),
        "fabric_prefix": str(nic.fabric_prefix),
        "table": nic.table,
        "rule_priority": nic.rule_priority,
    }


def _access(nic: AccessNic) -> dict[str, object]:
    """A storage or business NIC; empty text and 0 for what it has not (in a bond or VLAN)."""
    return {
        "plane": nic.plane,
        "port": nic.port,
        "pci": nic.pci or "",
        "mac": nic.mac or "",
        "address": str(nic.address or ""),
        "source": f"{nic.address.ip}/32" if nic.address else "",
        "gateway": str(nic.gateway or ""),
        "ip_mtu_bytes": nic.ip_mtu_bytes,
        "prefix": str(nic.prefix or ""),
        "table": nic.table or 0,
        "rule_priority": nic.rule_priority or 0,
        "bond": nic.bond or "",
    }


def _bonds(nics: tuple[AccessNic, ...]) -> list[dict[str, object]]:
    names = sorted({one.bond for one in nics if one.bond})
    found: list[dict[str, object]] = []
    for name in names:
        mine = [one for one in nics if one.bond == name]
        found.append({
            "name": name,
            "ports": [one.port for one in mine],
            "ip_mtu_bytes": mine[0].ip_mtu_bytes,
        })  # fmt: skip
    return found


def _vlan(one: AccessVlan) -> dict[str, object]:
    return {
        "interface": one.interface,
        # The untagged VLAN is the interface itself.
        "name": f"{one.interface}.{one.vlan}" if one.tagged else one.interface,
        "vlan": one.vlan,
        "tagged": one.tagged,
        "address": str(one.address),
        "gateway": str(one.gateway),
        "prefix": str(one.prefix),
        "ip_mtu_bytes": one.ip_mtu_bytes,
        "default_route": one.default_route,
    }
