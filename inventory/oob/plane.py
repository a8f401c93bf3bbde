"""The OOB plane: where each device is plugged in, which lease and which zone it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network

from inventory.model import Fabric
from inventory.plan import (
    Cable,
    Lease,
    Management,
    OobServer,
    PortRef,
    RoleVariable,
    Service,
    SiteTime,
    Zone,
)
from inventory.topology import addressing
from inventory.topology.racks import Layout

from . import switches as oob_switches
from .flows import NTP, SERVICES
from .switches import HOST, POWER, ZONE_VLANS, pdu_name

NETMGMT_PORT = "nm{n}"
HOSTMGMT_PORT = "hm{n}"
BMC_PORT = "bm{n}"
NODE_ZONE = HOST
# linux/if.h, IFNAMSIZ without its final zero.
_INTERFACE_NAME_BYTES = 15


@dataclass(frozen=True, slots=True)
class OobSeat:
    """A device's place in the OOB plane: its zone, its number there (from 1), the other end.

    `far` is a port of the OOB server, or of a switch of the plane; None for what is reached in
    band, through its own uplink.
    """

    device: str
    device_port: str
    zone: str
    prefix: IPv4Network
    index: int
    far: PortRef | None


@dataclass(frozen=True)
class OobPlan:
    """Everybody's seats: one for each device, and those of BMCs and PDUs."""

    seats: dict[str, OobSeat]
    bmcs: dict[str, OobSeat]
    pdus: dict[str, OobSeat]

    def all(self) -> Iterator[OobSeat]:
        """Every seat: devices, BMCs, PDUs."""
        for some in (self.seats, self.bmcs, self.pdus):
            yield from some.values()


def zones(fabric: Fabric) -> dict[str, IPv4Network]:
    """The zones that the site has, sorted by name."""
    said = fabric.intent.oob.zones.model_dump(exclude_none=True)
    return dict(sorted(said.items()))


def netmgmt_indexes(fabric: Fabric, rack_plan: Layout | None) -> dict[str, int]:
    """Every switch's number in `netmgmt`, from 1: compute, OOB, then the other planes."""
    out: dict[str, int] = {}
    before = 0
    for number, one in enumerate(fabric.fabrics):
        clos = one.clos
        out |= {name: before + clos.leaf_index(at) + 1 for name, at in clos.leaves.items()}
        before += clos.max_leaves
        out |= {name: before + clos.spine_index(at) + 1 for name, at in clos.spine_places.items()}
        before += clos.max_spine_count
        tops = clos.superspine_places
        out |= {name: before + clos.superspine_index(at) + 1 for name, at in tops.items()}
        before += clos.max_superspine_count
        if number == 0 and rack_plan is not None and fabric.intent.oob.switches is not None:
            own = oob_switches.indexes(fabric, rack_plan)
            out |= {name: before + index + 1 for name, index in own.items()}
            before += oob_switches.most(fabric, rack_plan)
    return out


def netmgmt_most(fabric: Fabric, rack_plan: Layout | None) -> int:
    """All devices that can exist in `netmgmt`."""
    own = 0
    if rack_plan is not None and fabric.intent.oob.switches is not None:
        own = oob_switches.most(fabric, rack_plan)
    return own + sum(
        one.clos.max_leaves + one.clos.max_spine_count + one.clos.max_superspine_count
        for one in fabric.fabrics
    )


def seats(fabric: Fabric, rack_plan: Layout | None) -> OobPlan:
    """Every device's seat, by name: switches in `netmgmt`, nodes in `hostmgmt`.

    In `netmgmt` all possible leaves come first, then the spines.
    """
    known, population = zones(fabric), fabric.population
    direct = fabric.intent.oob.switches is None or rack_plan is None
    far = {} if direct or rack_plan is None else oob_switches.far_ends(fabric, rack_plan)
    server = fabric.intent.oob.server
    own: dict[str, OobSeat] = {}
    for name, index in netmgmt_indexes(fabric, rack_plan).items():
        profile_name = fabric.profile_of_switch.get(name)
        in_band = f"vlan{ZONE_VLANS['netmgmt']}"
        switch = fabric.switch_profiles[profile_name] if profile_name else None
        port = switch.management_port if switch else in_band
        direct_end = PortRef(server, NETMGMT_PORT.format(n=index)) if direct else None
        end = direct_end or far.get((name, "netmgmt"))
        own[name] = OobSeat(name, port, "netmgmt", known["netmgmt"], index, end)
    bmcs: dict[str, OobSeat] = {}
    for name, at in population.nodes.items():
        profile = fabric.node_profiles[population.profile_of(at)]
        index = population.node_index(at) + 1
        direct_end = PortRef(server, HOSTMGMT_PORT.format(n=index)) if direct else None
        end = direct_end or far.get((name, HOST))
        own[name] = OobSeat(name, profile.management_port, HOST, known[HOST], index, end)
        if profile.bmc is not None and "bmc" in known:
            direct_end = PortRef(server, BMC_PORT.format(n=index)) if direct else None
            end = direct_end or far.get((name, "bmc"))
            bmcs[name] = OobSeat(name, profile.bmc.port, "bmc", known["bmc"], index, end)
    return OobPlan(own, bmcs, _pdus(fabric, rack_plan, far))


