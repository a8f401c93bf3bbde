"""Switches: ports, sessions, and what each may say and hear."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .cables import PortRef
from .hardware import Hardware, RawStanza
from .lossless import SwitchBuffers
from .oob import Management
from .words import Direction, Fec, Plane, Tier


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """A data port. `address` is None on unnumbered links (RFC 5549 next hops) and in VLANs.

    `cage` is the physical port from 1, split into `ways` ports, of which this is `part` (from 1);
    `fec` is its forward error correction; `autoneg` whether it negotiates (IEEE 802.3, clause 73),
    None where that is left to the switch OS. `vlans` are those it carries, the first one untagged;
    `bond` is the number of the bond that it is in, over the pair of leaves where there are two.
    """

    name: str
    direction: Direction
    plane: Plane
    peer: PortRef
    address: IPv4Interface | None
    ip_mtu_bytes: int
    rate_gbps: float
    cable_m: float
    rail: int | None
    cage: int
    ways: int
    part: int
    fec: Fec
    autoneg: bool | None
    vlans: tuple[int, ...]
    bond: int | None
    description: str


@dataclass(frozen=True, slots=True)
class BgpSession:
    """An eBGP session over one fabric link, seen from one end.

    `vrf` is the routing table that it belongs to, "" for the default one; `vlan` tags its
    packets where several tables share a link.
    """

    port: str
    direction: Direction
    peer: PortRef
    peer_asn: int
    peer_address: IPv4Address | None
    vrf: str
    vlan: int | None

    @property
    def key(self) -> str:
        """The neighbour's name as the switch shows it: address, or port if unnumbered."""
        own = f"{self.port}.{self.vlan}" if self.vlan else self.port
        return str(self.peer_address) if self.peer_address else own


@dataclass(frozen=True, slots=True)
class Timers:
    """Fabric timers: BGP in seconds (RFC 4271), BFD in milliseconds (RFC 5880)."""

    bgp_keepalive_s: int
    bgp_hold_s: int
    bgp_connect_s: int
    bfd_interval_ms: int
    bfd_multiplier: int


@dataclass(frozen=True, slots=True)
class RoutingTable:
    """One routing table of a switch; the default one has the name "" and no tag.

    `tag` is the VLAN tag of its packets on links between switches. `aggregates` are announced
    though no interface has them, so packets to what they lack must be dropped; `originates` is
    all that the switch announces itself, and `learns` the pools that it may learn from, each at
    exactly the length that owners announce.
    """

    vrf: str
    tag: int | None
    aggregates: tuple[IPv4Network, ...]
    originates: tuple[IPv4Network, ...]
    learns: tuple[tuple[IPv4Network, int], ...]


@dataclass(frozen=True, slots=True, order=True)
class AclRule:
    """One rule of an access list, in its order; what no rule permits is denied."""

    action: str
    protocol: str
    source: str
    destination: str
    port: int | None


@dataclass(frozen=True, slots=True)
class SwitchVlan:
    """A VLAN on a leaf: `gateway` is shared by the leaves of the unit, `address` its own."""

    id: int
    name: str
    plane: Plane
    vrf: str
    subnet: IPv4Network
    gateway: IPv4Address
    address: IPv4Interface
    ip_mtu_bytes: int
    acl: tuple[AclRule, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two leaves that share bonds (MLAG): the other one, and the ports between them.

    `domain` is the pair's number, the same on both and no other pair's; `peer_management` is
    where the other one answers beside the ports between them.
    """

    peer: str
    peer_management: IPv4Address
    ports: tuple[str, ...]
    primary: bool
    domain: int


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch of a data plane, with all that its dialect needs to render it.

    `planes` are those it carries, its own first. It announces its loopback and, on a leaf, one
    aggregate for each NIC of a node that lands on it. `ecmp_width` is the widest set of equal
    paths it can have (RFC 7938, 4.3). `nic_plane` is that of the NICs below it, 0 or 1 where
    these have two ports. `tables` are its routing tables, the default one first. `hash_seed`
    differs by tier, or two tiers would choose alike. `buffers` are shared by all switches that
    are alike, and None where the class is marked only.
    """

    name: str
    tier: Tier
    plane: Plane
    planes: tuple[Plane, ...]
    pod: int | None
    unit: int | None
    rail: int | None
    nic_plane: int
    profile: str
    dialect: str
    release: str
    asn: int
    loopback: IPv4Address
    hardware: Hardware
    tables: tuple[RoutingTable, ...]
    timers: Timers
    ecmp_width: int
    hash_seed: int
    adaptive_routing: bool
    maximum_prefix: int
    management: Management
    ports: tuple[SwitchPort, ...]
    sessions: tuple[BgpSession, ...]
    vlans: tuple[SwitchVlan, ...]
    pair: Pair | None
    buffers: SwitchBuffers | None
    raw: tuple[RawStanza, ...]

    @property
    def aggregates(self) -> tuple[IPv4Network, ...]:
        """The aggregates of the default table."""
        return self.tables[0].aggregates

    @property
    def originates(self) -> tuple[IPv4Network, ...]:
        """What it announces itself in the default table."""
        return self.tables[0].originates
