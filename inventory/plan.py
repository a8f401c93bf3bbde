"""The Plan: everything that must be true of a site. Frozen, sorted, digestible.

Every consumer reads this and nothing else. Nothing here opens a file or a socket.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Literal

Plane = Literal["compute", "storage", "business", "oob"]
Tier = Literal["leaf", "spine", "superspine"]
LosslessMode = Literal["full", "marking-only"]
Engine = Literal["pyinfra", "ansible"]
Direction = Literal["up", "down"]
Clock = Literal["set", "measure"]
Boot = Literal["grub", "file"]
Arch = Literal["amd64", "arm64"]


@dataclass(frozen=True, slots=True, order=True)
class PortRef:
    """One end of a cable: a device and one of its ports."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True, slots=True, order=True)
class Cable:
    """A link as it must be plugged; `a` sorts before `b`, so each cable is written once."""

    a: PortRef
    b: PortRef
    plane: Plane
    rate_gbps: float
    cable_m: float

    def __str__(self) -> str:
        return f"{self.a} -- {self.b}"


@dataclass(frozen=True, slots=True)
class Management:
    """How a device is reached: its port, lease and zone in the OOB plane.

    `mac` and `serial` come from `asbuilt.csv`; without them the device is planned but
    not deployable.
    """

    port: str
    zone: str
    address: IPv4Interface
    gateway: IPv4Address
    mac: str | None
    serial: str | None


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


@dataclass(frozen=True, slots=True)
class RailNic:
    """NIC `rail` of a node: a /31 to its leaf, and the routes that keep rails apart.

    `rail_prefix` holds every NIC of this rail; `fabric_prefix` every NIC of every rail.
    `rdma_device` is None where the NIC has no RDMA.
    """

    rail: int
    port: str
    rdma_device: str | None
    mac: str | None
    address: IPv4Interface
    gateway: IPv4Address
    leaf: PortRef
    ip_mtu_bytes: int
    rail_prefix: IPv4Network
    fabric_prefix: IPv4Network
    table: int
    rule_priority: int


@dataclass(frozen=True, slots=True)
class HugePages:
    """So many pages of one size, in the kernel's unit (KiB), split over the NUMA nodes."""

    size_kib: int
    count: int


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a kind of server asks of its kernel; sysctls are sorted by name.

    `governor` and `idle_exit_us` (longest exit latency of an allowed idle state) are None
    where the profile leaves them to the system, `memlock_kib` and `open_files` where the role
    os_base decides.
    """

    clock: Clock
    boot: Boot
    kernel_arguments: tuple[str, ...]
    hugepages: tuple[HugePages, ...]
    governor: str | None
    idle_exit_us: int | None
    memlock_kib: int | None
    open_files: int | None
    sysctls: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A server. `rails` is in rail order.

    `rack` counts from 1 in the pod, None where the site states no rule. `engine` is the one
    that changes this node; the other one checks.
    """

    name: str
    pod: int
    rack: int | None
    position: int
    profile: str
    engine: Engine
    management: Management
    rails: tuple[RailNic, ...]
    tuning: Tuning


@dataclass(frozen=True, slots=True, order=True)
class Lease:
    """A DHCP reservation: this MAC gets this address and this name."""

    name: str
    mac: str
    address: IPv4Address
    server_port: str


@dataclass(frozen=True, slots=True, order=True)
class Service:
    """What the OOB server offers in a zone beside DHCP and DNS; its firewall lets it in."""

    name: str
    protocol: str
    port: int


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the OOB plane. `ports` are the OOB server's ports in this zone."""

    name: str
    prefix: IPv4Network
    server_address: IPv4Interface
    ports: tuple[str, ...]
    leases: tuple[Lease, ...]
    services: tuple[Service, ...]


@dataclass(frozen=True, slots=True)
class OobServer:
    """DHCP, DNS and jump host of the OOB plane; the controller reaches it at `access`.

    `mac` is that of `access_port`, and the server's own identity.
    """

    name: str
    access_port: str
    access: IPv4Address
    mac: str | None
    domain: str
    zones: tuple[Zone, ...]


