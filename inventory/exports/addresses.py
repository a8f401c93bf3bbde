"""`addresses.csv`: every address of the plan, in the order of addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from ..plan import Management, Node, Plan, Plane, Switch
from .csv_text import csv_text
from .view import ExportError

COLUMNS = ("address", "prefix", "device", "port", "plane", "zone", "gateway", "table")
LOOPBACK_PORT = "lo"


@dataclass(frozen=True, slots=True)
class Held:
    """An address and who has it. `network` is None where the plan does not know it.

    `plane` is "" at the boundary, whose `zone` is a side of the firewalls. An address that
    several devices share (the gateway of a VLAN) is held by each of them.
    """

    address: IPv4Address
    network: IPv4Network | None
    device: str
    port: str
    plane: str
    zone: str = ""
    gateway: str = ""
    table: str = ""


def addresses_csv(plan: Plan, plane: Plane | None = None) -> str:
    """The addresses of one plane or of all.

    `prefix` is the network as the interface has it, empty for the OOB server's way in, whose
    network is the outside's. `table` is the routing table that the gateway is in.
    """
    held = [address for address in addresses(plan) if plane in (None, address.plane)]
    if not held:
        raise ExportError(f"{plan.site} has no addresses in the plane {plane}")
    held.sort(key=lambda one: (int(one.address), one.device, one.port))
    return csv_text(COLUMNS, map(_row, held))


def addresses(plan: Plan) -> Iterator[Held]:
    """Every address of the plan with who has it."""
    for switch in plan.switches:
        yield from _of_switch(switch)
    for node in plan.nodes:
        yield from _of_node(node)
    yield from _of_oob(plan)
    yield from _of_boundary(plan)


def _row(one: Held) -> tuple[str, ...]:
    network = "" if one.network is None else str(one.network)
    last = one.device, one.port, one.plane, one.zone, one.gateway, one.table
    return str(one.address), network, *last


def _of_switch(switch: Switch) -> Iterator[Held]:
    own = IPv4Network(switch.loopback)
    yield Held(switch.loopback, own, switch.name, LOOPBACK_PORT, switch.plane)
    yield _management(switch.name, switch.management)
    for port in switch.ports:
        if port.address is not None:
            at = port.address
            yield Held(at.ip, at.network, switch.name, port.name, port.plane)
    for vlan in switch.vlans:
        port_name = f"vlan{vlan.id}"
        yield Held(vlan.address.ip, vlan.subnet, switch.name, port_name, vlan.plane, vlan.name)
        yield Held(vlan.gateway, vlan.subnet, switch.name, port_name, vlan.plane, vlan.name)


def _of_node(node: Node) -> Iterator[Held]:
    yield _management(node.name, node.management)
    if node.bmc is not None:
        yield _management(node.name, node.bmc)
    for nic in node.rails:
        at, via, table = nic.address, str(nic.gateway), str(nic.table)
        yield Held(at.ip, at.network, node.name, nic.port, "compute", "", via, table)
    for access in node.nics:
        if access.address is not None:
            at, via, table = access.address, _text(access.gateway), _text(access.table)
            yield Held(at.ip, at.network, node.name, access.port, access.plane, "", via, table)
    for vlan in node.vlans:
        at, via = vlan.address, str(vlan.gateway)
        port = f"{vlan.interface}.{vlan.vlan}" if vlan.tagged else vlan.interface
        yield Held(at.ip, at.network, node.name, port, vlan.plane, f"vlan{vlan.vlan}", via)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _management(device: str, reached: Management) -> Held:
    at, via = reached.address, str(reached.gateway)
    return Held(at.ip, at.network, device, reached.port, "oob", reached.zone, via)


def _of_oob(plan: Plan) -> Iterator[Held]:
    oob = plan.oob
    yield Held(oob.access, None, oob.name, oob.access_port, "oob")
    for zone in oob.zones:
        yield _at(zone.server_address, oob.name, zone.name, "oob", zone.name)
    for switch in plan.oob_switches:
        yield _management(switch.name, switch.management)
    for pdu in (pdu for rack in plan.racks for pdu in rack.pdus):
        if pdu.management is not None:
            yield _management(pdu.name, pdu.management)


def _of_boundary(plan: Plan) -> Iterator[Held]:
    edge = plan.boundary
    if edge is None:
        return
    for router in edge.edge_routers:
        yield _at(router.provider, router.name, "provider", "", "provider")
        yield _at(router.inside, router.name, "inside", "", "outside")
    for name, seats in [(firewall.name, firewall.seats) for firewall in edge.firewalls] + [
        ("firewalls", edge.virtual)
    ]:
        yield _at(seats.outside, name, "outside", "", "outside")
        yield _at(seats.inside, name, "inside", "", "inside")
        yield _at(seats.dmz, name, "dmz", "", "dmz")
    yield _at(edge.dmz.jump_host_address, edge.dmz.jump_host, "dmz", "", "dmz")
    for address in edge.nat.addresses if edge.nat else ():
        yield Held(address, None, "firewalls", "nat", "", "outside")
    for balancer in edge.load_balancers:
        yield Held(balancer.virtual, None, balancer.name, "virtual", "", "outside")


def _at(address: IPv4Interface, device: str, port: str, plane: str, zone: str) -> Held:
    return Held(address.ip, address.network, device, port, plane, zone)
