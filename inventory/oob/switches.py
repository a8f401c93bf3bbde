"""Switches of the OOB plane: one in each rack, aggregation above them, a core above that.

Ports of a rack's switch: of each node or server one for its system and one for its BMC, or one
for each switch; then the PDUs. All are isolated: they reach the uplink only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.load import raw
from inventory.model import Fabric
from inventory.plan import Cable, Management, OobPort, OobSwitch, OobTier, PortRef
from inventory.schema import SwitchProfile
from inventory.schema.oob import OobSwitches
from inventory.switches.hardware import hardware_of
from inventory.topology.racks import Layout, Spot

# The numbers of the zones on the plane's switches.
ZONE_VLANS = {"netmgmt": 10, "hostmgmt": 20, "bmc": 30, "power": 40, "collectors": 50}
HOST, POWER = "hostmgmt", "power"
_PORTS_OF_NODE = 2


def _said(fabric: Fabric) -> OobSwitches:
    said = fabric.intent.oob.switches
    assert said is not None  # noqa: S101 # asked only where the section is
    return said


def _profile(fabric: Fabric, tier: OobTier) -> SwitchProfile:
    said = _said(fabric)
    names = {
        "access": said.access_profile,
        "aggregation": said.aggregation_profile,
        "core": said.core_profile or said.aggregation_profile,
    }
    return fabric.switch_profiles[names[tier]]


def racks_per_aggregation(fabric: Fabric) -> int:
    """Racks that one aggregation switch takes: all its cages but the last, which goes up."""
    return max(_profile(fabric, "aggregation").ports.count - 1, 1) * _said(fabric).breakout


def aggregations(fabric: Fabric, layout: Layout) -> int:
    """Aggregation switches for all racks that can exist."""
    return -(-layout.max_racks // racks_per_aggregation(fabric))


def most(fabric: Fabric, layout: Layout) -> int:
    """All OOB switches that can exist."""
    return layout.max_racks + aggregations(fabric, layout) + 1


def access_name(rack: str) -> str:
    """`oob-p1-1`: the switch of rack `rack-p1-1`."""
    return f"oob-{rack.removeprefix('rack-')}"


def _aggregation_name(number: int) -> str:
    return f"oob-aggregation{number}"


CORE = "oob-core1"


def _built(fabric: Fabric, layout: Layout) -> list[int]:
    """The aggregation switches that have racks, from 1."""
    per = racks_per_aggregation(fabric)
    racks = (layout.spots[names[0]].rack_index for names in layout.by_rack.values())
    return sorted({index // per + 1 for index in racks})


def indexes(fabric: Fabric, layout: Layout) -> dict[str, int]:
    """Every OOB switch's place among all possible ones, from 0."""
    out = {
        access_name(rack): layout.spots[names[0]].rack_index
        for rack, names in layout.by_rack.items()
    }
    for number in _built(fabric, layout):
        out[_aggregation_name(number)] = layout.max_racks + number - 1
    if _has_core(fabric, layout):
        out[CORE] = layout.max_racks + aggregations(fabric, layout)
    return out


def _has_core(fabric: Fabric, layout: Layout) -> bool:
    return aggregations(fabric, layout) > 1


def ports_needed(fabric: Fabric, layout: Layout) -> int:
    """Ports that the switch of the fullest rack needs towards devices."""
    population = fabric.population
    servers = population.servers_per_rack if population.max_groups else 0
    of_nodes = max(layout.nodes_per_rack, servers) * _PORTS_OF_NODE
    return max(of_nodes, layout.racks.switches_per_rack) + layout.racks.pdus


def _device_ports(layout: Layout, rack: str) -> Iterator[tuple[str, str, int]]:
    """What is plugged into a rack's switch: device, zone, port."""
    names = layout.by_rack[rack]
    spot = layout.spots[names[0]]
    pairs = spot.kind in ("nodes", "servers")
    for name in names:
        place = layout.spots[name].place
        if pairs:
            yield name, HOST, _PORTS_OF_NODE * place - 1
            yield name, "bmc", _PORTS_OF_NODE * place
        else:
            yield name, "netmgmt", place
    for number in range(1, layout.racks.pdus + 1):
        yield pdu_name(rack, number), POWER, _first_pdu(layout, spot) + number


def _first_pdu(layout: Layout, spot: Spot) -> int:
    if spot.kind == "nodes":
        return layout.nodes_per_rack * _PORTS_OF_NODE
    if spot.kind == "servers":
        return layout.fabric.population.servers_per_rack * _PORTS_OF_NODE
    return layout.racks.switches_per_rack


