"""The interfaces of a node as variables of the role roce_nic."""

from __future__ import annotations

from inventory.plan import Node

from .host_interfaces import MAIN, Interface, Route, interfaces


def network_vars(node: Node) -> dict[str, object]:
    """Variables of the role roce_nic about interfaces, addresses, routes and rules."""
    found = interfaces(node)
    return {
        "roce_nic_interfaces": [_row(interface) for interface in found],
        "roce_nic_network_tool": node.software.nics.network,
        "roce_nic_sysctls": {
            f"net.ipv4.conf.{interface.name}.{name}": value
            for interface in found
            for name, value in interface.sysctls
        },
    }


def _row(one: Interface) -> dict[str, object]:
    # Exactly the options of the role's contract: Ansible refuses a key that it does not list.
    return {
        "name": one.name,
        "kind": one.kind,
        "uuid": one.uuid,
        "ip_mtu_bytes": one.ip_mtu_bytes,
        "pci": one.pci,
        "bond": one.bond,
        "ports": list(one.ports),
        "parent": one.parent,
        "vlan": one.vlan,
        "vlans": list(one.vlans),
        "address": str(one.address or ""),
        "routes": [_route(way) for way in one.routes],
        "rules": [
            {"source": str(rule.source), "table": rule.table, "priority": rule.priority}
            for rule in one.rules
        ],
    }


def _route(way: Route) -> dict[str, object]:
    """As every tool prints it; 0 for the main table and for the kernel's own metric."""
    return {
        "to": str(way.to),
        "via": str(way.via),
        "table": 0 if way.table == MAIN else way.table,
        "metric": way.metric,
        "is_default": way.to.prefixlen == 0,
    }
