"""The boundary: edge routers, firewalls, NAT, load balancers, the DMZ, and allowed flows."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network


@dataclass(frozen=True, slots=True, order=True)
class Flow:
    """Who may open what: `source` to `target`, and never the other way round.

    Both are words: a plane, a zone, a group of servers, `dmz`, `outside`, `jump_host`,
    `controller` or `oob_server`. `protocol` is `tcp`, `udp` or `any`; `port` is 0 with `any`.
    """

    source: str
    target: str
    protocol: str
    port: int
    service: str
    why: str


@dataclass(frozen=True, slots=True, order=True)
class EdgeRouter:
    """A router that peers with a provider; `inside` faces the firewalls."""

    name: str
    asn: int
    provider_asn: int
    provider: IPv4Interface
    inside: IPv4Interface
    uplink_gbps: float


@dataclass(frozen=True, slots=True, order=True)
class FirewallSeats:
    """One address in each of the three networks that meet at the firewalls."""

    outside: IPv4Interface
    inside: IPv4Interface
    dmz: IPv4Interface


@dataclass(frozen=True, slots=True, order=True)
class Firewall:
    """One firewall of the pair, and its own addresses."""

    name: str
    seats: FirewallSeats


@dataclass(frozen=True, slots=True)
class Nat:
    """The planes that leave the site, and the addresses that the outside sees."""

    planes: tuple[str, ...]
    addresses: tuple[IPv4Address, ...]


@dataclass(frozen=True, slots=True, order=True)
class LoadBalancer:
    """An address that the outside calls, spread over the servers of `members`."""

    name: str
    virtual: IPv4Address
    service: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dmz:
    """What the outside may call; `gateway` is the firewalls' virtual address there."""

    prefix: IPv4Network
    gateway: IPv4Address
    jump_host: str
    jump_host_address: IPv4Interface


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The networks behind a word of the flows; none where the word has no network of ours."""

    word: str
    prefixes: tuple[IPv4Network, ...]


@dataclass(frozen=True, slots=True)
class Boundary:
    """All that stands between the site and the outside.

    `virtual` are the addresses that routes point to: they follow the active firewall. `flows`
    are all that may pass, those of every site included, and `places` the networks of the words
    in them; the rest is denied.
    """

    edge_routers: tuple[EdgeRouter, ...]
    firewalls: tuple[Firewall, ...]
    virtual: FirewallSeats
    nat: Nat | None
    load_balancers: tuple[LoadBalancer, ...]
    dmz: Dmz
    places: tuple[Place, ...]
    flows: tuple[Flow, ...]
