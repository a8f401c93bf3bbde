"""Switches: ports, sessions, and what each may say and hear."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .cables import PortRef
from .oob import Management
from .words import Direction, Plane, Tier


@dataclass(frozen=True, slots=True)
class SwitchPort:
    """A data port. `address` is None on unnumbered links (RFC 5549 next hops)."""

    name: str
    direction: Direction
    peer: PortRef
    address: IPv4Interface | None
    ip_mtu_bytes: int
    rate_gbps: float
    cable_m: float
    rail: int | None
    description: str


@dataclass(frozen=True, slots=True)
class BgpSession:
    """An eBGP session over one fabric link, seen from one end."""

    port: str
    direction: Direction
    peer: PortRef
    peer_asn: int
    peer_address: IPv4Address | None

    @property
    def key(self) -> str:
        """The neighbour's name as the switch shows it: address, or port if unnumbered."""
        return str(self.peer_address) if self.peer_address else self.port


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
    """What a switch may learn: the pools, at exactly the length that owners announce."""

    rail_pool: IPv4Network
    rail_aggregate_bits: int
    loopback_pool: IPv4Network


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch of a data plane, with all that its dialect needs to render it.

    `originates` is what it announces itself: its loopback and, on a leaf, one aggregate.
    `ecmp_width` is the widest set of equal paths it can have (RFC 7938, 4.3).
    """

    name: str
    tier: Tier
    plane: Plane
    pod: int | None
    rail: int | None
    profile: str
    dialect: str
    release: str
    asn: int
    loopback: IPv4Address
    aggregate: IPv4Network | None
    originates: tuple[IPv4Network, ...]
    policy: RoutePolicy
    timers: Timers
    ecmp_width: int
    maximum_prefix: int
    management: Management
    ports: tuple[SwitchPort, ...]
    sessions: tuple[BgpSession, ...]
