"""Switches of the data planes: ports, BGP sessions and what each may say and hear."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from inventory.load import raw
from inventory.model import Fabric
from inventory.oob import plane as oob
from inventory.oob.plane import OobSeat
from inventory.plan import (
    BgpSession,
    Direction,
    Pair,
    PortRef,
    RoutingTable,
    Switch,
    SwitchBuffers,
    SwitchPort,
    SwitchVlan,
    Tier,
    Timers,
)
from inventory.schema import SwitchProfile
from inventory.switches.hardware import hardware_of

from . import addressing, vlans
from .cabling import FabricLink, NodeLink
from .clos import Cage, LeafAt
from .fabrics import SwitchFabric
from .media import is_twinax

# Two tiers that hash alike leave half of the paths empty. SONiC gives leaves 10 and spines 25
# (sonic-buildimage, dockers/docker-orchagent/switch.json.j2); superspines need a third.
HASH_SEEDS: dict[Tier, int] = {"leaf": 10, "spine": 25, "superspine": 40}
_ANYWHERE = IPv4Network("0.0.0.0/0")


@dataclass(frozen=True, slots=True)
class _Who:
    """What tells one switch from another."""

    name: str
    tier: Tier
    pod: int | None
    unit: int | None
    rail: int | None
    nic_plane: int
    profile: str
    asn: int
    loopback: IPv4Address
    at: LeafAt | None
    ecmp_width: int


def asns(fabric: SwitchFabric) -> dict[str, int]:
    """Return the ASN of every switch of a fabric, before overrides."""
    clos = fabric.clos
    out = {name: addressing.leaf_asn(fabric, at) for name, at in clos.leaves.items()}
    out |= {name: addressing.spine_asn(fabric, at) for name, at in clos.spine_places.items()}
    return out | dict.fromkeys(clos.superspine_places, addressing.superspine_asn(fabric))


def loopbacks(fabric: SwitchFabric) -> dict[str, IPv4Address]:
    """Return the loopback of every switch of a fabric, before overrides."""
    clos, at_index = fabric.clos, addressing.loopback_at
    out = {name: at_index(fabric, "leaf", clos.leaf_index(at)) for name, at in clos.leaves.items()}
    out |= {
        name: at_index(fabric, "spine", clos.spine_index(at))
        for name, at in clos.spine_places.items()
    }
    return out | {
        name: at_index(fabric, "superspine", clos.superspine_index(at))
        for name, at in clos.superspine_places.items()
    }


def maximum_prefix(fabric: SwitchFabric) -> int:
    """All routes that can exist in one table within the maxima, and a quarter more (rounded up).

    A leaf announces its aggregates and its loopback, all others their loopback; in a table of
    users its VLANs, and somebody the way out.
    """
    clos = fabric.clos
    slots = max(len(clos.slots), 1)
    own = sum(-(-service.nic_count // slots) for service in fabric.services if service.routed)
    tables = Counter(intent.vrf for intent in vlans.of_fabric(fabric))
    above = clos.max_spine_count + clos.max_superspine_count
    default = (own + tables.pop("", 0) + 1) * clos.max_leaves + above
    users = max(tables.values(), default=0) * clos.max_leaves + 1
    return -(-max(default, users) * 5 // 4)


def switches(
    site: Fabric,
    fabric: SwitchFabric,
    node_links: list[NodeLink],
    fabric_links: list[FabricLink],
    seats: dict[str, OobSeat],
    buffers: dict[str, SwitchBuffers],
) -> tuple[Switch, ...]:
    """Every switch of a fabric, sorted by name."""
    numbers = {name: addressing.asn_of(site, name, one) for name, one in asns(fabric).items()}
    ends = [end for link in fabric_links for end in _ends(link)]
    ports = _ports(fabric, node_links, ends)
    sessions = _sessions(fabric, ends, numbers)
    learns, limit = _learns(fabric), maximum_prefix(fabric)
    timers = Timers(**fabric.timers.model_dump())
    planes = tuple(dict.fromkeys((fabric.plane, *(service.plane for service in fabric.services))))
    pairs = _pairs(fabric, fabric_links, lambda name: oob.management(site, seats[name]).address.ip)
    hardware = {name: hardware_of(one) for name, one in fabric.profiles.items()}
    adaptive = fabric.plane == "compute" and site.intent.compute.adaptive_routing
    out = []
    for who in sorted(_everybody(site, fabric, numbers), key=lambda who: who.name):
        profile = fabric.profiles[who.profile]
        own_vlans = vlans.on_leaf(fabric, who.at) if who.at else ()
        out.append(
            Switch(
                name=who.name,
                tier=who.tier,
                plane=fabric.plane,
                planes=planes,
                pod=who.pod,
                unit=who.unit,
                rail=who.rail,
                nic_plane=who.nic_plane,
                profile=who.profile,
                dialect=profile.dialect,
                release=profile.release,
                asn=who.asn,
                loopback=who.loopback,
                hardware=hardware[who.profile],
                tables=_tables(fabric, who, own_vlans, learns),
                timers=timers,
                ecmp_width=who.ecmp_width,
                hash_seed=HASH_SEEDS[who.tier],
                adaptive_routing=adaptive,
                maximum_prefix=limit,
                management=oob.management(site, seats[who.name]),
                ports=tuple(ports[who.name]),
                sessions=tuple(sessions[who.name]),
                vlans=own_vlans,
                pair=pairs.get(who.name),
                buffers=buffers.get(_alike(fabric, who)),
                raw=raw.stanzas(site.intent, who.name),
            )
        )
    return tuple(out)


def _alike(fabric: SwitchFabric, who: _Who) -> str:
    """The name of the switches that this one is like (`lossless.PortSet`)."""
    word = f"leaf-{fabric.clos.slots[who.at.slot].label}" if who.at else who.tier
    return f"{fabric.clos.prefix}{word}"


def _everybody(site: Fabric, fabric: SwitchFabric, numbers: dict[str, int]) -> Iterator[_Who]:
    clos, formula = fabric.clos, loopbacks(fabric)
    loopback = {name: addressing.loopback_of(site, name, one) for name, one in formula.items()}
    for name, at in clos.leaves.items():
        slot, width = clos.slots[at.slot], clos.spines * clos.uplinks
        unit = at.unit if clos.max_units > 1 else None
        yield _Who(
            name, "leaf", at.pod, unit, slot.rail, slot.nic_plane,
            fabric.leaf_profile, numbers[name], loopback[name], at, width,
        )  # fmt: skip
    twice = len(clos.slots) if vlans.of_fabric(fabric) else 1
    width = max(clos.uplinks * twice, clos.superspines * clos.top_uplinks)
    for name, spine in clos.spine_places.items():
        yield _Who(
            name, "spine", spine.pod or None, None, None, spine.nic_plane,
            fabric.spine_profile, numbers[name], loopback[name], None, width,
        )  # fmt: skip
    for name, top in clos.superspine_places.items():
        yield _Who(
            name, "superspine", None, None, None, top.nic_plane,
            fabric.superspine_profile or "", numbers[name], loopback[name], None, clos.top_uplinks,
        )  # fmt: skip


def _nics_on(fabric: SwitchFabric, at: LeafAt) -> list[tuple[int, int]]:
    """The routed NICs that land on a leaf: number of the service, number of the NIC."""
    profile = fabric.profile_in(at.pod)
    return [
        (number, landing.index)
        for number, service in enumerate(fabric.services)
        if service.routed
        for landing in service.landings.get(profile, ())
        if landing.slot == at.slot
    ]


def _aggregates(fabric: SwitchFabric, at: LeafAt) -> tuple[IPv4Network, ...]:
    return tuple(
        sorted(
            addressing.aggregate(fabric, fabric.services[number], nic, at.pod, at.unit)
            for number, nic in _nics_on(fabric, at)
        )
    )


_Pools = tuple[tuple[IPv4Network, int], ...]


def _tables(
    fabric: SwitchFabric, who: _Who, own: tuple[SwitchVlan, ...], learns: dict[str, _Pools]
) -> tuple[RoutingTable, ...]:
    """The default table, then those of users, by name."""
    aggregates = _aggregates(fabric, who.at) if who.at else ()
    tags: dict[str, int | None] = {"": None, **dict(vlans.vrf_tags(fabric))}
    out = []
    for vrf, tag in tags.items():
        bridged = tuple(vlan.subnet for vlan in own if vlan.vrf == vrf)
        always = () if vrf else (IPv4Network(who.loopback), *aggregates)
        originates = tuple(sorted((*always, *bridged)))
        out.append(RoutingTable(vrf, tag, () if vrf else aggregates, originates, learns[vrf]))
    return tuple(out)


def _learns(fabric: SwitchFabric) -> dict[str, _Pools]:
    """By table: what may be learnt, loopbacks and way out included."""
    routed = [
        (service.pool, addressing.aggregate_bits(fabric, service))
        for service in fabric.services
        if service.routed
    ]
    out: dict[str, list[tuple[IPv4Network, int]]] = {"": [(fabric.loopbacks, 32), *routed]}
    blocks = addressing.block_bits(fabric)
    for intent in vlans.of_fabric(fabric):
        pools = out.setdefault(intent.vrf, [])
        pools.append((intent.pool, intent.pool.prefixlen + blocks))
        if intent.leads_out and (_ANYWHERE, 0) not in pools:
            pools.append((_ANYWHERE, 0))
    return {vrf: tuple(sorted(pools)) for vrf, pools in out.items()}


def _pairs(
    fabric: SwitchFabric,
    links: Iterable[FabricLink],
    reached_at: Callable[[str], IPv4Address],
) -> dict[str, Pair]:
    """By leaf: the pair that it is in. Its domain is the unit's place, for ever."""
    ports: dict[tuple[str, str], list[str]] = defaultdict(list)
    for link in links:
        if link.tiers == ("leaf", "leaf"):
            ports[link.low.device, link.high.device].append(link.low.port)
    out = {}
    for (first, second), names in ports.items():
        at = fabric.clos.leaves[first]
        domain = (at.pod - 1) * fabric.clos.max_units + at.unit
        held = tuple(names)
        out[first] = Pair(second, reached_at(second), held, primary=True, domain=domain)
        out[second] = Pair(first, reached_at(first), held, primary=False, domain=domain)
    return out


