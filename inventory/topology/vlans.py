"""VLANs of the storage and business planes: their subnets, gateways and routing tables."""

from __future__ import annotations

from inventory.plan import AccessVlan, SwitchVlan

from . import addressing
from .clos import LeafAt
from .fabrics import Service, SwitchFabric, VlanIntent


def of_fabric(fabric: SwitchFabric) -> tuple[VlanIntent, ...]:
    """Every VLAN that a fabric's leaves carry, in the site's order."""
    return tuple(vlan for service in fabric.services for vlan in service.vlans)


def vrf_tags(fabric: SwitchFabric) -> tuple[tuple[str, int], ...]:
    """Routing tables beside the default one, with the tag of their packets between switches.

    The tag is the table's lowest VLAN: it stays when other tables come.
    """
    tags: dict[str, int] = {}
    for vlan in of_fabric(fabric):
        if vlan.vrf:
            tags[vlan.vrf] = min(vlan.id, tags.get(vlan.vrf, vlan.id))
    return tuple(sorted(tags.items()))


def carried(service: Service) -> tuple[int, ...]:
    """The VLANs on a port towards a node, the first one untagged."""
    return tuple(intent.id for intent in service.vlans)


def on_leaf(fabric: SwitchFabric, at: LeafAt) -> tuple[SwitchVlan, ...]:
    """The VLANs of one leaf, by number."""
    out = []
    for service in fabric.services:
        for vlan in service.vlans:
            subnet = addressing.vlan_subnet(fabric, vlan.pool, at.pod, at.unit)
            out.append(
                SwitchVlan(
                    id=vlan.id,
                    name=vlan.name,
                    plane=vlan.plane,
                    vrf=vlan.vrf,
                    subnet=subnet,
                    gateway=addressing.gateway(subnet),
                    address=addressing.leaf_in_vlan(subnet, at.slot),
                    ip_mtu_bytes=service.switch_ip_mtu_bytes,
                    acl=vlan.acl,
                )
            )
    return tuple(sorted(out, key=lambda one: one.id))


def of_node(
    fabric: SwitchFabric, service: Service, seat: tuple[int, int, int], interface: str
) -> tuple[AccessVlan, ...]:
    """A node's addresses in a service's VLANs, the first one untagged."""
    pod, unit, place = seat
    out = []
    for number, vlan in enumerate(service.vlans):
        subnet = addressing.vlan_subnet(fabric, vlan.pool, pod, unit)
        out.append(
            AccessVlan(
                plane=service.plane,
                interface=interface,
                vlan=vlan.id,
                tagged=number > 0,
                address=addressing.node_in_vlan(subnet, place),
                gateway=addressing.gateway(subnet),
                prefix=vlan.pool,
                ip_mtu_bytes=service.host_ip_mtu_bytes,
                default_route=vlan.leads_out,
            )
        )
    return tuple(out)
