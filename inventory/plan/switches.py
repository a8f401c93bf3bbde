"""Switches: ports, sessions, and what each may say and hear."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .cables import PortRef
from .lossless import SwitchBuffers
from .oob import Management
from .words import Direction, Plane, Tier


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """A data port. `address` is None on unnumbered links (RFC 5549 next hops) and in VLANs.

    `cage` is the physical port from 1, split into `ways` ports. `vlans` are those it carries,
    the first one untagged; `bond` is the number of the bond that it is in, over the pair of
    leaves where there are two.
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
class RoutePolicy:
    """What a switch may learn: the pools, at exactly the length that owners announce.

    `more_pools` are those of further VLANs in the default table, each with that length.
    """

    rail_pool: IPv4Network
    rail_aggregate_bits: int
    loopback_pool: IPv4Network
    more_pools: tuple[tuple[IPv4Network, int], ...]


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
    """Two leaves that share bonds (MLAG): the other one, and the ports between them."""

    peer: str
    ports: tuple[str, ...]
    primary: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch of a data plane, with all that its dialect needs to render it.

    `planes` are those it carries, its own first. `originates` is what it announces itself: its
    loopback and, on a leaf, one aggregate for each NIC of a node that lands on it.
    `ecmp_width` is the widest set of equal paths it can have (RFC 7938, 4.3). `nic_plane` is
    that of the NICs below it, 0 or 1 where these have two ports. `buffers` are shared by
    all switches that are alike, and None where the class is marked only.
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
    aggregates: tuple[IPv4Network, ...]
    originates: tuple[IPv4Network, ...]
    policy: RoutePolicy
    timers: Timers
    ecmp_width: int
    maximum_prefix: int
    management: Management
    ports: tuple[SwitchPort, ...]
    sessions: tuple[BgpSession, ...]
    vlans: tuple[SwitchVlan, ...]
    pair: Pair | None
    buffers: SwitchBuffers | None