@dataclass(frozen=True, slots=True)
class _End:
    """A fabric link seen from one of its switches."""

    link: FabricLink
    own: PortRef
    peer: PortRef
    cage: Cage
    tier: Tier
    direction: Direction
    address: IPv4Interface | None
    peer_address: IPv4Interface | None


def _ends(link: FabricLink) -> tuple[_End, _End]:
    up: Direction = "peer" if link.tiers[0] == link.tiers[1] else "up"
    down: Direction = "peer" if link.tiers[0] == link.tiers[1] else "down"
    low, high = link.low_address, link.high_address
    return (
        _End(link, link.low, link.high, link.low_cage, link.tiers[0], up, low, high),
        _End(link, link.high, link.low, link.high_cage, link.tiers[1], down, high, low),
    )


def _ports(
    fabric: SwitchFabric, node_links: list[NodeLink], ends: list[_End]
) -> dict[str, list[SwitchPort]]:
    """Each switch's ports in port order: nodes, then what is above; leaves in their order."""
    out: dict[str, list[SwitchPort]] = defaultdict(list)
    carried = {one.plane: vlans.carried(one) for one in fabric.services}
    # Planes that share switches have bonds of their own, each plane's after the other's.
    before = {one.plane: at * fabric.nodes_per_unit for at, one in enumerate(fabric.services)}
    for node in node_links:
        service = node.service
        out[node.leaf.device].append(
            SwitchPort(
                name=node.leaf.port,
                direction="down",
                plane=service.plane,
                peer=node.nic,
                address=node.leaf_address,
                ip_mtu_bytes=service.switch_ip_mtu_bytes,
                rate_gbps=node.rate_gbps,
                cable_m=node.cable_m,
                rail=node.landing.rail if service.plane == "compute" else None,
                cage=node.cage.number,
                ways=node.cage.ways,
                part=node.cage.part,
                fec=fabric.leaf.ports.fec,
                autoneg=_autoneg(fabric.leaf, node, node.cage.ways),
                vlans=carried[service.plane],
                bond=before[service.plane] + node.place if service.bonded else None,
                description=f"to {node.nic}",
            )
        )
    mtu = max(one.switch_ip_mtu_bytes for one in fabric.services)
    # Both ends of a link must correct errors alike, so links between switches have one word.
    fec = fabric.leaf.ports.fec
    for end in ends:
        out[end.own.device].append(
            SwitchPort(
                name=end.own.port,
                direction=end.direction,
                plane=fabric.plane,
                peer=end.peer,
                address=end.address,
                ip_mtu_bytes=mtu,
                rate_gbps=end.link.rate_gbps,
                cable_m=end.link.cable_m,
                rail=end.link.rail,
                cage=end.cage.number,
                ways=end.cage.ways,
                part=end.cage.part,
                fec=fec,
                autoneg=_autoneg(
                    fabric.profiles[_profile(fabric, end.tier)], end.link, end.cage.ways
                ),
                vlans=(),
                bond=None,
                description=f"to {end.peer}",
            )
        )
    return out