def _pdus(
    fabric: Fabric, rack_plan: Layout | None, far: dict[tuple[str, str], PortRef]
) -> dict[str, OobSeat]:
    zone = zones(fabric).get(POWER)
    if rack_plan is None or zone is None:
        return {}
    out = {}
    for rack, members in rack_plan.by_rack.items():
        index = rack_plan.spots[members[0]].rack_index
        for number in range(1, rack_plan.racks.pdus + 1):
            name = pdu_name(rack, number)
            at = index * rack_plan.racks.pdus + number
            out[name] = OobSeat(name, "eth0", POWER, zone, at, far.get((name, POWER)))
    return out


def management(fabric: Fabric, seat: OobSeat) -> Management:
    """How a device is reached."""
    override = fabric.intent.overrides.get(seat.device)
    formula = addressing.oob_address_at(seat.prefix, seat.index)
    address = override.management_address if override and seat.zone in ("netmgmt", HOST) else None
    return Management(
        port=seat.device_port,
        zone=seat.zone,
        address=IPv4Interface((int(address or formula), seat.prefix.prefixlen)),
        gateway=addressing.oob_server_address(seat.prefix).ip,
        mac=fabric.asbuilt.mac(seat.device, seat.device_port),
        serial=fabric.asbuilt.serial(seat.device, seat.device_port),
    )


def server(
    fabric: Fabric, oob_plan: OobPlan, variables: tuple[RoleVariable, ...] = ()
) -> OobServer:
    """Return the OOB server with its zones, sorted by name, and its roles' variables."""
    oob = fabric.intent.oob
    trunk = oob.ports.trunk if oob.switches else None
    by_zone: dict[str, list[OobSeat]] = {name: [] for name in zones(fabric)}
    for seat in oob_plan.all():
        by_zone[seat.zone].append(seat)
    return OobServer(
        name=oob.server,
        access_port=oob.ports.access,
        access=oob.access,
        mac=fabric.asbuilt.mac(oob.server, oob.ports.access),
        trunk_port=trunk,
        trunk_mac=fabric.asbuilt.mac(oob.server, trunk) if trunk else None,
        domain=oob.domain,
        time=SiteTime(tuple(oob.time.sources), oob.time.clock),
        zones=tuple(_zone(fabric, name, mine) for name, mine in by_zone.items()),
        role_variables=variables,
    )


def _zone(fabric: Fabric, name: str, mine: list[OobSeat]) -> Zone:
    prefix = zones(fabric)[name]
    mine = sorted(mine, key=lambda one: one.index)
    vlan = ZONE_VLANS[name]
    if fabric.intent.oob.switches is None:
        ports = tuple(seat.far.port for seat in mine if seat.far)
    else:
        ports = (vlan_port(fabric.intent.oob.ports.trunk, vlan),)
    return Zone(
        name=name,
        vlan=vlan,
        prefix=prefix,
        server_address=addressing.oob_server_address(prefix),
        ports=ports,
        leases=tuple(sorted(filter(None, (_lease(fabric, seat) for seat in mine)))),
        services=services(fabric, name),
    )


def vlan_port(trunk: str, vlan: int) -> str:
    """The server's port in a zone's VLAN: `eno2.20`; `vlan20` where that name would be too long."""
    name = f"{trunk}.{vlan}"
    return name if len(name) <= _INTERFACE_NAME_BYTES else f"vlan{vlan}"


def services(fabric: Fabric, zone: str) -> tuple[Service, ...]:
    """Return what the server offers in a zone beside DHCP and DNS: time; to nodes, packages."""
    time = tuple(Service(NTP, protocol, port) for protocol, port in SERVICES[NTP])
    if zone != NODE_ZONE:
        return time
    return (*time, Service("packages", "tcp", fabric.intent.oob.packages_port))


def _lease(fabric: Fabric, seat: OobSeat) -> Lease | None:
    reached = management(fabric, seat)
    if reached.mac is None:
        return None
    name = f"{seat.device}-bmc" if seat.zone == "bmc" else seat.device
    if seat.far is None:
        where = ""
    elif seat.far.device == fabric.intent.oob.server:
        where = seat.far.port
    else:
        where = str(seat.far)
    return Lease(name, reached.mac, reached.address.ip, where)


def cables(fabric: Fabric, oob_plan: OobPlan) -> list[Cable]:
    """One management cable for each device, BMC and PDU: to the OOB server or the rack's switch."""
    oob = fabric.intent.oob
    out = []
    for seat in oob_plan.all():
        if seat.far is not None:
            a, b = sorted((PortRef(seat.device, seat.device_port), seat.far))
            out.append(Cable(a, b, "oob", oob.rate_gbps, oob.cable_m))
    return out
