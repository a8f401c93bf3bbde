"""`addresses.csv`: every address of the plan, in the order of addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network

from ..plan import Management, Node, Plan, Plane, Switch
from .csv_text import csv_text
from .view import ExportError, planes_of

COLUMNS = ("address", "prefix", "device", "port", "plane", "zone", "gateway", "table")
LOOPBACK_PORT = "lo"


@dataclass(frozen=True, slots=True)
class Held:
    """An address and who has it. `network` is None where the plan does not know it."""

    address: IPv4Address
    network: IPv4Network | None
    device: str
    port: str
    plane: Plane
    zone: str = ""
    gateway: str = ""
    table: str = ""


def addresses_csv(plan: Plan, plane: Plane | None = None) -> str:
    """The addresses of one plane or of all.

    `prefix` is the network as the interface has it, empty for the OOB server's way in, whose
    network is the outside's. `table` is the routing table that the gateway is in.
    """
    held = [one for one in addresses(plan) if plane in (None, one.plane)]
    if not held:
        raise ExportError(f"{plan.site} has no addresses in the plane {plane}")
    held.sort(key=lambda one: (int(one.address), one.device, one.port))
    return csv_text(COLUMNS, map(_row, held))


def addresses(plan: Plan) -> Iterator[Held]:
    """Every address of the plan with who has it."""
    for switch in plan.switches:
        yield from _of_switch(switch)
    for node in plan.nodes:
        yield _management(node.name, node.management)
        yield from _of_rails(node)
        yield from _of_access(node)
    yield from _of_server(plan)


def _row(one: Held) -> tuple[str, ...]:
    network = "" if one.network is None else str(one.network)
    last = one.device, one.port, one.plane, one.zone, one.gateway, one.table
    return str(one.address), network, *last


def _of_switch(switch: Switch) -> Iterator[Held]:
    plane = planes_of(switch)[0]
    yield Held(switch.loopback, IPv4Network(switch.loopback), switch.name, LOOPBACK_PORT, plane)
    yield _management(switch.name, switch.management)
    for port in switch.ports:
        if port.address is not None:
            on: Plane = getattr(port, "plane", plane)
            yield Held(port.address.ip, port.address.network, switch.name, port.name, on)


def _management(device: str, reached: Management) -> Held:
    via = str(reached.gateway)
    return Held(
        reached.address.ip, reached.address.network, device, reached.port, "oob", reached.zone, via
    )


def _of_rails(node: Node) -> Iterator[Held]:
    for nic in node.rails:
        at, via, table = nic.address, str(nic.gateway), str(nic.table)
        yield Held(at.ip, at.network, node.name, nic.port, "compute", "", via, table)


def _of_access(node: Node) -> Iterator[Held]:
    """NICs of other planes and the BMC, where the plan has them."""
    for nic in getattr(node, "nics", ()):
        if nic.address is not None:
            at, via = nic.address, str(nic.gateway or "")
            yield Held(at.ip, at.network, node.name, nic.port, nic.plane, "", via)
    bmc: Management | None = getattr(node, "bmc", None)
    if bmc is not None:
        yield _management(node.name, bmc)


def _of_server(plan: Plan) -> Iterator[Held]:
    oob = plan.oob
    yield Held(oob.access, None, oob.name, oob.access_port, "oob")
    for zone in oob.zones:
        at = zone.server_address
        yield Held(at.ip, at.network, oob.name, zone.name, "oob", zone.name)