def _profile(fabric: SwitchFabric, tier: Tier) -> str:
    above = {"spine": fabric.spine_profile, "superspine": fabric.superspine_profile or ""}
    return above.get(tier, fabric.leaf_profile)


def _autoneg(profile: SwitchProfile, link: NodeLink | FabricLink, ways: int) -> bool | None:
    """What its profile says of copper, at a copper cable."""
    is_asked = profile.copper_autoneg is not None
    is_copper = is_asked and is_twinax(link.rate_gbps, link.cable_m, ways)
    return profile.copper_autoneg if is_copper else None


def _sessions(
    fabric: SwitchFabric, ends: list[_End], numbers: dict[str, int]
) -> dict[str, list[BgpSession]]:
    """Each switch's sessions in port order: one on every link between tiers, none to nodes.

    Where the fabric carries other routing tables, one more in each, tagged (VRF lite).
    """
    tables: tuple[tuple[str, int | None], ...] = (("", None), *vlans.vrf_tags(fabric))
    out: dict[str, list[BgpSession]] = defaultdict(list)
    for end in ends:
        if end.direction == "peer":
            continue
        address = end.peer_address.ip if end.peer_address else None
        for vrf, tag in tables:
            out[end.own.device].append(
                BgpSession(
                    port=end.own.port,
                    direction=end.direction,
                    peer=end.peer,
                    peer_asn=numbers[end.peer.device],
                    peer_address=None if vrf else address,
                    vrf=vrf,
                    vlan=tag,
                )
            )
    return out