@dataclass(frozen=True, slots=True, order=True)
class LockedPackage:
    """A package file, by what is in it: another file of that version is another package."""

    name: str
    version: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PackageLock:
    """Which packages nodes get. `components` says what roles ask for, `packages` all of them.

    `resolved` is the day on which a mirror had them, `origin` in words where the lock lies.
    """

    os: str
    suite: str
    arch: Arch
    resolved: str
    origin: str
    components: tuple[tuple[str, tuple[str, ...]], ...]
    packages: tuple[LockedPackage, ...]


@dataclass(frozen=True, slots=True)
class PackageRepo:
    """The signed repository on the OOB server, open to the nodes' zone `prefix` alone.

    `keyring` is the armoured public key that nodes trust; empty until a signing key was made,
    and then apt on a node refuses the repository.
    """

    port: int
    prefix: IPv4Network
    uri: str
    suite: str
    keyring: str


@dataclass(frozen=True, slots=True)
class Lossless:
    """The one class that carries RoCE data, and the strict class of its CNPs.

    `mode` "marking-only" is a fabric without PFC, ECN and buffers: only that the DSCP
    survives, the MTU and the counters may be asked of it.
    """

    mode: LosslessMode
    dscp: int
    priority: int
    cnp_dscp: int
    cnp_priority: int
    host_ip_mtu_bytes: int
    switch_ip_mtu_bytes: int

    @property
    def tos(self) -> int:
        """The IPv4 TOS byte of RoCE data: DSCP with ECT(0) (RFC 3168), e.g. 26 -> 106."""
        return self.dscp << 2 | 0b10


@dataclass(frozen=True, slots=True)
class Wave:
    """Devices changed together, in one step; a canary wave is one device for each engine."""

    name: str
    step: str
    devices: tuple[str, ...]
    canary: bool


@dataclass(frozen=True, slots=True, order=True)
class Assumption:
    """A value nobody measured here, with where it comes from; every report prints it."""

    name: str
    value: str
    source: str
    measured: bool


@dataclass(frozen=True)
class Plan:
    """What must be true of `site`. `digest` names exactly these bytes.

    `engine` changes the OOB server, and every node that does not name another.
    """

    site: str
    engine: Engine
    digest: str
    lossless: Lossless
    credentials: tuple[tuple[str, str], ...]
    oob: OobServer
    packages: PackageLock
    repo: PackageRepo
    switches: tuple[Switch, ...]
    nodes: tuple[Node, ...]
    cables: tuple[Cable, ...]
    waves: tuple[Wave, ...]
    assumptions: tuple[Assumption, ...]
    undeployable: tuple[str, ...]

    @cached_property
    def switch(self) -> dict[str, Switch]:
        """Switches by name."""
        return {one.name: one for one in self.switches}

    @cached_property
    def node(self) -> dict[str, Node]:
        """Nodes by name."""
        return {one.name: one for one in self.nodes}

    def engine_of(self, host: str) -> Engine:
        """The engine that changes a node or the OOB server."""
        return self.node[host].engine if host in self.node else self.engine

    @cached_property
    def devices(self) -> tuple[str, ...]:
        """Every device name, sorted: the OOB server, switches and nodes."""
        return tuple(sorted({self.oob.name, *self.switch, *self.node}))

    @cached_property
    def cable_at(self) -> dict[PortRef, Cable]:
        """The cable that is plugged into a port."""
        return {end: cable for cable in self.cables for end in (cable.a, cable.b)}

    @cached_property
    def management_mac(self) -> dict[str, str | None]:
        """The identity of each device: the MAC of its management port."""
        reached: tuple[Switch | Node, ...] = (*self.switches, *self.nodes)
        macs = {one.name: one.management.mac for one in reached}
        return {**macs, self.oob.name: self.oob.mac}
