"""One device of a plan, of any kind: a few facts, then its ports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from rich.console import Console
from rich.table import Table

from deploy.errors import RailbedError
from inventory.nodes.kernel_arguments import arguments
from inventory.plan import (
    Management,
    Node,
    OobServer,
    OobSwitch,
    Pdu,
    Plan,
    Rack,
    Switch,
    SwitchBuffers,
)
from inventory.plan.boundary import EdgeRouter, Firewall, LoadBalancer
from inventory.problems import close_to
from inventory.topology.domains import pdus_to_spare

from .words import first_of, kilowatts, plain_table, print_line

Facts = Iterator[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class RackedPdu:
    """A PDU with the rack that it feeds."""

    name: str
    rack: Rack
    pdu: Pdu


def find_device(plan: Plan, name: str) -> Any:
    """The device of this name, of any kind; RailbedError where there is none."""
    known = _devices(plan)
    if name not in known:
        hint = close_to(name, known) or f"like {first_of(sorted(plan.devices))}"
        raise RailbedError(f"{name}: not a device of {plan.site}", hint=hint)
    return known[name]


def _devices(plan: Plan) -> dict[str, Any]:
    pdus = {pdu.name: RackedPdu(pdu.name, rack, pdu) for rack in plan.racks for pdu in rack.pdus}
    known: dict[str, Any] = {
        **plan.switch,
        **plan.oob_switch,
        **plan.node,
        **pdus,
        plan.oob.name: plan.oob,
    }
    known |= {rack.name: rack for rack in plan.racks}
    if plan.boundary is not None:
        edge = plan.boundary
        known |= {router.name: router for router in edge.edge_routers}
        known |= {firewall.name: firewall for firewall in edge.firewalls}
        known |= {balancer.name: balancer for balancer in edge.load_balancers}
    return known


def device_text(plan: Plan, name: str, out: Console) -> None:
    """Facts, a line each, then tables."""
    found = find_device(plan, name)
    print_line(out, (name, "bold"))
    for key, value in facts(found):
        print_line(out, f"  {key:14} {value}")
    for table in tables(found):
        out.print(table)
    if name in plan.undeployable:
        print_line(out, "  planned, not deployable: no as-built row")


@singledispatch
def facts(device: object) -> Facts:
    """What is said of a device in a line each."""
    raise TypeError(type(device).__name__)


@singledispatch
def tables(_: object) -> Iterator[Table]:
    """What is said of it in rows; of most kinds, nothing."""
    yield from ()


def _reached(how: Management) -> Facts:
    yield "management", f"{how.address} on {how.port}, zone {how.zone}, gateway {how.gateway}"
    yield "MAC", how.mac or "not known"
    if how.serial:
        yield "serial", how.serial


@facts.register
def _(one: Switch) -> Facts:
    where = [f"plane {' + '.join(one.planes)}"]
    where += [
        f"{word} {value}"
        for word, value in (("pod", one.pod), ("unit", one.unit), ("rail", one.rail))
        if value is not None
    ]
    yield "is", f"{one.tier}, {', '.join(where)}"
    yield "profile", f"{one.profile}, {one.dialect} {one.release}"
    yield from _reached(one.management)
    yield "ASN", one.asn
    yield "loopback", one.loopback
    yield "announces", ", ".join(map(str, one.originates))
    yield "ECMP width", f"{one.ecmp_width}, at most {one.maximum_prefix:,} prefixes"
    if one.pair is not None:
        yield "pair", f"{one.pair.peer} over {', '.join(one.pair.ports)}"
    for vlan in one.vlans:
        said = f"{vlan.id} {vlan.name} in {vlan.vrf or 'default'}: {vlan.subnet}"
        yield "VLAN", f"{said}, gateway {vlan.gateway}, own {vlan.address.ip}"
    for stanza in one.raw:
        yield "raw lines", f"{len(stanza.lines)} in {stanza.section}: {stanza.reason}"


@tables.register
def _(one: Switch) -> Iterator[Table]:
    ports = plain_table("Ports", ("port", "to", "plane", "address", "Gb/s", "MTU", "m"))
    for port in one.ports:
        bridged = f"VLAN {', '.join(map(str, port.vlans))}" if port.vlans else "unnumbered"
        ports.add_row(
            port.name,
            str(port.peer),
            port.plane,
            str(port.address or bridged) if port.direction != "peer" else "to its pair",
            f"{port.rate_gbps:g}",
            str(port.ip_mtu_bytes),
            f"{port.cable_m:g}",
        )
    yield ports
    sessions = plain_table("BGP sessions", ("neighbour", "of", "ASN", "table"))
    for each in one.sessions:
        sessions.add_row(each.key, str(each.peer), str(each.peer_asn), each.vrf or "default")
    if one.sessions:
        yield sessions
    if one.buffers is not None:
        yield _buffers(one.buffers)


def _buffers(held: SwitchBuffers) -> Table:
    """What the lossless class needs on ports of each rate, cable and lanes, in bytes."""
    columns = ("Gb/s", "m", "lanes", "Kmin", "Kmax", "mark %", "xon", "xoff", "size")
    table = plain_table("Lossless class by kind of port", columns)
    for kind in held.ports:
        ecn, room = kind.ecn, kind.headroom
        sizes = (room.xon_bytes, room.xoff_bytes, room.size_bytes) if room else ()
        table.add_row(
            f"{kind.rate_gbps:g}",
            f"{kind.cable_m:g}",
            str(kind.lanes),
            f"{ecn.kmin_bytes:,}",
            f"{ecn.kmax_bytes:,}",
            str(ecn.probability_percent),
            *(f"{one:,}" for one in sizes),
            *(("left to the system", "", "") if not sizes else ()),
        )
    return table


@facts.register
def _(one: Node) -> Facts:
    where = f"pod {one.pod}, " if one.pod else ""
    rack = "" if one.rack is None else f", rack {one.rack}"
    yield "is", f"{one.kind}, {where}number {one.position}{rack}"
    yield "profile", f"{one.profile}, changed by {one.engine}"
    yield from _reached(one.management)
    if one.bmc is not None:
        yield "BMC", f"{one.bmc.address}, zone {one.bmc.zone}, MAC {one.bmc.mac or 'not known'}"
    for vlan in one.vlans:
        tag = "tagged" if vlan.tagged else "untagged"
        way = ", the default route" if vlan.default_route else ""
        said = f"{vlan.vlan} {tag} on {vlan.interface}: {vlan.address}, gateway {vlan.gateway}"
        yield "VLAN", f"{said}{way}"
    yield from _tuning(one)
    yield from _role_variables(one)


def _role_variables(one: Node | OobServer) -> Facts:
    for variable in one.role_variables:
        yield "role variable", f"{variable.name} = {variable.plain}"


def _tuning(one: Node) -> Facts:
    tuning = one.tuning
    yield "clock, boot", f"{tuning.clock}, {tuning.boot}"
    if words := arguments(tuning):
        yield "kernel", " ".join(words)
    for pages in tuning.hugepages:
        nodes = f" ({', '.join(map(str, pages.per_numa))} by NUMA node)" if pages.per_numa else ""
        yield "huge pages", f"{pages.count} of {pages.size_kib} KiB{nodes}, from {pages.at} on"
    for key, value in tuning.sysctls:
        yield "sysctl", f"{key} = {value}"


@tables.register
def _(one: Node) -> Iterator[Table]:
    nics = plain_table("NICs", ("NIC", "plane", "address", "gateway", "leaf port", "MTU", "table"))
    for rail in one.rails:
        ends = (str(rail.address), str(rail.gateway), str(rail.leaf))
        nics.add_row(rail.port, f"rail {rail.rail}", *ends, str(rail.ip_mtu_bytes), str(rail.table))
    for nic in one.nics:
        address = str(nic.address or nic.bond or "in a VLAN")
        ends = (address, str(nic.gateway or "-"), str(nic.leaf))
        nics.add_row(nic.port, nic.plane, *ends, str(nic.ip_mtu_bytes), str(nic.table or "-"))
    if one.rails or one.nics:
        yield nics


@facts.register
def _(one: OobSwitch) -> Facts:
    yield "is", f"OOB {one.tier}" + (f" of {one.rack}" if one.rack else "")
    yield "profile", f"{one.profile}, {one.dialect} {one.release}"
    yield from _reached(one.management)


@tables.register
def _(one: OobSwitch) -> Iterator[Table]:
    ports = plain_table("Ports", ("port", "to", "zones", "isolated", "Gb/s"))
    for port in one.ports:
        alone, zones = "yes" if port.isolated else "no", ", ".join(port.zones)
        ports.add_row(port.name, str(port.peer), zones, alone, f"{port.rate_gbps:g}")
    yield ports


@facts.register
def _(one: OobServer) -> Facts:
    yield "is", "OOB server: DHCP, DNS, packages, jump host"
    yield "reached at", f"{one.access} on {one.access_port}"
    yield "MAC", one.mac or "not known"
    yield "domain", one.domain
    yield from _role_variables(one)


@tables.register
def _(one: OobServer) -> Iterator[Table]:
    table = plain_table("Zones", ("zone", "network", "address", "leases", "on"))
    for zone in one.zones:
        cells = (str(zone.prefix), str(zone.server_address.ip), f"{len(zone.leases):,}")
        table.add_row(zone.name, *cells, first_of(zone.ports))
    yield table


@facts.register
def _(one: Rack) -> Facts:
    units = sum(each.rack_units for each in one.devices)
    yield "is", f"rack of {one.kind}" + (f", pod {one.pod}" if one.pod else "")
    yield "units", f"{units} of {one.units}"
    yield "power", f"{kilowatts(one.power_w)} of {kilowatts(one.limit_w)}"
    spare = "one may fail" if pdus_to_spare(one) else "none may fail"
    yield "PDUs", f"{len(one.pdus)} of {kilowatts(one.pdu_limit_w)}: {spare}"


@tables.register
def _(one: Rack) -> Iterator[Table]:
    table = plain_table("From the top", ("unit", "device", "units", "W"))
    for each in reversed(one.devices):
        table.add_row(str(each.unit), each.device, str(each.rack_units), f"{each.power_w:,}")
    yield table
    yield _pdu_table(one)


def _pdu_table(one: Rack) -> Table:
    table = plain_table("PDUs", ("name", "address", "MAC"))
    for pdu in one.pdus:
        how = pdu.management
        table.add_row(pdu.name, str(how.address if how else "-"), (how and how.mac) or "not known")
    return table


@facts.register
def _(one: RackedPdu) -> Facts:
    rack = one.rack
    spare = "the others carry the rack" if pdus_to_spare(rack) else "the others do not"
    yield "is", f"PDU of {rack.name}, one of {len(rack.pdus)}"
    yield "limit", kilowatts(rack.pdu_limit_w)
    yield "without it", f"{spare}, {kilowatts(rack.power_w)}"
    if one.pdu.management is not None:
        yield from _reached(one.pdu.management)


@facts.register
def _(one: EdgeRouter) -> Facts:
    yield "is", f"edge router, AS {one.asn}"
    yield "provider", f"{one.provider}, AS {one.provider_asn}, {one.uplink_gbps:g} Gb/s"
    yield "inside", one.inside


@facts.register
def _(one: Firewall) -> Facts:
    yield "is", "firewall of a pair"
    yield "outside", one.seats.outside
    yield "inside", one.seats.inside
    yield "DMZ", one.seats.dmz


@facts.register
def _(one: LoadBalancer) -> Facts:
    yield "is", f"load balancer of {one.service}"
    yield "address", one.virtual
    yield "spread over", ", ".join(one.members)