def pdu_name(rack: str, number: int) -> str:
    """`pdu-p1-1-a`: the rack, and a letter."""
    return f"pdu-{rack.removeprefix('rack-')}-{'abcdefgh'[number - 1]}"


def far_ends(fabric: Fabric, layout: Layout) -> dict[tuple[str, str], PortRef]:
    """The switch port of each device and zone."""
    ports = _profile(fabric, "access").ports
    return {
        (device, zone): PortRef(access_name(rack), ports.port_name(port))
        for rack in layout.by_rack
        for device, zone, port in _device_ports(layout, rack)
    }


def trunks(fabric: Fabric, layout: Layout) -> list[Cable]:
    """The cables between OOB switches, and to the OOB server."""
    said, out = _said(fabric), []
    access, above = _profile(fabric, "access"), _profile(fabric, "aggregation")
    up = access.uplinks or access.ports
    per = racks_per_aggregation(fabric)
    for rack, names in layout.by_rack.items():
        at = layout.spots[names[0]].rack_index
        cage, part = divmod(at % per, said.breakout)
        down = above.ports.port_name(cage + 1, said.breakout, part + 1)
        rate = min(up.rate_gbps, above.ports.rate_of(said.breakout))
        ends = (
            PortRef(access_name(rack), up.port_name(1)),
            PortRef(_aggregation_name(at // per + 1), down),
        )
        out.append(_cable(ends, rate, said.cable_m))
    server = PortRef(fabric.intent.oob.server, fabric.intent.oob.ports.trunk)
    for number in _built(fabric, layout):
        own = PortRef(_aggregation_name(number), above.ports.port_name(above.ports.count))
        if not _has_core(fabric, layout):
            out.append(_cable((own, server), said.server_gbps, said.cable_m))
            continue
        core = _profile(fabric, "core").ports
        rate = min(above.ports.rate_gbps, core.rate_gbps)
        out.append(_cable((own, PortRef(CORE, core.port_name(number + 1))), rate, said.cable_m))
    if _has_core(fabric, layout):
        first = PortRef(CORE, _profile(fabric, "core").ports.port_name(1))
        out.append(_cable((first, server), said.server_gbps, said.cable_m))
    return out


def _cable(ends: tuple[PortRef, PortRef], rate_gbps: float, cable_m: float) -> Cable:
    a, b = sorted(ends)
    return Cable(a, b, "oob", rate_gbps, cable_m)


def switches(
    fabric: Fabric, layout: Layout, cables: list[Cable], management: Callable[[str], Management]
) -> tuple[OobSwitch, ...]:
    """Every OOB switch with its ports, sorted by name. `cables` are all of the plane."""
    names, said = indexes(fabric, layout), _said(fabric)
    ports: dict[str, list[OobPort]] = {name: [] for name in names}
    zones = tuple(sorted(fabric.intent.oob.zones.model_dump(exclude_none=True)))
    server = fabric.intent.oob.server
    far = {end: zone for (_, zone), end in far_ends(fabric, layout).items()}
    for cable in cables:
        for own, peer in ((cable.a, cable.b), (cable.b, cable.a)):
            if own.device not in ports:
                continue
            zone = far.get(own)
            carried = zones if zone is None else (zone,)
            port = OobPort(
                own.port, peer, carried, zone is not None, cable.rate_gbps, peer.device == server
            )
            ports[own.device].append(port)
    rack_of = {access_name(rack): rack for rack in layout.by_rack}
    tiers: dict[str, tuple[OobTier, str]] = {
        **dict.fromkeys(rack_of, ("access", said.access_profile)),
        CORE: ("core", said.core_profile or said.aggregation_profile),
    }
    out = []
    for name in sorted(names):
        tier, profile_name = tiers.get(name, ("aggregation", said.aggregation_profile))
        profile = fabric.switch_profiles[profile_name]
        out.append(
            OobSwitch(
                name=name,
                tier=tier,
                profile=profile_name,
                dialect=profile.dialect,
                release=profile.release,
                rack=rack_of.get(name, ""),
                hardware=hardware_of(profile),
                management=management(name),
                ports=tuple(sorted(ports[name], key=lambda one: (len(one.name), one.name))),
                raw=raw.stanzas(fabric.intent, name),
            )
        )
    return tuple(out)
