"""The OOB plane: which port of the OOB server, which lease and which zone a device has."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network

from . import addressing
from .model import Fabric
from .plan import Cable, Lease, Management, OobServer, PortRef, Service, Zone

ACCESS_PORT = "up0"
NETMGMT_PORT = "nm{n}"
HOSTMGMT_PORT = "hm{n}"
NODE_ZONE = "hostmgmt"


@dataclass(frozen=True, slots=True)
class OobSeat:
    """A device's place in the OOB plane: the server's port (counted from 1) and its zone."""

    device: str
    device_port: str
    zone: str
    prefix: IPv4Network
    index: int

    @property
    def server_port(self) -> str:
        """The OOB server's port that the device is plugged into."""
        pattern = NETMGMT_PORT if self.zone == "netmgmt" else HOSTMGMT_PORT
        return pattern.format(n=self.index)


def seats(fabric: Fabric) -> dict[str, OobSeat]:
    """Every device's seat, by name: switches in `netmgmt`, nodes in `hostmgmt`.

    In `netmgmt` all possible leaves come first, then the spines.
    """
    zones = fabric.intent.oob.zones
    shape = fabric.shape
    out: dict[str, OobSeat] = {}
    for name, leaf in shape.leaves.items():
        port, index = fabric.leaf_profile.management_port, shape.leaf_index(leaf) + 1
        out[name] = OobSeat(name, port, "netmgmt", zones.netmgmt, index)
    for name, number in shape.spine_numbers.items():
        port, index = fabric.spine_profile.management_port, shape.max_leaves + number
        out[name] = OobSeat(name, port, "netmgmt", zones.netmgmt, index)
    for name, node in shape.nodes.items():
        port, index = fabric.node_profile.management_port, shape.node_index(node) + 1
        out[name] = OobSeat(name, port, NODE_ZONE, zones.hostmgmt, index)
    return out


def management(fabric: Fabric, seat: OobSeat) -> Management:
    """How a device is reached."""
    override = fabric.intent.overrides.get(seat.device)
    formula = addressing.oob_address_at(seat.prefix, seat.index)
    address = override.management_address if override else None
    return Management(
        port=seat.device_port,
        zone=seat.zone,
        address=IPv4Interface((int(address or formula), seat.prefix.prefixlen)),
        gateway=addressing.oob_server_address(seat.prefix).ip,
        mac=fabric.asbuilt.mac(seat.device, seat.device_port),
        serial=fabric.asbuilt.serial(seat.device, seat.device_port),
    )


def server(fabric: Fabric, all_seats: dict[str, OobSeat]) -> OobServer:
    """Return the OOB server with its zones, sorted by name."""
    oob = fabric.intent.oob
    return OobServer(
        name=oob.server,
        access_port=ACCESS_PORT,
        access=oob.access,
        mac=fabric.asbuilt.mac(oob.server, ACCESS_PORT),
        domain=oob.domain,
        zones=(
            _zone(fabric, "hostmgmt", oob.zones.hostmgmt, all_seats),
            _zone(fabric, "netmgmt", oob.zones.netmgmt, all_seats),
        ),
    )


def _zone(fabric: Fabric, name: str, prefix: IPv4Network, all_seats: dict[str, OobSeat]) -> Zone:
    mine = sorted((one for one in all_seats.values() if one.zone == name), key=lambda s: s.index)
    return Zone(
        name=name,
        prefix=prefix,
        server_address=addressing.oob_server_address(prefix),
        ports=tuple(one.server_port for one in mine),
        leases=tuple(sorted(filter(None, (_lease(fabric, one) for one in mine)))),
        services=services(fabric, name),
    )


def services(fabric: Fabric, zone: str) -> tuple[Service, ...]:
    """Return what the server offers in a zone beside DHCP and DNS: packages, to nodes."""
    if zone != NODE_ZONE:
        return ()
    return (Service("packages", "tcp", fabric.intent.oob.packages_port),)


def _lease(fabric: Fabric, seat: OobSeat) -> Lease | None:
    reached = management(fabric, seat)
    if reached.mac is None:
        return None
    return Lease(seat.device, reached.mac, reached.address.ip, seat.server_port)


def cables(fabric: Fabric, all_seats: dict[str, OobSeat]) -> list[Cable]:
    """One management cable for each device, to its own port of the OOB server."""
    oob = fabric.intent.oob
    out = []
    for seat in all_seats.values():
        device, port = PortRef(seat.device, seat.device_port), PortRef(oob.server, seat.server_port)
        a, b = sorted((device, port))
        out.append(Cable(a, b, "oob", oob.rate_gbps, oob.cable_m))
    return out
